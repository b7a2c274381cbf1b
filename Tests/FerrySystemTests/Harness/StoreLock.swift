import Foundation
import Glibc

/// The lock under which a store is written, held by a test, as by a process that hangs in the middle of a write.
final class StoreLock {
    private let descriptor: Int32
    private let inode: UInt64

    /// Waits until nobody writes, and takes the lock.
    init(of sandbox: Sandbox) throws {
        descriptor = open(sandbox.data + "/ferry.lock", O_RDWR | O_CLOEXEC)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0, flock(descriptor, LOCK_EX) == 0 else {
            throw POSIXError(.init(rawValue: errno) ?? .EIO)
        }
        inode = UInt64(status.st_ino)
    }

    /// Lets others write again.
    func release() {
        // A process that is just being started has a copy of the descriptor, so it is not enough to close it.
        flock(descriptor, LOCK_UN)
    }

    deinit {
        release()
        close(descriptor)
    }

    /// Whether a process waits for the lock; the kernel marks those who wait with an arrow.
    func isAwaited(by process: pid_t) throws -> Bool {
        try String(contentsOfFile: "/proc/locks", encoding: .utf8).split(separator: "\n").contains { line in
            let words = line.split(separator: " ")
            return words.count > 6 && words[1] == "->" && words[5] == "\(process)"
                && words[6].hasSuffix(":\(inode)")
        }
    }
}
