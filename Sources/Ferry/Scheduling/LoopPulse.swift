import Synchronization

/// Answers whether the scheduler's loop makes rounds.
///
/// A caller is answered after the next whole round. So a loop that is stuck, in the store or anywhere else, never
/// answers.
final class LoopPulse: Sendable {
    private struct State {
        var phase = Phase.before
        var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
        var latest = 0
    }

    private enum Phase {
        /// The loop has not begun; callers wait for it. Exits to `running`, or to `over` if it cannot begin.
        case before
        /// The loop runs. Exits to `over`.
        case running
        /// The loop has ended. Exits to `running` when it begins again.
        case over
    }

    private let state = Mutex(State())

    /// Callers that asked before a round, and are answered after it.
    struct Round {
        fileprivate let waiting: [Int]
    }

    /// Waits for a whole round that begins after this call; `wake` makes the loop look.
    ///
    /// - Returns: whether there was one; `false` when the loop has ended, or the task is cancelled.
    func beat(waking wake: @Sendable () -> Void) async -> Bool {
        let number = state.withLock { state in
            state.latest += 1
            return state.latest
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isWaiting = state.withLock { state in
                    // Checked under the lock: the handler below may already have run.
                    guard state.phase != .over, !Task.isCancelled else { return false }
                    state.waiting[number] = continuation
                    return true
                }
                if isWaiting { wake() } else { continuation.resume(returning: false) }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(returning: false)
        }
    }

    /// Notes that the loop begins.
    func begin() {
        state.withLock { $0.phase = .running }
    }

    /// Notes that a round begins.
    func beginRound() -> Round {
        Round(waiting: state.withLock { $0.waiting.keys.sorted() })
    }

    /// Notes that a round has ended, and answers its callers.
    func end(_ round: Round) {
        let waiting = state.withLock { state in
            round.waiting.compactMap { state.waiting.removeValue(forKey: $0) }
        }
        for continuation in waiting { continuation.resume(returning: true) }
    }

    /// Notes that the loop has ended, or could not begin.
    func finish() {
        let waiting = state.withLock { state in
            defer {
                state.phase = .over
                state.waiting = [:]
            }
            return state.waiting.sorted { $0.key < $1.key }.map(\.value)
        }
        for continuation in waiting { continuation.resume(returning: false) }
    }
}
