import Glibc

/// Directories below a directory, with names that a server chose. No link leads out of it (I6).
struct FolderTree {
    private let root: String

    init(_ root: String) { self.root = root }

    /// Makes a directory that the user named, and those above it, as far as they are not there.
    ///
    /// - Throws: ``CommandFailure`` with status 16 if one cannot be made.
    static func make(_ path: String) throws(CommandFailure) {
        guard mkdir(path, 0o777) != 0 else { return try synchronizeName(of: path) }
        if errno == ENOENT, path != "/" {
            try make(FilePath.split(path).directory)
            if mkdir(path, 0o777) == 0 { return try synchronizeName(of: path) }
        }
        guard errno != EEXIST || !FilePath.isDirectory(path) else { return }
        throw FolderTree(path).failure(path, errno == EEXIST ? ENOTDIR : errno)
    }

    private static func synchronizeName(of path: String) throws(CommandFailure) {
        if let number = synchronizeDirectory(of: path) { throw FolderTree(path).failure(path, number) }
    }

    /// Lets something that was made survive a power loss.
    ///
    /// - Parameter path: what was made.
    /// - Returns: the number of the error with which it failed.
    static func synchronizeDirectory(of path: String) -> Int32? {
        let above = open(FilePath.split(path).directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard above >= 0 else {
            guard errno == EACCES else { return errno }
            // A directory in which this user may write but not read. Syncing all disks is slow, but correct.
            sync()
            return nil
        }
        defer { close(above) }
        return synchronize(above)
    }

    /// Makes the names in an open directory durable.
    ///
    /// - Returns: the number of the error with which it failed.
    static func synchronize(_ folder: Int32) -> Int32? {
        while fsync(folder) != 0 {
            let number = errno
            if number == EINTR { continue }
            // Some network file systems cannot sync a directory and report that; their server makes names durable.
            return [EINVAL, ENOTSUP, ENOSYS].contains(number) ? nil : number
        }
        return nil
    }

    /// Makes those of the directories that do not exist. They survive a power loss.
    ///
    /// - Parameter paths: their paths below the directory, without `.` and `..`.
    /// - Throws: ``CommandFailure`` with status 16 if one cannot be made, or is a link or a file.
    func make(_ paths: [String]) throws(CommandFailure) {
        guard !paths.isEmpty else { return }
        let base = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard base >= 0 else { throw failure(root, errno) }
        defer { close(base) }
        // Many have the same parent, which is synced once.
        var parents: Set<[UInt8]> = []
        for path in paths { try make(path, below: base, &parents) }
        for parent in parents {
            let path = String(decoding: parent, as: UTF8.self)
            let folder = Self.descend(to: path, from: base)
            guard folder >= 0 else { throw failure("\(root)/\(path)", errno) }
            defer { close(folder) }
            if let number = Self.synchronize(folder) { throw failure("\(root)/\(path)", number) }
        }
    }

    /// - Parameter parents: gets the paths of the directories in which others were made.
    private func make(
        _ path: String,
        below base: Int32,
        _ parents: inout Set<[UInt8]>
    ) throws(CommandFailure) {
        var (parent, above) = (base, "")
        defer { if parent != base { close(parent) } }
        for part in path.split(separator: "/") {
            let name = String(part)
            let path = above.isEmpty ? name : "\(above)/\(name)"
            if mkdirat(parent, name, 0o777) == 0 {
                parents.insert(Array(above.utf8))
            } else if errno != EEXIST {
                throw failure("\(root)/\(path)", errno)
            }
            let folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard folder >= 0 else { throw failure("\(root)/\(path)", errno) }
            if parent != base { close(parent) }
            (parent, above) = (folder, path)
        }
    }

    /// Opens a directory below `base`; an empty path opens `base` again. Returns -1 and sets `errno` if the directory does not
    /// exist, or is a link or a file.
    static func descend(to path: String, from base: Int32) -> Int32 {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        var current = openat(base, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        for part in path.split(separator: "/") {
            guard current >= 0 else { return -1 }
            let next = openat(current, String(part), flags)
            let number = errno
            close(current)
            (current, errno) = (next, number)
        }
        return current
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
