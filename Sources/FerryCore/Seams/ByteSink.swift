/// Something that bytes are written to.
public protocol ByteSink: Sendable {
    /// Writes all of `bytes` so that the first one is at `offset`, or throws.
    ///
    /// Blocks. It is called on a thread for I/O, never on an event loop and never on Swift's cooperative pool,
    /// and never twice at once for overlapping offsets.
    func write(_ bytes: RawSpan, at offset: Int64) throws(StorageProblem)
}

/// A failure of a file system call.
public struct StorageProblem: Error, Hashable, Sendable {
    /// The problem, classified: a full disk is a condition, a defect of the disk is permanent.
    public var problem: Problem
    /// The number that the kernel gave, 0 where there was none.
    public var errno: Int32

    /// Creates a storage problem.
    public init(_ problem: Problem, errno: Int32) {
        self.problem = problem
        self.errno = errno
    }
}

extension StorageProblem: CustomStringConvertible {
    /// What happened, in one sentence for a person.
    public var description: String { problem.description }
}
