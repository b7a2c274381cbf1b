public import FerryCore

/// Why ``TransferHandle/value()`` has no download to give, although nothing failed.
public enum NoDownload: Error, Hashable, Sendable {
    /// The transfer was cancelled: there will never be one.
    case cancelled(TransferID)
    /// The transfer was cancelled because its queue was full and a newer one went before it; the reason says which.
    case gaveWay(TransferID, TransferFailure)
    /// The engine has stopped: the transfer is as it was, and can be awaited when an engine runs again.
    case engineStopped(TransferID)
}

extension NoDownload: CustomStringConvertible {
    /// What happened, in one sentence for a person.
    public var description: String {
        switch self {
        case .cancelled(let id): "Transfer \(id) was cancelled."
        case .gaveWay(let id, let reason): "Transfer \(id) was cancelled. \(reason.message)"
        case .engineStopped(let id):
            "The engine stopped before transfer \(id) ended. It resumes when an engine runs again."
        }
    }
}
