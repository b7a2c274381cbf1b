import Synchronization

/// Answers whether the scheduler's loop goes round.
///
/// Who asks is answered after the next whole round, so a loop that is stuck, in the store or anywhere else, answers
/// nobody.
final class LoopPulse: Sendable {
    private struct State {
        var phase = Phase.before
        var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
        var latest = 0
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
                    // Looked at under the lock: the handler below may have run before anybody waited.
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

    /// The loop begins.
    func begin() {
        state.withLock { $0.phase = .running }
    }

    /// A round begins.
    func beginRound() -> Round {
        Round(waiting: state.withLock { $0.waiting.keys.sorted() })
    }

    /// A round has ended.
    func end(_ round: Round) {
        let waiting = state.withLock { state in
            round.waiting.compactMap { state.waiting.removeValue(forKey: $0) }
        }
        for continuation in waiting { continuation.resume(returning: true) }
    }

    /// The loop has ended, or could not begin.
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
