import FerryCore
import Synchronization

/// Sees that nothing is begun beside a transfer that may be what kills the process, and that it has its turn.
final class SuspectWatch: Sendable {
    private struct State {
        /// The claim of the suspect that is on probation. Nothing else is begun meanwhile.
        var alone: Claim?
        /// Since when a suspect has waited for this engine to run nothing.
        var waitingSince: Instant?
        /// Whether nothing is begun so that it gets there.
        var isMakingRoom = false
    }

    /// How long a suspect waits for an engine that is busy.
    static let patience: Duration = .seconds(60)

    private let state = Mutex(State())

    /// A suspect begins its probation.
    func began(_ claim: Claim) {
        state.withLock { $0 = State(alone: claim) }
    }

    /// The probation of a suspect is over, and its process lives.
    ///
    /// The caller measures the probation with a timer. The time of day may be set back meanwhile.
    func outlived(_ claim: Claim) {
        state.withLock { if $0.alone == claim { $0.alone = nil } }
    }

    /// An attempt is over, and its process lives.
    func ended(_ id: TransferID) {
        state.withLock { if $0.alone?.transfer == id { $0.alone = nil } }
    }

    /// Whether nothing may be begun now.
    func holdsBack(isIdle: Bool) -> Bool {
        state.withLock { state in
            if isIdle { state = State() }
            return state.alone != nil || state.isMakingRoom
        }
    }

    /// Takes note of whether a suspect waits; returns whether what runs is to make room for it, once.
    func note(isWaiting: Bool, at now: Instant) -> Bool {
        state.withLock { state in
            guard isWaiting, state.alone == nil else {
                state.waitingSince = nil
                return false
            }
            // If the clock was set back, the wait starts again.
            let since = min(state.waitingSince ?? now, now)
            state.waitingSince = since
            guard !state.isMakingRoom, since.duration(to: now) >= Self.patience else { return false }
            state.isMakingRoom = true
            return true
        }
    }
}
