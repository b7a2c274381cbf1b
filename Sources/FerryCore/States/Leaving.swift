/// How a transfer was left that is paused only because its owner stopped. No one asked for that pause, so the next
/// process that wants the transfer resumes it.
package struct Leaving: Hashable, Sendable {
    /// When it was due for a retry, if it waited for that.
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
