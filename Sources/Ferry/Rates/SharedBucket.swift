import FerryCore
import Synchronization

/// A token bucket that many connections share.
final class SharedBucket: RateLimiter {
    private struct State {
        var bucket = TokenBucket()
        /// What was asked for last. It comes into force with the next call, which knows what the connections' clock
        /// shows; whoever waits makes one four times a second.
        var limit: RateLimit

        mutating func settled(at now: Duration) {
            if bucket.limit != limit { bucket.change(to: limit, at: now) }
        }
    }

    private let state: Mutex<State>

    /// Creates an empty bucket.
    init(_ limit: RateLimit = .off) {
        state = Mutex(State(limit: limit))
    }

    var limit: RateLimit { state.withLock { $0.limit } }

    /// Changes the limit, also for those who wait.
    func set(_ limit: RateLimit) {
        state.withLock { $0.limit = limit }
    }

    func take(_ bytes: Int64, at now: Duration) -> TokenBucket.Ticket {
        state.withLock { state in
            state.settled(at: now)
            return state.bucket.take(bytes, at: now)
        }
    }

    func wait(for ticket: TokenBucket.Ticket, at now: Duration) -> Duration {
        state.withLock { state in
            state.settled(at: now)
            return state.bucket.wait(for: ticket, at: now)
        }
    }
}
