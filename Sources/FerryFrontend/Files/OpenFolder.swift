import Glibc

/// An open directory, which is closed when it is no longer used. No link below it is followed (I6).
final class OpenFolder: Sendable {
    /// Why something could not be done in a directory.
    struct Problem: Error, Hashable {
        /// The kernel's error number.
        let number: Int32

        /// Whether it, or a directory on the way, does not exist. Behind a link in the place of a directory it may exist.
        var isMissing: Bool { number == ENOENT }

        /// Whether a link or a file is in the place of a directory.
        var isNoDirectory: Bool { number == ENOTDIR || number == ELOOP }

        /// The kernel's words for it.
        var text: String { String(cString: strerror(number)) }

        /// The reason in a sentence.
        var reason: String { isNoDirectory ? "A link or a file is in the place of a directory." : "\(text)." }
    }

    private let descriptor: Int32

    /// Opens a directory. Links in its path are followed.
    init(at path: String) throws(Problem) {
        descriptor = try OpenFolder.checked(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    }

    private init(_ name: String, in folder: OpenFolder) throws(Problem) {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        descriptor = try OpenFolder.checked(openat(folder.descriptor, name, flags))
    }

    deinit { close(descriptor) }

    @discardableResult
    private static func checked(_ result: Int32) throws(Problem) -> Int32 {
        guard result >= 0 else { throw Problem(number: errno) }
        return result
    }

    /// Opens the directory at a path below it; an empty path is its own.
    func folder(at path: String) throws(Problem) -> OpenFolder {
        var folder = self
        // A name may begin with a combining mark, which is one character with the slash.
        for name in path.utf8.split(separator: UInt8(ascii: "/")) {
            folder = try OpenFolder(String(Substring(name)), in: folder)
        }
        return folder
    }

    /// What has a name in it; `nil` if nothing has it.
    func status(of name: String) throws(Problem) -> stat? {
        var status = stat()
        if fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 { return status }
        guard errno == ENOENT else { throw Problem(number: errno) }
        return nil
    }

    /// Makes a directory in it.
    ///
    /// - Returns: whether nothing had the name.
    func make(_ name: String) throws(Problem) -> Bool {
        if mkdirat(descriptor, name, 0o777) == 0 { return true }
        guard errno == EEXIST else { throw Problem(number: errno) }
        return false
    }

    /// Removes a file.
    func remove(_ name: String) throws(Problem) { try Self.checked(unlinkat(descriptor, name, 0)) }

    /// Removes an empty directory.
    func removeFolder(_ name: String) throws(Problem) {
        try Self.checked(unlinkat(descriptor, name, AT_REMOVEDIR))
    }

    /// Makes the names in it durable.
    func synchronize() throws(Problem) {
        while fsync(descriptor) != 0 {
            let number = errno
            if number == EINTR { continue }
            // Some network file systems cannot sync a directory and report that; their server makes names durable.
            if [EINVAL, ENOTSUP, ENOSYS].contains(number) { return }
            throw Problem(number: number)
        }
    }

    /// Makes the name of a file or directory durable.
    static func synchronizeName(of path: String) throws(Problem) {
        do throws(Problem) {
            try OpenFolder(at: FilePath.split(path).directory).synchronize()
        } catch {
            guard error.number == EACCES else { throw error }
            // A directory in which this user may write but not read. Syncing all disks is slow, but correct.
            sync()
        }
    }
}
