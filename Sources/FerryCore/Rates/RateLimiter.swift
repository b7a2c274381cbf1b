/// Computes how long received bytes must wait, so that all that share the limiter stay within one rate.
///
/// The rate may change at any time, so a wait must be computed again after a while; see ``Pace/longestWait``.
package protocol RateLimiter: AnyObject, Sendable {
    /// The present rate.
    var limit: RateLimit { get }

    /// Whether there is no limit now, so that bytes need not be counted. Asked for each read of each connection.
    var isOff: Bool { get }

    /// Counts received bytes.
    ///
    /// - Parameter now: the time of a monotonic clock, the same one for every call.
    func take(_ bytes: Int64, at now: Duration) -> TokenBucket.Ticket

    /// How long the holder of a ticket must still wait.
    func wait(for ticket: TokenBucket.Ticket, at now: Duration) -> Duration
}
