/// The state in which an owner left a transfer that is paused only because the owner stopped. No one requested that
/// pause, so the next process that wants the transfer resumes it.
package struct Leaving: Hashable, Sendable {
    /// When it was due for a retry, if it waited for one.
    package var retryAt: Instant?

    /// Creates the note for a transfer that is due at a moment, or at once.
    package init(retryAt: Instant? = nil) {
        self.retryAt = retryAt
    }

    /// Creates the note for a transfer in `state`.
    package init(_ state: TransferState) {
        if case .waiting(.retry(let moment)) = state { retryAt = moment }
    }
}
