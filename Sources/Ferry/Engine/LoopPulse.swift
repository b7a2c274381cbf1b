import Synchronization

/// Answers whether the scheduler's loop goes round.
///
/// Who asks is answered after the next whole round, so a loop that is stuck, in the store or anywhere else, answers
/// nobody.
final class LoopPulse: Sendable {
    private struct State {
        var phase = Phase.before
        var waiting: [CheckedContinuation<Bool, Never>] = []
    }

    private enum Phase {
        /// The loop has not begun yet; who asks waits for it. Exits to `running`, or to `over` when it cannot begin.
        case before
        /// The loop runs. Exits to `over`.
        case running
        /// The loop has ended; exits to `running` when it begins anew.
        case over
    }

    private let state = Mutex(State())

    /// Those who asked before a round, to be answered after it.
    struct Round {
        fileprivate let waiting: [CheckedContinuation<Bool, Never>]
    }

    /// Waits for a whole round that begins after this call; `wake` makes the loop look.
    ///
    /// - Returns: whether there was one; `false` when the loop has ended.
    func beat(waking wake: @Sendable () -> Void) async -> Bool {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.phase != .over { state.waiting.append(continuation) }
                return state.phase == .over
            }
            if isOver { continuation.resume(returning: false) } else { wake() }
        }
    }

    /// The loop begins.
    func begin() {
        state.withLock { $0.phase = .running }
    }

    /// A round begins.
    func beginRound() -> Round {
        Round(
            waiting: state.withLock { state in
                defer { state.waiting = [] }
                return state.waiting
            }
        )
    }

    /// A round has ended.
    func end(_ round: Round) {
        for continuation in round.waiting { continuation.resume(returning: true) }
    }

    /// The loop has ended, or could not begin.
    func finish() {
        let waiting = state.withLock { state in
            defer { state = State(phase: .over) }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: false) }
    }
}
