/// When a failed attempt is retried: exponential backoff with full jitter, up to a number of attempts.
///
/// Full jitter (a delay drawn evenly from zero to the exponential bound) spreads the retries of many clients
/// better than any other simple rule; see M. Brooker, "Exponential Backoff And Jitter", 2015.
package struct RetryPolicy: Hashable, Sendable {
    /// Maximum number of attempts, including the first.
    package var attempts: Int
    /// The bound of the first delay.
    package var base: Duration
    /// The upper bound of all delays, unless the server asks for a longer one.
    package var ceiling: Duration

    /// Maximum number of attempts at a host that the resolver does not know.
    package static let unknownHostAttempts = 3

    /// How many bytes past its former best a transfer must receive for its attempts to be counted from zero again.
    /// All that was left is also enough, even if it is little.
    ///
    /// So a server that breaks off at the same place each time is not asked for ever.
    package static let realProgress: Int64 = 1 << 20

    /// Creates a policy; `retries` is the number of retries after the first attempt.
    package init(retries: Int, base: Duration = .seconds(1), ceiling: Duration = .seconds(300)) {
        attempts = min(max(0, retries), .max - 1) + 1
        self.base = base
        self.ceiling = ceiling
    }

    /// The bound of the delay after the `attempt`th attempt has failed.
    package func bound(afterAttempt attempt: Int) -> Duration {
        let doublings = min(max(0, attempt - 1), 40)
        let bound = base * Double(UInt64(1) << UInt64(doublings))
        return min(bound, ceiling)
    }

    /// The delay after the `attempt`th attempt has failed: the time that the server asked for, plus a random time. The
    /// random time is at most the bound or a tenth of the server's time, whichever is longer.
    ///
    /// An overloaded server tells many clients the same time. If all returned at that second, it would be overloaded
    /// again.
    package func delay(
        afterAttempt attempt: Int,
        retryAfter: Duration?,
        using random: inout some RandomNumberGenerator
    ) -> Duration {
        let asked = min(max(retryAfter ?? .zero, .zero), RetryAfter.longest)
        let spread = max(bound(afterAttempt: attempt), asked / 10).wholeMilliseconds
        return asked + .milliseconds(Int64.random(in: 0...max(0, spread), using: &random))
    }

    /// Returns the state of a transfer whose `attempt`th attempt met `problem`. Without retries, nothing waits for the network.
    package func state(
        after problem: Problem,
        attempt: Int,
        at now: Instant,
        using random: inout some RandomNumberGenerator
    ) -> TransferState {
        switch problem.disposition {
        case .permanent:
            return .failed(problem.failure)
        case .condition(.network) where attempts == 1:
            // It would wait for another attempt. A connection that was cut is replaced, which shows whether there is a route.
            return problem.isCut ? .queued : .failed(problem.failure)
        case .condition(let condition):
            return .waiting(condition)
        case .transient(let retryAfter):
            guard attempt < attempts else {
                return .failed(exhausted(after: problem.failure, attempt: attempt))
            }
            let delay = delay(afterAttempt: attempt, retryAfter: retryAfter, using: &random)
            return .waiting(.retry(at: now.advanced(by: delay)))
        }
    }

    /// Why it has failed when no further attempt is allowed.
    package func exhausted(after failure: TransferFailure, attempt: Int) -> TransferFailure {
        guard attempts > 1, failure.code != .resourceReplaced else { return failure }
        var exhausted = TransferFailure(
            .attemptsExhausted,
            "Gave up after \(attempt) attempts. \(failure.message)",
            remedies: failure.remedies,
            cause: failure.code
        )
        exhausted.status = failure.status
        return exhausted
    }
}
