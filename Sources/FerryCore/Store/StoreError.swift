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
            "you may only read it, as with `ferry list` and `ferry show`; nothing was changed"
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
            "Another process has taken over what this one was running, as nothing showed that this one still ran. What was "
                + "received is kept. `ferry watch` shows the progress; the same command follows it."
        case .noSuchTransfer(let id):
            "There is no transfer \(id). `ferry list` shows those that there are."
        case .notPossible(_, let reason):
            reason
        case .refusedQueue(let flaw):
            flaw.description
        case .foreign(let path):
            "\(path) is not a store of Ferry's, and was left as it is. Name another directory with --data-dir."
        case .newer(let path):
            "\(path) was written by a newer Ferry, and was left as it is. Update ferry, or name another "
                + "directory with --data-dir."
        case .unreleased(let path):
            "\(path) is of a Ferry from before the first release, and was left as it is. Move it aside and ferry begins "
                + "a new one; part files stay where they are."
        case .corrupt(let path, let detail):
            "\(path) is damaged (\(detail)), and was left as it is. Move it aside and ferry begins a new one; "
                + "part files stay where they are."
        case .damagedTransfer(let id, let detail):
            "What is stored of transfer \(id) is damaged (\(detail)); the other transfers are not. `ferry remove \(id)` "
                + "forgets it, and its URL can be given anew; its files stay where they are."
        case .unavailable(let path, let detail):
            "\(path) cannot be used: \(detail)."
        case .writeFailed(let path, let detail, let isDiskFull):
            isDiskFull
                ? "The disk that holds \(path) is full. Free some space and try again; nothing was lost."
                : "Writing to \(path) failed: \(detail). Nothing that was acknowledged is lost."
        }
    }
}
