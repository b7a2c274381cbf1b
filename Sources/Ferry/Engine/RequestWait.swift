package import FerryCore

/// A wait before a request that belongs to no transfer is repeated.
package struct RequestWait: Hashable, Sendable {
    /// Why the last attempt failed.
    package let failure: TransferFailure
    /// How long the wait is.
    package let delay: Duration
    /// The number of the next attempt; the first one is 1.
    package let attempt: Int
    /// Maximum number of attempts.
    package let attempts: Int

    /// Creates a wait.
    package init(after failure: TransferFailure, for delay: Duration, attempt: Int, of attempts: Int) {
        self.failure = failure
        self.delay = delay
        self.attempt = attempt
        self.attempts = attempts
    }
}
