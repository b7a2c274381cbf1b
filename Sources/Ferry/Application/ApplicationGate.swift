import FerryCore
import Synchronization

/// Whether the application is active, and which transfers of this process may run.
///
/// This is not recorded: a transfer that one process may not run now, another process may run.
final class ApplicationGate: Sendable {
    private struct State {
        var policy: BackgroundPolicy?
        /// Whether a scheduler watches the gate.
        var isAttended = false
        /// Whether every transfer was released since the gate was closed.
        var isQuiet = false
        /// How often the gate was closed or opened.
        var moves = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Whether the application is in the background.
    var isInBackground: Bool { state.withLock { $0.policy != nil } }

    /// Whether transfers that may run in the background may start.
    var mayBegin: Bool { state.withLock { $0.policy ?? .keepRunning == .keepRunning } }

    /// Whether all running transfers must be released.
    var letsGo: Bool { state.withLock { $0.policy == .stop } }

    /// Whether a transfer must be released while it runs.
    func releases(_ transfer: Transfer) -> Bool {
        guard let policy = state.withLock({ $0.policy }) else { return false }
        return policy == .stop || !transfer.runsInBackground
    }

    /// Whether every transfer that must be released has been released.
    var isQuiet: Bool { state.withLock { $0.isQuiet } }

    /// How often the gate was closed or opened, for ``becameQuiet(since:)``.
    var moves: Int { state.withLock { $0.moves } }

    /// Notes that the application is in the background. Unless `policy` is `stop`, earlier calls of ``quiet(asking:)``
    /// return.
    func close(_ policy: BackgroundPolicy) {
        let waiting = state.withLock { state in
            state.policy = policy
            state.isQuiet = false
            state.moves += 1
            guard policy != .stop else { return [CheckedContinuation<Void, Never>]() }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Notes that the application is active again.
    ///
    /// - Returns: the policy until now.
    func open() -> BackgroundPolicy? {
        let (policy, waiting) = state.withLock { state in
            defer {
                state.policy = nil
                state.moves += 1
                state.waiting = []
            }
            return (state.policy, state.waiting)
        }
        for continuation in waiting { continuation.resume() }
        return policy
    }

    /// Returns when every transfer that must be released has been released; at once when no scheduler watches the gate.
    ///
    /// - Parameter ask: makes the scheduler look. It is called after this call waits, so that no answer is missed.
    func quiet(asking ask: () -> Void) async {
        await withCheckedContinuation { continuation in
            let isQuiet = state.withLock { state in
                guard state.isAttended, state.policy != nil else { return true }
                state.waiting.append(continuation)
                return false
            }
            if isQuiet { continuation.resume() }
            ask()
        }
    }

    /// Notes that no transfer runs any more that must be released.
    ///
    /// - Parameter moves: the value of ``moves`` when the look at the transfers began. The result of that look says
    ///   nothing about another policy.
    func becameQuiet(since moves: Int) {
        let waiting = state.withLock { state in
            guard state.policy != nil, state.moves == moves else {
                return [CheckedContinuation<Void, Never>]()
            }
            state.isQuiet = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Notes whether a scheduler watches the gate.
    func attend(_ isAttended: Bool) {
        state.withLock { $0.isAttended = isAttended }
        if !isAttended { becameQuiet(since: moves) }
    }

    /// A transfer as observers in this process see it: a queued one waits for the application while it may not start.
    func seen(_ transfer: Transfer) -> Transfer {
        guard transfer.state == .queued, !mayBegin || releases(transfer) else { return transfer }
        var seen = transfer
        seen.state = .waiting(.applicationInactive)
        return seen
    }
}
