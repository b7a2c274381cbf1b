/// One attempt that did not complete its transfer.
public struct Attempt: Hashable, Sendable {
    /// When it started.
    public var started: Instant
    /// When it ended.
    public var ended: Instant
    /// How it ended.
    public var failure: TransferFailure
    /// The bytes that the transfer had when the attempt ended.
    public var received: Int64

    /// Creates an attempt.
    public init(started: Instant, ended: Instant, failure: TransferFailure, received: Int64) {
        self.started = started
        self.ended = ended
        self.failure = failure
        self.received = received
    }
}
