/// How an attempt ended.
public struct Settlement: Hashable, Sendable {
    /// The state that the transfer takes.
    public var state: TransferState
    /// The progress to keep.
    public var progress: WorkProgress
    /// What the attempts have come to by now; `nil` leaves it as it is.
    public var ledger: AttemptLedger?
    /// Why the attempt failed; also recorded in the history of attempts.
    public var failure: TransferFailure?
    /// The number of attempts counted from here on; `nil` leaves it.
    public var attempts: Int?
    /// Whether the owner keeps its hold on a transfer that is to wait or to be queued, so that nobody else goes
    /// on with what a person is watching here.
    public var keepsHold: Bool
    /// Whether the owner is stopped: a transfer that is not over is paused then, whatever its attempt came to, and whoever
    /// else wants it goes on with it.
    public var isLeft: Bool
    /// The URL that the attempt asked, where it may have been edited since: what the checkpoint knows of it stays with it.
    public var asked: HTTPURL?

    /// Creates a settlement. `state` must not be `active`.
    public init(
        _ state: TransferState,
        progress: WorkProgress,
        ledger: AttemptLedger? = nil,
        failure: TransferFailure? = nil,
        attempts: Int? = nil,
        keepsHold: Bool = false,
        isLeft: Bool = false
    ) {
        precondition(state != .active, "a settled transfer is not active")
        self.state = state
        self.progress = progress
        self.ledger = ledger
        self.failure = failure
        self.attempts = attempts
        self.keepsHold = keepsHold
        self.isLeft = isLeft
    }
}
