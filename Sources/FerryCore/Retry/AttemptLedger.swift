/// The history of a transfer's attempts, for any kind of work. The progress of the work itself is stored separately.
package struct AttemptLedger: Hashable, Sendable {
    /// The most bytes that any attempt has received. Only progress past it resets the count of attempts.
    package var bestReceived: Int64 = 0
    /// Number of attempts in a row that died with their process, without real progress since the first.
    package var deaths = 0
    /// The received bytes when a death was last compared with the progress before it.
    package var receivedAtDeath: Int64 = 0
    /// Number of attempts that ended because the host name does not exist. If all did, the name never resolved.
    package var unknownHosts = 0
    /// The state in which its owner left it; `nil` unless it is paused only because that owner stopped.
    package var left: Leaving?

    /// The ledger of a transfer that was never tried.
    package init() {}
}
