/// How an attempt ended.
package struct Settlement: Hashable, Sendable {
    /// The state that the transfer takes.
    package var state: TransferState
    /// The progress to keep.
    package var progress: WorkProgress
    /// The new ledger of attempts; `nil` leaves it as it is.
    package var ledger: AttemptLedger?
    /// Why the attempt failed; also recorded in the history of attempts.
    package var failure: TransferFailure?
    /// The new number of counted attempts; `nil` leaves it as it is.
    package var attempts: Int?
    /// Whether the owner keeps its hold on a transfer that now waits or is queued, so that no other process resumes
    /// what a person is watching here.
    package var keepsHold: Bool
    /// Whether the owner is stopping. An unfinished transfer is then paused, whatever the outcome, and another
    /// process that wants it resumes it.
    package var isLeft: Bool
    /// The URL that the attempt used. If the URL was edited since, the facts in the progress stay with the URL that was
    /// used.
    package var asked: HTTPURL?

    /// Creates a settlement. `state` must not be `active`.
    package init(
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

extension Work {
    /// Takes over the progress of an attempt.
    package mutating func take(_ settlement: Settlement) {
        progress = settlement.progress
        // Nearly always the URL is the same, and then nothing has to be noted.
        if let asked = settlement.asked, asked != url { change { $0.noteAsked(asked) } }
    }
}
