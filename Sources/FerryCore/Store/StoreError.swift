/// A failure of the store.
public enum StoreError: Error, Hashable, Sendable {
    /// The caller no longer owns the transfer; it must stop at once and touch nothing (I4).
    case claimLost(TransferID)
    /// The store removed the caller from its owners, because nothing showed that it is alive, and freed its transfers.
    /// The caller must stop.
    case ownerRemoved
    /// No transfer has this number.
    case noSuchTransfer(TransferID)
    /// No transfer has this UUID.
    case noTransferNamed(TransferUUID)
    /// This UUID already names this transfer, which asks for something else. Nothing was added.
    case otherTransferNamed(TransferUUID, TransferID)
    /// The transfer's state does not allow it; the text says why, and the remedies say what to do instead.
    case notPossible(TransferID, String, [Remedy] = [])
    /// The request would create or name an invalid queue. Nothing was changed.
    case refusedQueue(TransferQueue.Flaw)
    /// A tree refuses a node, or has no node with that id. Nothing was changed.
    case refusedNode(NodeID, NodeFlaw)
    /// The name or the settings of a pool are not allowed. Nothing was changed.
    case refusedPool(CacheSettings.Flaw)
    /// The file is not a Ferry store. Nothing in it was changed.
    case foreign(path: String)
    /// The store was written by a newer Ferry. Nothing in it was changed.
    case newer(path: String)
    /// The store is from an unreleased Ferry. Nothing in it was changed.
    case unreleased(path: String)
    /// The store is damaged; the text is SQLite's. Nothing in it was changed.
    case corrupt(path: String, String)
    /// The stored data of one transfer cannot be read. The text says why, without a secret (I7). The other transfers
    /// are readable.
    case damagedTransfer(TransferID, String)
    /// A newer Ferry added this transfer, and this one does not know what it does; `kind` is its name for that. The
    /// transfer is left as it is, and those that come after it wait.
    case newerTransfer(TransferID, kind: String)
    /// The store's directory or file cannot be created, opened or locked.
    case unavailable(path: String, String, [Remedy] = [])
    /// A write failed and had no effect: the disk is full or failing.
    case writeFailed(path: String, String, isDiskFull: Bool)
}

extension StoreError {
    /// The error of a write to a store that this process may only read.
    package static func mayOnlyBeRead(path: String) -> StoreError {
        .unavailable(
            path: path,
            "it is read-only for you; nothing was changed",
            [.onlyRead]
        )
    }
}

extension StoreError {
    /// What is unreadable in the store, or in one row; `nil` for any other failure.
    package var damage: String? {
        switch self {
        case .corrupt(_, let problem): problem
        case .damagedTransfer(let id, let problem): "transfer \(id) cannot be read: \(problem)"
        case .newerTransfer(_, let kind): "its kind is \"\(kind)\", which this version does not know"
        default: nil
        }
    }
}

extension StoreError {
    /// The steps that resolve it, as far as they are known; the first is taken first.
    public var remedies: [Remedy] {
        switch self {
        case .ownerRemoved: [.follow]
        case .noSuchTransfer, .noTransferNamed: [.listTransfers]
        case .notPossible(_, _, let remedies), .unavailable(_, _, let remedies): remedies
        case .foreign: [.chooseOtherStore]
        case .newer: [.updateFerry, .chooseOtherStore]
        case .unreleased, .corrupt: [.moveStoreAway]
        case .damagedTransfer: [.remove, .addAgain]
        case .newerTransfer: [.updateFerry]
        case .writeFailed(_, _, isDiskFull: true): [.freeSpace, .callAgain]
        case .claimLost, .otherTransferNamed, .refusedQueue, .refusedNode, .refusedPool, .writeFailed: []
        }
    }

    /// The transfer that it is about, if it is about one.
    package var transfer: TransferID? {
        switch self {
        case .claimLost(let id), .noSuchTransfer(let id), .otherTransferNamed(_, let id),
            .notPossible(let id, _, _),
            .damagedTransfer(let id, _), .newerTransfer(let id, _):
            id
        case .ownerRemoved, .noTransferNamed, .refusedQueue, .refusedNode, .refusedPool, .foreign, .newer,
            .unreleased,
            .corrupt,
            .unavailable,
            .writeFailed:
            nil
        }
    }
}

extension StoreError: CustomStringConvertible {
    /// What happened and what is safe. The next steps are in ``remedies``.
    public var description: String {
        switch self {
        case .claimLost(let id):
            "Another process has taken over transfer \(id)."
        case .ownerRemoved:
            "Another process has taken over the transfers of this process, because nothing showed that this process still ran. "
                + "Their bytes are kept."
        case .noSuchTransfer(let id):
            "There is no transfer \(id)."
        case .noTransferNamed(let uuid):
            "There is no transfer with the UUID \(uuid)."
        case .otherTransferNamed(let uuid, let id):
            "The UUID \(uuid) already names transfer \(id), which is another one. Nothing was added."
        case .notPossible(_, let reason, _):
            reason
        case .refusedQueue(let flaw):
            flaw.description
        case .refusedNode(let id, let flaw):
            flaw.description(of: id)
        case .refusedPool(let flaw):
            flaw.description
        case .foreign(let path):
            "\(path) is not a Ferry store, and was not changed."
        case .newer(let path):
            "\(path) was written by a newer Ferry, and was not changed."
        case .unreleased(let path):
            "\(path) is from before the first release of Ferry, and was not changed."
        case .corrupt(let path, let detail):
            "\(path) is damaged (\(detail)), and was not changed."
        case .damagedTransfer(let id, let detail):
            "The stored data of transfer \(id) is damaged (\(detail)); the other transfers are intact, and its files stay "
                + "where they are."
        case .newerTransfer(let id, let kind):
            "A newer Ferry added transfer \(id): its kind is \"\(kind)\", which this version does not know. It was not changed."
        case .unavailable(let path, let detail, _):
            "\(path) cannot be used: \(detail)."
        case .writeFailed(let path, let detail, let isDiskFull):
            isDiskFull
                ? "The disk that holds \(path) is full; nothing was lost."
                : "Writing to \(path) failed: \(detail). Nothing that was acknowledged is lost."
        }
    }
}
