import FerryCore
import FerryTesting

/// A limiter that a test shuts and opens.
final class ManualLimiter: RateLimiter {
    private struct State {
        var bucket = TokenBucket()
        var taken: Int64 = 0
        var limit = RateLimit.off
        var isShut = false
        /// How often a connection was told to wait.
        var holds = 0
    }

    private let state = Watched(State())

    /// The bytes that were counted.
    var taken: Int64 { state.withLock { $0.taken } }
    var limit: RateLimit { state.withLock { $0.limit } }
    /// Bytes count without a limit, too, so that tests see them.
    let isOff = false

    /// - Parameter isShut: whether counted bytes wait until the limit is set again, however much time passes.
    init(_ limit: RateLimit = .off, isShut: Bool = false) {
        state.withLock { state in
            state.limit = limit
            state.isShut = isShut
        }
    }

    /// Changes the limit, also for those who wait.
    func set(_ limit: RateLimit) {
        state.withLock { state in
            state.limit = limit
            state.isShut = false
        }
    }

    /// Returns when a connection is told to wait from now on.
    func waitForHold() async throws {
        let before = state.withLock { $0.holds }
        try await state.wait { $0.holds > before }
    }

    func take(_ bytes: Int64, at now: Duration) -> TokenBucket.Ticket {
        state.withLock { state in
            state.taken += bytes
            if state.bucket.limit != state.limit { state.bucket.change(to: state.limit, at: now) }
            return state.bucket.take(bytes, at: now)
        }
    }

    func wait(for ticket: TokenBucket.Ticket, at now: Duration) -> Duration {
        state.withLock { state in
            if state.bucket.limit != state.limit { state.bucket.change(to: state.limit, at: now) }
            let isShut = state.isShut && state.taken > 0
            let wait = isShut ? .seconds(3600) : state.bucket.wait(for: ticket, at: now)
            if wait > .zero { state.holds += 1 }
            return wait
        }
    }
}
