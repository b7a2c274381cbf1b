/// A final name in a directory, and the name of the part file beside it.
public struct FilePlace: Hashable, Sendable {
    /// The absolute path of the directory.
    public var directory: String
    /// The final name in it.
    public var name: FileName
    /// The part file's name in it.
    public var part: FileName

    /// Creates a place. The part file is `NAME.part` unless it was created under another final name.
    public init(directory: String, name: FileName, part: FileName? = nil) {
        self.directory = directory
        self.name = name
        self.part = part ?? name.partName
    }

    /// The path of the final file.
    public var path: String { path(of: name) }

    /// The path of the part file.
    public var partPath: String { path(of: part) }

    private func path(of name: FileName) -> String {
        directory.hasSuffix("/") ? "\(directory)\(name.rawValue)" : "\(directory)/\(name.rawValue)"
    }
}
