import FerryCore
import Foundation
import GRDB

extension StoreError {
    /// Translates an error that occurred while the store at `path` was in use.
    init(_ error: any Error, path: String, isWriting: Bool) {
        switch error {
        case let error as StoreError:
            self = error
        case let error as DatabaseError:
            self.init(error, path: path, isWriting: isWriting)
        default:
            self = .unavailable(path: path, "\(error)")
        }
    }

    private init(_ error: DatabaseError, path: String, isWriting: Bool) {
        let detail = error.message ?? error.resultCode.description
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            self = .corrupt(path: path, detail)
        case .SQLITE_FULL:
            self = .writeFailed(path: path, detail, isDiskFull: true)
        case .SQLITE_IOERR where Self.isDiskFull(at: path):
            // SQLite reports an I/O error, not a full disk, when the index of its log (`-shm`) cannot grow.
            self = .writeFailed(path: path, detail, isDiskFull: true)
        case .SQLITE_IOERR where isWriting && Self.isAtLimit(path):
            self = .writeFailed(
                path: path,
                "a file would be larger than your limit (ulimit -f) allows",
                isDiskFull: false
            )
        case .SQLITE_IOERR where isWriting:
            self = .writeFailed(path: path, detail, isDiskFull: false)
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            // Ferry's own processes take turns by the write lock, so another program holds this one.
            self = .unavailable(path: path, "another program keeps it locked (\(detail))")
        default:
            self = .unavailable(path: path, detail)
        }
    }

    /// Whether the free space is smaller than the smallest step by which SQLite's files grow.
    private static func isDiskFull(at path: String) -> Bool {
        // During its creation, a store has no file of that name yet.
        let directory = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
        var status = statvfs()
        guard statvfs(directory, &status) == 0 else { return false }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize) < smallestGrowth
    }

    /// Whether one of the store's files has reached this process's file size limit (`ulimit -f`). SQLite then
    /// reports only an I/O error.
    private static func isAtLimit(_ path: String) -> Bool {
        var limits = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits) == 0 else { return false }
        // A store has another name during its creation.
        return ["", "-wal", "-shm", ".new", ".new-wal", ".new-shm"].contains { suffix in
            var status = stat()
            guard stat(path + suffix, &status) == 0 else { return false }
            return UInt64(status.st_size) + smallestGrowth >= UInt64(limits.rlim_cur)
        }
    }

    /// The step by which the index of the log grows, in bytes.
    private static let smallestGrowth: UInt64 = 32 * 1024

    /// A failed system call on `path`, with the kernel's message.
    init(systemCall error: Int32, on path: String) {
        let detail = String(cString: strerror(error))
        self =
            error == ENOSPC || error == EDQUOT
            ? .writeFailed(path: path, detail, isDiskFull: true) : .unavailable(path: path, detail)
    }
}
