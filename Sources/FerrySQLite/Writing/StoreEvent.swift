import FerryCore

/// What the writer of a store does, for those who watch it at work.
enum StoreEvent: Hashable, Sendable {
    /// So many writes wait for the next commit.
    case submitted(waiting: Int)
    /// Another store has the write lock.
    case waitingForLock
    /// A transaction was committed.
    case committed(writes: Int, Durability)
    /// The log was copied into the database.
    case checkpointed(isTruncated: Bool)
}
