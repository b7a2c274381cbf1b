public import FerryCore

/// Why ``TransferHandle/value()`` has no download, although nothing failed.
public enum NoDownload: Error, Hashable, Sendable {
    /// The transfer was cancelled.
    case cancelled(TransferID)
    /// The transfer was cancelled because its queue was full and a newer transfer took its place. The reason names that one.
    case gaveWay(TransferID, TransferFailure)
    /// The engine has stopped. The transfer is unchanged, and can be awaited when an engine runs again.
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
