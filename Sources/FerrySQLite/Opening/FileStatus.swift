import FerryCore
import Foundation

/// What the file system says about one file, without opening it.
///
/// The database file must never be opened and closed beside SQLite: closing any descriptor of a file drops all
/// POSIX locks that the process has on it.
struct FileStatus {
    /// Which file it is.
    var identity: FileIdentity
    /// Its length in bytes.
    var length: Int64
    /// Whether it is a regular file.
    var isRegular: Bool
    /// Whether it is a directory.
    var isDirectory: Bool

    /// The file at `path`, through symlinks; `nil` when there is none.
    ///
    /// Whatever else keeps it from being looked at is an error: a store that was taken for absent because its disk
    /// failed for a moment would be replaced by an empty one (I3).
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
