import FerryCore
import Synchronization

/// A bound that can be moved nearer, as long as the bytes after it have not been granted.
final class MovableBound: BodyBound {
    private struct State {
        var end: Int64?
        /// Bytes before this offset may be written, or have been.
        var granted: Int64
    }

    private let state: Mutex<State>

    /// Creates a bound for a body that begins at `offset`. The body is unbounded until it is shortened.
    init(at offset: Int64) {
        state = Mutex(State(end: nil, granted: offset))
    }

    /// Moves the bound to `end`.
    ///
    /// - Returns: `false`, without a change, if the bound is already nearer or bytes after `end` may be written.
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
