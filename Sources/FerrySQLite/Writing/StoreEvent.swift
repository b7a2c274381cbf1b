import FerryCore

/// An event of a store's writer, for an observer.
enum StoreEvent: Hashable, Sendable {
    /// N writes wait for the next commit.
    case submitted(waiting: Int)
    /// Another store has the write lock.
    case waitingForLock
    /// A transaction was committed.
    case committed(writes: Int, Durability)
    /// The log was copied into the database.
    case checkpointed(isTruncated: Bool)
}
