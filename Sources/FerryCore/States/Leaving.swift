/// How a transfer was left that is paused only because its owner was stopped. No one asked for that pause, so the next
/// process that wants the transfer resumes it.
public struct Leaving: Hashable, Sendable {
    /// When it was to be tried again, if it waited for that.
    public var retryAt: Instant?

    /// How a transfer is left that is to be tried again at a moment, or at once.
    public init(retryAt: Instant? = nil) {
        self.retryAt = retryAt
    }

    /// How a transfer is left that is in `state`.
    public init(_ state: TransferState) {
        if case .waiting(.retry(let moment)) = state { retryAt = moment }
    }
}
