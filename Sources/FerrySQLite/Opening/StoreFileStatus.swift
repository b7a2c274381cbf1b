import FerryCore
import Foundation

/// The file system's status of one file, read without opening it.
///
/// The database file must never be opened and closed beside SQLite. POSIX locks belong to the process:
/// closing any descriptor of a file drops all its locks on that file.
struct StoreFileStatus {
    /// The identity of the file.
    var identity: FileIdentity
    /// Its length in bytes.
    var length: Int64
    /// Whether it is a regular file.
    var isRegular: Bool
    /// Whether it is a directory.
    var isDirectory: Bool

    /// The file at `path`, following symlinks; `nil` when it does not exist.
    ///
    /// Any other failure is an error. If a brief disk failure made the store seem absent, an empty store
    /// would replace it (I3).
    init?(path: String) throws(StoreError) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT || errno == ENOTDIR else { throw StoreError(systemCall: errno, on: path) }
            return nil
        }
        self.init(status)
    }

    /// The file behind a descriptor; `path` is for messages.
    init(descriptor: Int32, path: String) throws(StoreError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw StoreError(systemCall: errno, on: path) }
        self.init(status)
    }

    private init(_ status: stat) {
        identity = FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
        length = Int64(status.st_size)
        isRegular = status.st_mode & S_IFMT == S_IFREG
        isDirectory = status.st_mode & S_IFMT == S_IFDIR
    }
}
