/// Says how long bytes have to wait that have come, so that all who share it stay within a rate together.
///
/// The rate may change at any time, so a wait that was told is to be asked for again after a while; see
/// ``Pace/longestWait``.
public protocol RateLimiter: AnyObject, Sendable {
    /// The rate that holds.
    var limit: RateLimit { get }

    /// Counts bytes that have come.
    ///
    /// - Parameter now: what a clock shows that only goes on, the same one for every call.
    func take(_ bytes: Int64, at now: Duration) -> TokenBucket.Ticket

    /// How long those who took have yet to wait.
    func wait(for ticket: TokenBucket.Ticket, at now: Duration) -> Duration
}
