import FerryCore
import Synchronization

/// A token bucket that many connections share.
final class SharedBucket: RateLimiter {
    private struct State {
        var bucket = TokenBucket()
        /// What was asked for last. It comes into force with the next call, which knows what the connections' clock
        /// shows; whoever waits makes one four times a second.
        var limit: RateLimit
        /// How many parts came one after the other that nobody had to wait for.
        var freeTakes = SharedBucket.fewTakes

        mutating func settled(at now: Duration) {
            guard bucket.limit != limit else { return }
            bucket.change(to: limit, at: now)
        }
    }

    /// After so many parts without a wait it is not the limit that sets the speed: more than a burst lets through.
    private static let fewTakes = 16

    private let state: Mutex<State>

    /// Creates an empty bucket.
    init(_ limit: RateLimit = .off) {
        state = Mutex(State(limit: limit))
    }

    var limit: RateLimit { state.withLock { $0.limit } }

    /// Whether it is this limit that sets the speed, so that more connections could bring nothing more.
    var setsTheSpeed: Bool { state.withLock { $0.freeTakes < Self.fewTakes } }

    /// Changes the limit, also for those who wait.
    func set(_ limit: RateLimit) {
        state.withLock { $0.limit = limit }
    }

    func take(_ bytes: Int64, at now: Duration) -> TokenBucket.Ticket {
        state.withLock { state in
            state.settled(at: now)
            let ticket = state.bucket.take(bytes, at: now)
            let isFree = state.bucket.wait(for: ticket, at: now) == .zero
            state.freeTakes = isFree ? min(state.freeTakes + 1, Self.fewTakes) : 0
            return ticket
        }
    }

    func wait(for ticket: TokenBucket.Ticket, at now: Duration) -> Duration {
        state.withLock { state in
            state.settled(at: now)
            return state.bucket.wait(for: ticket, at: now)
        }
    }
}
