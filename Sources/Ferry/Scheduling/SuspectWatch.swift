import FerryCore
import Synchronization

/// Ensures that nothing starts beside a transfer that may kill the process, and that this transfer gets its turn.
final class SuspectWatch: Sendable {
    private struct State {
        /// The claim of the suspect on probation. Nothing else starts meanwhile.
        var alone: Claim?
        /// Since when a suspect has waited for this engine to be idle.
        var waitingSince: Instant?
        /// Whether nothing starts, so that the engine becomes idle.
        var isMakingRoom = false
    }

    /// How long a suspect waits for a busy engine.
    static let patience: Duration = .seconds(60)

    private let state = Mutex(State())

    /// Notes that a suspect begins its probation.
    func began(_ claim: Claim) {
        state.withLock { $0 = State(alone: claim) }
    }

    /// Notes that a suspect has survived its probation.
    ///
    /// The caller measures the probation with a timer. The time of day may be set back meanwhile.
    func outlived(_ claim: Claim) {
        state.withLock { if $0.alone == claim { $0.alone = nil } }
    }

    /// Notes that an attempt is over and its process lives.
    func ended(_ id: TransferID) {
        state.withLock { if $0.alone?.transfer == id { $0.alone = nil } }
    }

    /// Whether nothing may start now.
    func holdsBack(isIdle: Bool) -> Bool {
        state.withLock { state in
            if isIdle { state = State() }
            return state.alone != nil || state.isMakingRoom
        }
    }

    /// Notes whether a suspect waits; returns whether running transfers must make room for it, once.
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
