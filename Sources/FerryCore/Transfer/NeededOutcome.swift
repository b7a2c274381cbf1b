/// What became of a node that may need a transfer.
package enum NeededOutcome: Hashable, Sendable {
    /// It has a new transfer, or one that had failed. This is its row when the call returns.
    case added(Transfer)
    /// It has one that is not over.
    case present(TransferID)
    /// It is gone, or none of the components are marked any more.
    case notNeeded

    /// The transfer of the node; `nil` if it needs none.
    package var transfer: TransferID? {
        switch self {
        case .added(let transfer): transfer.id
        case .present(let id): id
        case .notNeeded: nil
        }
    }
}
