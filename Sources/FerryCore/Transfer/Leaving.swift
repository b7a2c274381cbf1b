/// How a transfer was left that is paused only because its owner was stopped. Nobody asked for that pause, so whoever else
/// wants the transfer goes on with it.
public struct Leaving: Hashable, Sendable, Codable {
    /// When it was to be tried again, if it waited for that.
    public var retryAt: Instant?

    /// How a transfer is left that is in `state`.
    public init(_ state: TransferState) {
        if case .waiting(.retry(let moment)) = state { retryAt = moment }
    }
}
