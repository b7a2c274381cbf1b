import FerryCore
import Foundation
import Synchronization

/// The lock for every write transaction, checkpoint, migration and last close of a store.
///
/// SQLite before 3.51.3 can corrupt a WAL database when two connections write and checkpoint at the same
/// instant. So Ferry's processes take turns before they call SQLite. The lock is a `flock` on its own file.
/// Unlike SQLite's POSIX locks it belongs to the open file, so two stores in one process exclude each other
/// too.
///
/// `lock` blocks, so it is only called on a store's own dispatch queue, never on Swift's cooperative threads.
final class WriteLock: Sendable {
    /// The path of the lock file.
    let path: String
    /// Whether this object created the lock file.
    let wasCreated: Bool
    private let descriptor: Mutex<Int32>

    /// Opens the lock file, or creates it.
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
    /// - Parameter willWait: called once when another store holds it.
    func lock(willWait: () -> Void) throws(StoreError) {
        while true {
            if descriptor.withLock({ $0 == Self.closed }) { try reopen() }
            let file = descriptor.withLock { $0 }
            if try !take(file, LOCK_EX | LOCK_NB) {
                willWait()
                _ = try take(file, LOCK_EX)
            }
            if try refersToPath(file) { return }
            // The lock file was removed, so the next process will lock a new file. Move to the file that all
            // others will open.
            try reopen()
        }
    }

    /// Lets the next writer in.
    func unlock() {
        guard flock(descriptor.withLock { $0 }, LOCK_UN) != 0 else { return }
        // On a network file system this may fail. Closing the file releases the lock as well; the next writer
        // opens it again.
        let former = descriptor.withLock { descriptor in
            defer { descriptor = Self.closed }
            return descriptor
        }
        _ = close(former)
    }

    /// The value for a descriptor that is not open.
    private static let closed: Int32 = -1

    /// Removes a lock file that was created only to inspect a file that is not a store.
    func removeFile() {
        // A leftover lock file does no harm, so the result does not matter.
        _ = unlink(path)
    }

    private func take(_ file: Int32, _ operation: Int32) throws(StoreError) -> Bool {
        while flock(file, operation) != 0 {
            if errno == EINTR { continue }
            if errno == EWOULDBLOCK { return false }
            if [ENOSYS, ENOTSUP, EOPNOTSUPP, ENOLCK].contains(errno) {
                throw StoreError.unavailable(
                    path: path,
                    "its file system cannot lock files, unlike a local one",
                    [.chooseOtherStore]
                )
            }
            throw StoreError(systemCall: errno, on: path)
        }
        return true
    }

    /// Whether the path still names the locked file; unlocks it when that cannot be determined.
    private func refersToPath(_ file: Int32) throws(StoreError) -> Bool {
        do throws(StoreError) {
            guard let named = try StoreFileStatus(path: path) else { return false }
            return try StoreFileStatus(descriptor: file, path: path).identity == named.identity
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
