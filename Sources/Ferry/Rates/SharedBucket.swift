import FerryCore
import Synchronization

/// A token bucket that many connections share.
final class SharedBucket: RateLimiter {
    private struct State {
        var bucket = TokenBucket()
        /// The requested limit. It takes effect with the next call, which knows the time of the connections' clock; a
        /// waiting connection calls four times a second.
        var limit: RateLimit

        mutating func settled(at now: Duration) {
            guard bucket.limit != limit else { return }
            bucket.change(to: limit, at: now)
        }

        /// Turns the limit off at once, because no later take would. The next limit begins without tokens, and does not set
        /// the speed before a take has to wait.
        mutating func turnOff() {
            // At the beginning of time nothing is granted.
            bucket.change(to: .off, at: .zero)
        }
    }

    private let state: Mutex<State>
    /// Whether the limit is off, without the lock: mostly there is no limit, and each read of each connection asks.
    private let off: Atomic<Bool>

    /// Creates an empty bucket.
    init(_ limit: RateLimit = .off) {
        state = Mutex(State(limit: limit))
        off = Atomic(limit == .off)
    }

    var limit: RateLimit { state.withLock { $0.limit } }

    var isOff: Bool { off.load(ordering: .relaxed) }

    /// Whether this limit sets the speed, so that more connections would gain nothing.
    var setsTheSpeed: Bool { state.withLock { $0.bucket.setsTheSpeed } }

    /// Changes the limit, also for connections that wait.
    func set(_ limit: RateLimit) {
        state.withLock { state in
            state.limit = limit
            if limit == .off { state.turnOff() }
            off.store(limit == .off, ordering: .relaxed)
        }
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
