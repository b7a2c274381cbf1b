import FerryCore
import Foundation
import Synchronization

/// The lock under which every write transaction, checkpoint, migration and last close of a store happens.
///
/// SQLite before 3.51.3 can corrupt a WAL database when two connections write and checkpoint in the same
/// instant, so Ferry's processes take turns before SQLite is asked. The lock is a `flock` on a file of its own:
/// unlike SQLite's POSIX locks it belongs to the open file, so two stores in one process exclude each other too.
///
/// `lock` blocks, so it is only called on a store's own dispatch queue, never on Swift's cooperative threads.
final class WriteLock: Sendable {
    /// The path of the lock file.
    let path: String
    /// Whether this object brought the lock file into being.
    let wasCreated: Bool
    private let descriptor: Mutex<Int32>

    /// Opens the lock file, and creates it when it is not there.
    init(path: String) throws(StoreError) {
        self.path = path
        let created = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if created >= 0 {
            wasCreated = true
            descriptor = Mutex(created)
        } else {
            wasCreated = false
            descriptor = Mutex(try Self.openFile(path))
        }
    }

    deinit {
        _ = close(descriptor.withLock { $0 })
    }

    /// Waits until no other store holds the lock, and takes it.
    ///
    /// - Parameter willWait: called once when somebody else holds it.
    func lock(willWait: () -> Void) throws(StoreError) {
        while true {
            if descriptor.withLock({ $0 == Self.closed }) { try reopen() }
            let file = descriptor.withLock { $0 }
            if try !take(file, LOCK_EX | LOCK_NB) {
                willWait()
                _ = try take(file, LOCK_EX)
            }
            if try refersToPath(file) { return }
            // Somebody removed the lock file: whoever comes next locks another one. Move to the file that all
            // others will meet.
            try reopen()
        }
    }

    /// Lets the next writer in.
    func unlock() {
        guard flock(descriptor.withLock { $0 }, LOCK_UN) != 0 else { return }
        // A file system over a network may fail here. To close the file gives the lock up as well; the next writer
        // opens it anew.
        let former = descriptor.withLock { descriptor in
            defer { descriptor = Self.closed }
            return descriptor
        }
        _ = close(former)
    }

    /// Stands for a descriptor that is not open.
    private static let closed: Int32 = -1

    /// Removes a lock file that was only created to look at something that turned out to be no store.
    func removeFile() {
        // A lock file that stays behind does no harm, so the result does not matter.
        _ = unlink(path)
    }

    private func take(_ file: Int32, _ operation: Int32) throws(StoreError) -> Bool {
        while flock(file, operation) != 0 {
            if errno == EINTR { continue }
            if errno == EWOULDBLOCK { return false }
            if [ENOSYS, ENOTSUP, EOPNOTSUPP, ENOLCK].contains(errno) {
                let detail =
                    "its file system cannot lock files. Choose a directory on a local disk with --data-dir"
                throw StoreError.unavailable(path: path, detail)
            }
            throw StoreError(systemCall: errno, on: path)
        }
        return true
    }

    /// Whether a locked file still has the name; it is unlocked when that cannot be told.
    private func refersToPath(_ file: Int32) throws(StoreError) -> Bool {
        do throws(StoreError) {
            guard let named = try FileStatus(path: path) else { return false }
            return try FileStatus(descriptor: file, path: path).identity == named.identity
        } catch {
            unlock()
            throw error
        }
    }

    private func reopen() throws(StoreError) {
        let fresh = try Self.openFile(path)
        let former = descriptor.withLock { descriptor in
            let former = descriptor
            descriptor = fresh
            return former
        }
        if former != Self.closed { _ = close(former) }
    }

    private static func openFile(_ path: String) throws(StoreError) -> Int32 {
        let file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if file < 0 { throw StoreError(systemCall: errno, on: path) }
        return file
    }
}
