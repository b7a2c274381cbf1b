import FerryCore
import Synchronization

/// Whether the application is active, and what follows from it for the transfers of this process.
///
/// Nothing of it is written down: what one process may not run now, another may.
final class ApplicationGate: Sendable {
    private struct State {
        var policy: BackgroundPolicy?
        /// Whether somebody looks at the gate.
        var isAttended = false
        /// Whether all were let go since it was closed.
        var isQuiet = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Whether transfers may be begun.
    var mayBegin: Bool { state.withLock { $0.policy ?? .goOn == .goOn } }

    /// Whether those that run are to be let go.
    var letsGo: Bool { state.withLock { $0.policy == .stop } }

    /// Whether all are let go that are to be.
    var isQuiet: Bool { state.withLock { $0.isQuiet } }

    /// The application is in the background. Where nothing is to be let go any more, nobody waits for that.
    func close(_ policy: BackgroundPolicy) {
        let waiting = state.withLock { state in
            state.policy = policy
            state.isQuiet = false
            guard policy != .stop else { return [CheckedContinuation<Void, Never>]() }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// The application is active again.
    ///
    /// - Returns: what held until now.
    func open() -> BackgroundPolicy? {
        let (policy, waiting) = state.withLock { state in
            defer {
                state.policy = nil
                state.waiting = []
            }
            return (state.policy, state.waiting)
        }
        for continuation in waiting { continuation.resume() }
        return policy
    }

    /// Returns when all are let go that are to be; at once when nobody runs any.
    ///
    /// - Parameter ask: makes the scheduler look. It is called when nothing that it finds can be missed any more.
    func quiet(asking ask: () -> Void) async {
        await withCheckedContinuation { continuation in
            let isQuiet = state.withLock { state in
                guard state.isAttended, state.policy == .stop else { return true }
                state.waiting.append(continuation)
                return false
            }
            if isQuiet { continuation.resume() }
            ask()
        }
    }

    /// Nothing runs any more.
    func becameQuiet() {
        let waiting = state.withLock { state in
            guard state.policy == .stop else { return [CheckedContinuation<Void, Never>]() }
            state.isQuiet = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Somebody looks at the gate from now on, or no longer.
    func attend(_ isAttended: Bool) {
        state.withLock { $0.isAttended = isAttended }
        if !isAttended { becameQuiet() }
    }

    /// A transfer as those see it who look on from this process: what could run waits for the application.
    func seen(_ transfer: Transfer) -> Transfer {
        guard transfer.state == .queued, !mayBegin else { return transfer }
        var seen = transfer
        seen.state = .waiting(.applicationInactive)
        return seen
    }
}
