import Ferry

/// Where the files of a source are placed: their paths below the directory of the mirror, which are also the ids of their
/// nodes.
package enum MirrorPath {
    /// The path of the directory of the mirror itself. No name is this.
    package static let top = "."
    /// Maximum number of directories above a file. Directories that contain one another end there.
    package static let deepest = 64

    /// The path of something in a directory. Each name is made safe as that of a download (I6).
    ///
    /// - Returns: `nil` if nothing is left of the name, or the path is too long or too deep.
    package static func of(_ name: String, in directory: String) -> String? {
        guard let own = FileName.sanitized(name)?.rawValue else { return nil }
        let path = directory == top ? own : "\(directory)/\(own)"
        let depth = path.utf8.count { $0 == UInt8(ascii: "/") }
        return path.utf8.count <= NodeID.longest && depth <= deepest ? path : nil
    }

    /// The path of an object, and those of the directories above it, the topmost first.
    ///
    /// - Parameter key: its key below the source, as the store has it.
    /// - Returns: `nil` if a part of the key is no name.
    package static func ofObject(_ key: Substring) -> (directories: [String], path: String)? {
        var (directories, path): ([String], String) = ([], top)
        for part in key.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            if path != top { directories.append(path) }
            guard let next = of(String(Substring(part)), in: path) else { return nil }
            path = next
        }
        return (directories, path)
    }

    /// The directories above a path, the topmost first.
    static func directories(above path: String) -> [String] {
        var directories: [String] = []
        var directory = split(path).directory
        while directory != top {
            directories.append(directory)
            directory = split(directory).directory
        }
        return directories.reversed()
    }

    /// The directory of a path, and its last name.
    package static func split(_ path: String) -> (directory: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (top, path) }
        return (String(path[..<slash]), String(path[path.utf8.index(after: slash)...]))
    }
}
