import FerryTesting
import NIOConcurrencyHelpers

/// A door for threads: closed, it holds all who come; open, it lets them pass.
///
/// Each wait ends with an error when its task is cancelled. A thread at the gate cannot be cancelled: a test that holds
/// one opens the gate in a `defer`.
final class ThreadGate: Sendable {
    private struct State {
        var arrivals = 0
        var isOpen = false
    }

    private let lock = ConditionLock(value: false)
    private let state = Watched(State())

    /// Blocks the calling thread until the gate is open.
    func pass() {
        state.withLock { $0.arrivals += 1 }
        lock.lock(whenValue: true)
        lock.unlock()
    }

    /// Suspends until the gate is open.
    func waitUntilOpen() async throws {
        try await state.wait { $0.isOpen }
    }

    /// Opens the gate for good.
    func open() {
        state.withLock { $0.isOpen = true }
        lock.lock()
        lock.unlock(withValue: true)
    }

    /// Waits until another thread stands at the gate.
    func waitForArrival() async throws {
        try await state.wait { state in
            guard state.arrivals > 0 else { return false }
            state.arrivals -= 1
            return true
        }
    }
}
