import Glibc

/// Paths as a user writes them.
package enum FilePath {
    /// The absolute form of a path. Existing directories in it are resolved, so that one directory has one name.
    package static func absolute(_ path: String, in directory: String) -> String {
        let joined = joined(path, in: directory)
        return resolved(joined) ?? normalised(joined)
    }

    /// The absolute form of a path. Only its directory is resolved: its own name may be that of a link, or of nothing yet.
    package static func absoluteName(_ path: String, in directory: String) -> String {
        let (parent, name) = split(path)
        let resolved = absolute(parent, in: directory)
        return resolved == "/" ? "/\(name)" : "\(resolved)/\(name)"
    }

    private static func joined(_ path: String, in directory: String) -> String {
        path.hasPrefix("/") ? path : directory + "/" + path
    }

    /// The directory and the last component of a path: `a/b.iso` → (`a`, `b.iso`), `b.iso` → (`.`, `b.iso`).
    package static func split(_ path: String) -> (directory: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
        let directory = slash == path.startIndex ? "/" : String(path[..<slash])
        return (directory, String(path[path.utf8.index(after: slash)...]))
    }

    /// Whether a directory, or a link to one, is at a path.
    package static func isDirectory(_ path: String, in directory: String = "/") -> Bool {
        FileKind(at: joined(path, in: directory)) == .directory
    }

    /// Whether something has a path; of a link, whether it leads to something. What cannot be looked at counts as existing:
    /// opening it says why.
    package static func exists(_ path: String, in directory: String = "/") -> Bool {
        var status = stat()
        return stat(joined(path, in: directory), &status) == 0 || (errno != ENOENT && errno != ENOTDIR)
    }

    /// Expands a leading `~` or `~/`. A shell does not do this within `--option=~/x` or a list.
    package static func expandingTilde(_ path: String, home: String?) -> String {
        guard let home, path == "~" || path.hasPrefix("~/") else { return path }
        return home + path.dropFirst()
    }

    /// An absolute path for a person: relative to `directory` if it lies below it, below `~` if it is at `home`, or whole.
    package static func shown(_ path: String, from directory: String, home: String?) -> String {
        func rest(below base: String) -> Substring? {
            // Two Unicode forms of one text are two directories.
            guard base != "/", path.utf8.starts(with: "\(base)/".utf8) else { return nil }
            return path[path.utf8.index(path.startIndex, offsetBy: base.utf8.count + 1)...]
        }
        return rest(below: directory).map { String($0) } ?? home.flatMap(rest).map { "~/\($0)" } ?? path
    }

    private static func resolved(_ path: String) -> String? {
        guard let pointer = realpath(path, nil) else { return nil }
        defer { free(pointer) }
        // A link may lead to a directory whose path is not UTF-8; then the given path is used.
        return String(validatingCString: pointer)
    }

    /// The path without empty and `.` components. `..` stays, because the component before it may be a link.
    private static func normalised(_ path: String) -> String {
        "/" + path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    }
}
