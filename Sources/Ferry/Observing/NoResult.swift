public import FerryCore

/// Why a transfer has no such result, although it did not fail; see ``TransferHandle/value()`` and
/// ``TransferHandle/response()``.
public enum NoResult: Error, Hashable, Sendable {
    /// The transfer was cancelled.
    case cancelled(TransferID)
    /// The transfer was cancelled because its queue was full and a newer transfer took its place. The reason names that one.
    case gaveWay(TransferID, TransferFailure)
    /// The transfer is of this kind, which has another kind of result.
    case otherKind(TransferID, TransferKind)
    /// The request was resolved as arrived (``RequestOutcome/arrived``); its response is lost.
    case responseLost(TransferID)
    /// The engine has stopped, or the store was closed or cannot be read. The transfer is unchanged, and can be awaited
    /// again later.
    case engineStopped(TransferID)
}

extension NoResult: CustomStringConvertible {
    /// What happened, in one sentence for a person.
    public var description: String {
        switch self {
        case .cancelled(let id): "Transfer \(id) was cancelled."
        case .gaveWay(let id, let reason): "Transfer \(id) was cancelled. \(reason.message)"
        case .otherKind(let id, let kind): "Transfer \(id) is a \(kind.rawValue), and has no other result."
        case .responseLost(let id):
            "Transfer \(id) was resolved as arrived; the response of the server is lost."
        case .engineStopped(let id):
            "The engine stopped before transfer \(id) ended. It resumes when an engine runs again."
        }
    }
}
