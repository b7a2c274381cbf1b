/// When a failed attempt is tried again: exponential backoff with full jitter, within a number of attempts.
///
/// Full jitter (a delay drawn evenly from zero to the exponential bound) spreads the retries of many clients
/// better than any other simple rule; see M. Brooker, "Exponential Backoff And Jitter", 2015.
public struct RetryPolicy: Hashable, Sendable {
    /// The most attempts, the first one included.
    public var attempts: Int
    /// The bound of the first delay.
    public var base: Duration
    /// The bound that no delay exceeds where the server asks for none.
    public var ceiling: Duration

    /// The most attempts at a host of which the resolver has never heard.
    public static let unknownHostAttempts = 3

    /// How far a transfer must pass its former best for its attempts to be counted from zero again, in bytes; all that
    /// was left is enough as well, however little it was.
    ///
    /// A server that breaks off at the same place each time is therefore not asked for ever.
    public static let realProgress: Int64 = 1 << 20

    /// Creates a policy; `retries` is how often to try again after the first attempt.
    public init(retries: Int, base: Duration = .seconds(1), ceiling: Duration = .seconds(300)) {
        attempts = min(max(0, retries), .max - 1) + 1
        self.base = base
        self.ceiling = ceiling
    }

    /// The bound of the delay after the `attempt`th attempt has failed.
    public func bound(afterAttempt attempt: Int) -> Duration {
        let doublings = min(max(0, attempt - 1), 40)
        let bound = base * Double(UInt64(1) << UInt64(doublings))
        return min(bound, ceiling)
    }

    /// The delay after the `attempt`th attempt has failed: what the server asked for, and drawn on top of that up to the
    /// bound, or a tenth of what it asked for where that is more.
    ///
    /// A server that is overloaded tells many the same; were they to obey to the second, it would be overloaded again.
    public func delay(
        afterAttempt attempt: Int,
        retryAfter: Duration?,
        using random: inout some RandomNumberGenerator
    ) -> Duration {
        let asked = min(max(retryAfter ?? .zero, .zero), RetryAfter.longest)
        let spread = max(bound(afterAttempt: attempt), asked / 10).wholeMilliseconds
        return asked + .milliseconds(Int64.random(in: 0...max(0, spread), using: &random))
    }

    /// What becomes of a transfer whose `attempt`th attempt met `problem`.
    public func state(
        after problem: Problem,
        attempt: Int,
        at now: Instant,
        using random: inout some RandomNumberGenerator
    ) -> TransferState {
        switch problem.disposition {
        case .permanent:
            return .failed(problem.failure)
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

    private func exhausted(after failure: TransferFailure, attempt: Int) -> TransferFailure {
        guard attempts > 1, failure.code != .resourceReplaced else { return failure }
        return TransferFailure(
            .attemptsExhausted,
            "Gave up after \(attempt) attempts. \(failure.message)",
            hint: failure.hint,
            cause: failure.code
        )
    }
}
