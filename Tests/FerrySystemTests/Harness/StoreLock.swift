import Foundation
import Glibc

/// The write lock of a store, held by a test in place of a process that hangs in the middle of a write.
final class StoreLock {
    private let descriptor: Int32
    private let inode: UInt64

    /// Waits until no process writes, and takes the lock.
    init(of sandbox: Sandbox) throws {
        descriptor = open(sandbox.data + "/ferry.lock", O_RDWR | O_CLOEXEC)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0, flock(descriptor, LOCK_EX) == 0 else {
            throw POSIXError(.init(rawValue: errno) ?? .EIO)
        }
        inode = UInt64(status.st_ino)
    }

    /// Releases the lock.
    func release() {
        // Closing the descriptor is not enough: a process that is being started may have a copy of it.
        flock(descriptor, LOCK_UN)
    }

    deinit {
        release()
        close(descriptor)
    }

    /// Whether a process waits for the lock. The kernel marks waiting processes with an arrow.
    func isAwaited(by process: pid_t) throws -> Bool {
        try String(contentsOfFile: "/proc/locks", encoding: .utf8).split(separator: "\n").contains { line in
            let words = line.split(separator: " ")
            return words.count > 6 && words[1] == "->" && words[5] == "\(process)"
                && words[6].hasSuffix(":\(inode)")
        }
    }
}
