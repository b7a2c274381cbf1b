import FerryCore
import Synchronization

/// A limiter that a test shuts and opens.
final class ManualLimiter: RateLimiter {
    private struct State {
        var bucket = TokenBucket()
        var taken: Int64 = 0
        var limit = RateLimit.off
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// The bytes that were counted.
    var taken: Int64 { state.withLock { $0.taken } }
    var limit: RateLimit { state.withLock { $0.limit } }

    init(_ limit: RateLimit = .off) {
        set(limit)
    }

    /// Changes the limit, also for those who wait.
    func set(_ limit: RateLimit) {
        state.withLock { $0.limit = limit }
    }

    /// Returns when somebody has been told to wait.
    func waitForHold() async {
        await withCheckedContinuation { waiter in state.withLock { $0.waiters.append(waiter) } }
    }

    func take(_ bytes: Int64, at now: Duration) -> TokenBucket.Ticket {
        state.withLock { state in
            state.taken += bytes
            if state.bucket.limit != state.limit { state.bucket.change(to: state.limit, at: now) }
            return state.bucket.take(bytes, at: now)
        }
    }

    func wait(for ticket: TokenBucket.Ticket, at now: Duration) -> Duration {
        let (wait, waiters) = state.withLock { state in
            if state.bucket.limit != state.limit { state.bucket.change(to: state.limit, at: now) }
            let wait = state.bucket.wait(for: ticket, at: now)
            defer { if wait > .zero { state.waiters = [] } }
            return (wait, wait > .zero ? state.waiters : [])
        }
        for waiter in waiters { waiter.resume() }
        return wait
    }
}
