public import FerryCore

/// Why ``TransferHandle/value()`` has no download to give, although nothing failed.
public enum NoDownload: Error, Hashable, Sendable {
    /// The transfer was cancelled: there will never be one.
    case cancelled(TransferID)
    /// The engine has stopped: the transfer is as it was, and can be awaited when an engine runs again.
    case engineStopped(TransferID)
}

extension NoDownload: CustomStringConvertible {
    /// What happened, in one sentence for a person.
    public var description: String {
        switch self {
        case .cancelled(let id): "Transfer \(id) was cancelled."
        case .engineStopped(let id):
            "The engine stopped before transfer \(id) ended; it goes on when one runs again."
        }
    }
}
