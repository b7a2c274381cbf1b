/// A final name in a directory, and the name of the part file beside it.
package struct FilePlace: Hashable, Sendable {
    /// The absolute path of the directory.
    package var directory: String
    /// The final name in it.
    package var name: FileName
    /// The part file's name in it.
    package var part: FileName

    /// Creates a place. The part file is `NAME.part` unless it was created under another final name.
    package init(directory: String, name: FileName, part: FileName? = nil) {
        self.directory = directory
        self.name = name
        self.part = part ?? name.partName
    }

    /// The path of the final file.
    package var path: String { path(of: name) }

    /// The path of the part file.
    package var partPath: String { path(of: part) }

    private func path(of name: FileName) -> String {
        directory.hasSuffix("/") ? "\(directory)\(name.rawValue)" : "\(directory)/\(name.rawValue)"
    }
}
