internal import NIOPosix
internal import Synchronization

/// The threads for blocking calls: reads and writes of files, syncs, directory lookups.
///
/// No event loop and no thread of Swift's cooperative pool may wait for a disk. The first would stop all its
/// connections, the second every task of the process. There are few of these threads, because more do not
/// make a disk faster. If no thread is free, work waits in line, in order.
package struct IOThreads: Sendable {
    private let pool: NIOThreadPool
    private let start: Start

    private final class Start: Sendable {
        /// Whether the threads have been started, or never will be.
        let isOver = Atomic(false)
        /// Prevents a start and the shutdown from running at the same time.
        let turn = Mutex(())
    }

    /// Creates threads, which start with the first work: a program that only writes to a store needs none.
    ///
    /// - Parameter count: the number of threads; at least one.
    package init(count: Int = 4) {
        pool = NIOThreadPool(numberOfThreads: max(1, count))
        start = Start()
    }

    private func begin() {
        guard !start.isOver.load(ordering: .acquiring) else { return }
        start.turn.withLock { _ in
            guard !start.isOver.load(ordering: .relaxed) else { return }
            pool.start()
            start.isOver.store(true, ordering: .releasing)
        }
    }

    /// Runs `work` on one of the threads and returns its result.
    ///
    /// Started work is finished even if the task is cancelled, so that a caller always learns the result of a
    /// write. Work still in line when the task is cancelled runs as well.
    ///
    /// - Throws: what `work` throws; ``Stopped`` when the threads have been shut down.
    package func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        begin()
        return try await withCheckedThrowingContinuation { continuation in
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
    package func submit(_ work: @escaping @Sendable (_ isRunning: Bool) -> Void) {
        begin()
        pool.submit { state in work(state == .active) }
    }

    /// Waits for running work and ends the threads. Work in line is refused.
    package func shutdown() async throws {
        start.turn.withLock { _ in start.isOver.store(true, ordering: .releasing) }
        try await pool.shutdownGracefully()
    }

    /// The threads have been shut down.
    package struct Stopped: Error, Hashable, Sendable {
        /// Creates the error.
        package init() {}
    }
}
