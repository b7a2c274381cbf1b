import FerryCore
import Synchronization

/// A bound that can be brought nearer, as long as what lies behind it has not been granted.
final class MovableBound: BodyBound {
    private struct State {
        var end: Int64?
        /// Everything before this offset may be written, or has been.
        var granted: Int64
    }

    private let state: Mutex<State>

    /// A bound for a body that begins at `offset`; until it is shortened, the body goes as far as it goes.
    init(at offset: Int64) {
        state = Mutex(State(end: nil, granted: offset))
    }

    /// Brings the bound to `end`.
    ///
    /// - Returns: `false`, changing nothing, when it lies nearer already or bytes behind it may be written.
    func shorten(to end: Int64) -> Bool {
        state.withLock { state in
            guard end < state.end ?? .max, end >= state.granted else { return false }
            state.end = end
            return true
        }
    }

    func grant(upTo offset: Int64) -> BodyGrant {
        state.withLock { state in
            let allowed = min(offset, state.end ?? .max)
            state.granted = max(state.granted, allowed)
            return BodyGrant(upTo: allowed, isLast: allowed == state.end)
        }
    }
}
