/// What is known of the file of another tool that became, or is to become, the part file.
///
/// The row claims the file before anything is changed on disk. So a crash at any moment leaves the file under its own name
/// with a row that will rename it, or as the part file of that row.
///
/// Ferry did not fetch these bytes, so it deletes them only if the user asked for that. Until the file is published, a
/// transfer that ends gives it back (``PartFileSystem/giveBack(at:identity:_:)``).
package struct PendingAdoption: Hashable, Sendable, Codable {
    /// The control file of aria2, which is removed when the whole file is published; `nil` without one.
    package var control: Control?
    /// The name that the file had. `nil` in rows of earlier versions, where it is the final name.
    package var name: FileName?
    /// The number of bytes that the file had. 0 if none of them can be used, so that nothing is lost with them. `nil` in rows
    /// of earlier versions.
    package var length: Int64?

    /// Whether the file has bytes that could be lost.
    package var hasBytes: Bool { length != 0 }

    /// Where the bytes that Ferry appended begin, to be cut off when the file is given back; `nil` to cut off nothing. A control
    /// file of aria2 that names no whole piece may name parts of some, so nothing is cut off there.
    package var cut: Int64? { control == nil || hasBytes ? length : nil }

    /// A control file beside the file.
    package struct Control: Hashable, Sendable, Codable {
        /// Its name.
        package var name: FileName
        /// Which file it is; another one with its name stays.
        package var identity: FileIdentity

        package init(name: FileName, identity: FileIdentity) {
            (self.name, self.identity) = (name, identity)
        }
    }

    package init(control: Control? = nil, name: FileName? = nil, length: Int64? = nil) {
        (self.control, self.name, self.length) = (control, name, length)
    }
}
