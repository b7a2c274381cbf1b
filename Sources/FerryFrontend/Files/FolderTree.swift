import Glibc

/// Directories below a directory, with names that a server chose. No link leads out of it (I6).
struct FolderTree {
    private let root: String

    init(_ root: String) { self.root = root }

    /// Makes a directory that the user named, and those above it, as far as they are not there.
    ///
    /// - Throws: ``CommandFailure`` with status 16 if one cannot be made.
    static func make(_ path: String) throws(CommandFailure) {
        guard mkdir(path, 0o777) != 0 else { return }
        if errno == ENOENT, path != "/" {
            try make(FilePath.split(path).directory)
            if mkdir(path, 0o777) == 0 { return }
        }
        guard errno != EEXIST || !FilePath.isDirectory(path) else { return }
        throw FolderTree(path).failure(path, errno == EEXIST ? ENOTDIR : errno)
    }

    /// Makes those of the directories that are not there.
    ///
    /// - Parameter paths: their paths below the directory, without `.` and `..`.
    /// - Throws: ``CommandFailure`` with status 16 if one cannot be made, or is a link or a file.
    func make(_ paths: [String]) throws(CommandFailure) {
        guard !paths.isEmpty else { return }
        let base = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard base >= 0 else { throw failure(root, errno) }
        defer { close(base) }
        for path in paths { try make(path, below: base) }
    }

    private func make(_ path: String, below base: Int32) throws(CommandFailure) {
        var (parent, made) = (base, root)
        defer { if parent != base { close(parent) } }
        for part in path.split(separator: "/") {
            let name = String(part)
            made += "/\(name)"
            if mkdirat(parent, name, 0o777) != 0, errno != EEXIST { throw failure(made, errno) }
            let folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard folder >= 0 else { throw failure(made, errno) }
            if parent != base { close(parent) }
            parent = folder
        }
    }

    private func failure(_ path: String, _ number: Int32) -> CommandFailure {
        let isOther = number == ENOTDIR || number == ELOOP
        let reason = isOther ? "It is a link or a file" : String(cString: strerror(number))
        return CommandFailure(
            .cannotCreate,
            code: "cannotCreate",
            "Cannot save into the directory \(QuotedWord(path)): \(reason). Nothing was downloaded or added.",
            hint: isOther ? "Use another directory with -d." : nil
        )
    }
}
