/// A failure of the store.
public enum StoreError: Error, Hashable, Sendable {
    /// The caller no longer owns the transfer; it must stop at once and touch nothing (I4).
    case claimLost(Claim)
    /// The store removed the caller from its owners, as nothing showed that it lives, and freed its transfers. The
    /// caller must stop.
    case ownerRemoved
    /// No transfer has this number.
    case noSuchTransfer(TransferID)
    /// The transfer's state does not allow it; the text says why and what to do instead.
    case notPossible(TransferID, String)
    /// The request would create or name an invalid queue. Nothing was changed.
    case refusedQueue(TransferQueue.Flaw)
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
    /// The store's directory or file cannot be created, opened or locked.
    case unavailable(path: String, String)
    /// A write failed, so that none of it took effect: the disk is full or failing.
    case writeFailed(path: String, String, isDiskFull: Bool)
}

extension StoreError {
    /// The error of a write to a store that this process may only read.
    package static func mayOnlyBeRead(path: String) -> StoreError {
        .unavailable(
            path: path,
            "it is read-only for you; use `ferry list` and `ferry show`; nothing was changed"
        )
    }
}

extension StoreError {
    /// What is unreadable in the store, or in one row; `nil` for any other failure.
    package var damage: String? {
        switch self {
        case .corrupt(_, let problem): problem
        case .damagedTransfer(let id, let problem): "transfer \(id) cannot be read: \(problem)"
        default: nil
        }
    }
}

extension StoreError: CustomStringConvertible {
    /// What happened, what is safe, and what to do next.
    public var description: String {
        switch self {
        case .claimLost(let claim):
            "Another process has taken over transfer \(claim.transfer)."
        case .ownerRemoved:
            "Another process has taken over the transfers of this one, because nothing showed that this one still ran. Their "
                + "bytes are kept. `ferry watch` shows the progress; repeat the command to follow it."
        case .noSuchTransfer(let id):
            "There is no transfer \(id). `ferry list` shows the existing ones."
        case .notPossible(_, let reason):
            reason
        case .refusedQueue(let flaw):
            flaw.description
        case .foreign(let path):
            "\(path) is not a Ferry store, and was not changed. Choose another directory with --data-dir."
        case .newer(let path):
            "\(path) was written by a newer Ferry, and was not changed. Update ferry, or choose another "
                + "directory with --data-dir."
        case .unreleased(let path):
            "\(path) is from before the first release of Ferry, and was not changed. Move it away and ferry creates "
                + "a new one; part files stay where they are."
        case .corrupt(let path, let detail):
            "\(path) is damaged (\(detail)), and was not changed. Move it away and ferry creates a new one; "
                + "part files stay where they are."
        case .damagedTransfer(let id, let detail):
            "The stored data of transfer \(id) is damaged (\(detail)); the other transfers are intact. `ferry remove \(id)` "
                + "removes it from the list, and you can add its URL again; its files stay where they are."
        case .unavailable(let path, let detail):
            "\(path) cannot be used: \(detail)."
        case .writeFailed(let path, let detail, let isDiskFull):
            isDiskFull
                ? "The disk that holds \(path) is full. Free some space and try again; nothing was lost."
                : "Writing to \(path) failed: \(detail). Nothing that was acknowledged is lost."
        }
    }
}
