import NIOConcurrencyHelpers

/// A door for threads: closed, it holds whoever comes; open, it lets all pass.
final class ThreadGate: Sendable {
    private let lock = ConditionLock(value: false)
    private let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
    private let (openings, opened) = AsyncStream.makeStream(of: Void.self)

    /// Blocks the calling thread until the gate is open.
    func pass() {
        arrived.yield()
        lock.lock(whenValue: true)
        lock.unlock()
    }

    /// Suspends until the gate is open.
    func waitUntilOpen() async {
        for await _ in openings { return }
    }

    /// Opens the gate for good.
    func open() {
        opened.finish()
        lock.lock()
        lock.unlock(withValue: true)
    }

    /// Waits until somebody stands at the gate.
    func waitForArrival() async {
        for await _ in arrivals { return }
    }
}
