/// A target for bytes.
package protocol ByteSink: Sendable {
    /// Writes all of `bytes`, the first one at `offset`, or throws.
    ///
    /// Blocks. It is called on an I/O thread, never on Swift's cooperative pool, and on an event loop only if the sink is quick.
    /// Two calls never write overlapping offsets at the same time.
    func write(_ bytes: RawSpan, at offset: Int64) throws(StorageProblem)

    /// Whether a write usually only copies bytes into memory, so that it takes no longer than their way out of a socket. The
    /// answer must not block.
    var isQuick: Bool { get }
}

extension ByteSink {
    /// A sink whose writes compute, compare or may wait for a network.
    package var isQuick: Bool { false }
}

/// A failure of a file system call.
public struct StorageProblem: Error, Hashable, Sendable {
    /// The problem, classified: a full disk is a condition, a disk fault is permanent.
    package var problem: Problem
    /// The kernel's error number; 0 if there was none.
    package var errno: Int32

    /// Creates a storage problem.
    package init(_ problem: Problem, errno: Int32) {
        self.problem = problem
        self.errno = errno
    }
}

extension StorageProblem {
    /// Whether a file or directory is not there: the kernel's `ENOENT`.
    package var isAbsence: Bool { errno == 2 }

    /// The bytes at a place are not those that came for it before.
    package static let bytesDiffer = StorageProblem(.bytesDiffer, errno: 0)

    /// Sealed bytes on the disk do not open.
    package static let sealedBytesDamaged = StorageProblem(.sealedBytesDamaged, errno: 0)
}

extension StorageProblem: CustomStringConvertible {
    /// What happened, in one sentence for a person.
    public var description: String { problem.description }
}
