/// A final name in a directory, and the name of the part file beside it.
package struct FilePlace: Hashable, Sendable {
    /// The absolute path of the directory.
    package var directory: String
    /// The final name in it.
    package var name: FileName
    /// The part file's name in it.
    package var part: FileName
    /// The directory that the user chose, if a document or a server named those below it. No link below it is followed
    /// (I6). `nil` if the user chose the whole path.
    package var root: String?

    /// Creates a place. The part file is `NAME.part` unless it was created under another final name.
    package init(directory: String, name: FileName, part: FileName? = nil, root: String? = nil) {
        self.directory = directory
        self.root = root
        self.name = name
        self.part = part ?? name.partName
    }

    /// The names that lead from the ``root`` to the directory; `nil` if there is no root, or the directory is not below it.
    package var folders: [String]? {
        guard let root else { return nil }
        let base = root.hasSuffix("/") ? root : "\(root)/"
        guard directory.utf8.starts(with: base.utf8) else { return nil }
        return directory.utf8.dropFirst(base.utf8.count).split(separator: UInt8(ascii: "/"))
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// The path of the final file.
    package var path: String { path(of: name) }

    /// The path of the part file.
    package var partPath: String { path(of: part) }

    private func path(of name: FileName) -> String {
        directory.hasSuffix("/") ? "\(directory)\(name.rawValue)" : "\(directory)/\(name.rawValue)"
    }
}
