internal import NIOPosix

/// The threads for blocking calls: reads and writes of files, syncs, directory lookups.
///
/// No event loop and no thread of Swift's cooperative pool may wait for a disk. The first would stop all its
/// connections, the second every task of the process. There are few of these threads, because more do not
/// make a disk faster. Work that finds none free waits in line, in order.
public struct IOThreads: Sendable {
    private let pool: NIOThreadPool

    /// Starts threads.
    ///
    /// - Parameter count: the number of threads; at least one.
    public init(count: Int = 4) {
        pool = NIOThreadPool(numberOfThreads: max(1, count))
        pool.start()
    }

    /// Runs `work` on one of the threads and returns its result.
    ///
    /// Started work is finished even if the task is cancelled, so that a caller always learns the result of a
    /// write. Work still in line when the task is cancelled runs as well.
    ///
    /// - Throws: what `work` throws; ``Stopped`` when the threads have been shut down.
    public func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            pool.submit { state in
                guard state == .active else { return continuation.resume(throwing: Stopped()) }
                continuation.resume(with: Result(catching: work))
            }
        }
    }

    /// Gives `work` to the threads and returns at once.
    ///
    /// - Parameter work: called exactly once. After the threads have been shut down it is called with
    ///   `false`, possibly on the calling thread, so that a waiting caller can be told.
    public func submit(_ work: @escaping @Sendable (_ isRunning: Bool) -> Void) {
        pool.submit { state in work(state == .active) }
    }

    /// Waits for running work and ends the threads. Work in line is refused.
    public func shutdown() async throws {
        try await pool.shutdownGracefully()
    }

    /// The threads have been shut down.
    public struct Stopped: Error, Hashable, Sendable {
        /// Creates the error.
        public init() {}
    }
}
