/// What the attempts at a transfer have come to, whatever its kind. Progress of the work itself stands apart from it.
public struct AttemptLedger: Hashable, Sendable {
    /// The most bytes that any attempt has had. Only progress past it resets the count of attempts.
    public var bestReceived: Int64 = 0
    /// The number of attempts in a row that ended with the death of their process, without real progress since the first.
    public var deaths = 0
    /// The bytes that were there when a death was last weighed against the progress until then.
    public var receivedAtDeath: Int64 = 0
    /// The number of attempts that ended because the name of the host does not exist. When all of them did, the name never
    /// resolved.
    public var unknownHosts = 0
    /// How its owner left it; `nil` unless it is paused only because that owner was stopped.
    public var left: Leaving?

    /// The ledger of a transfer that was never tried.
    public init() {}
}
