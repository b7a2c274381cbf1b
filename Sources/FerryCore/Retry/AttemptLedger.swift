/// The history of a transfer's attempts, for any kind of work. The progress of the work itself is stored separately.
public struct AttemptLedger: Hashable, Sendable {
    /// The most bytes that any attempt has received. Only progress past it resets the count of attempts.
    public var bestReceived: Int64 = 0
    /// Number of attempts in a row that died with their process, without real progress since the first.
    public var deaths = 0
    /// The received bytes when a death was last compared with the progress before it.
    public var receivedAtDeath: Int64 = 0
    /// Number of attempts that ended because the host name does not exist. If all did, the name never resolved.
    public var unknownHosts = 0
    /// How its owner left it; `nil` unless it is paused only because that owner stopped.
    public var left: Leaving?

    /// The ledger of a transfer that was never tried.
    public init() {}
}
