/// What is left to do until the unfinished file of another tool is the part file.
///
/// The row claims the file before anything is changed on disk. So a crash at any moment leaves the file under its own name
/// with a row that will rename it, or as the part file of that row.
package struct PendingAdoption: Hashable, Sendable, Codable {
    /// The control file of aria2, which is removed once the row has what it says; `nil` without one.
    package var control: Control?

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

    package init(control: Control? = nil) {
        self.control = control
    }
}
