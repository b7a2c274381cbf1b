/// The rows of a store during one write. All stores share the code that decides what a write does (`TransferRows+…`).
///
/// A damaged row throws ``StoreError/damagedTransfer(_:_:)``. Any other error is the store's own, and ends the write.
package protocol TransferRows: AnyObject {
    /// A transfer that was read and may be written back.
    associatedtype Stored: StoredTransfer
    /// The ends of transfers that are not handled yet.
    associatedtype Results: ResultRows
    /// The nodes of trees.
    associatedtype Nodes: NodeRows
    /// The pools.
    associatedtype Cache: CacheRows

    /// The local time, for time windows.
    var localTime: LocalTime { get }
    /// Requires that the commit survives power loss.
    func requirePower()
    /// The ends of transfers that are not handled yet.
    var results: Results { get }
    /// The nodes of trees.
    var nodes: Nodes { get }
    /// The pools.
    var cache: Cache { get }

    // MARK: Transfers

    /// A number that no transfer has had.
    func newNumber() throws -> TransferID
    /// The number of the transfer with a UUID.
    func number(of uuid: TransferUUID) throws -> TransferID?
    /// The row of a transfer; `nil` if no transfer has that number.
    func row(_ id: TransferID) throws -> Stored?
    /// The row of a transfer that was claimed; `nil` if no transfer has that number.
    func claimedRow(_ id: TransferID) throws -> Stored?
    /// The result of `read`; `nil` if the row is damaged, which is recorded.
    func unlessDamaged(_ id: TransferID, _ read: () throws -> Stored?) throws -> Stored?
    /// Sets a damaged row aside: frees it, and pauses it unless it has ended.
    func setAside(_ id: TransferID) throws
    /// Writes a row back.
    ///
    /// - Parameter request: whether the request may have changed too: the work, the queue, the priority, the labels.
    func put(_ row: Stored, request: Bool) throws
    /// Stores the tag and the payload of a transfer.
    func putLabels(of transfer: Transfer) throws
    /// Deletes a transfer and everything that belongs to it.
    func delete(_ id: TransferID) throws
    /// The state of a transfer; `nil` if no transfer has that number.
    func stateName(of id: TransferID) throws -> TransferState.Name?
    /// The unfinished transfer with the same identity as this work, and its state.
    func living(like work: Work) throws -> (id: TransferID, state: TransferState.Name)?
    /// The latest completed transfer with the same identity as this work; `nil` also if its row is damaged.
    func completed(like work: Work) throws -> Transfer?
    /// Stores a failed attempt.
    func append(_ attempt: Attempt, to id: TransferID) throws

    // MARK: Owners

    /// Whether an owner has joined and not been removed.
    func hasJoined(_ owner: OwnerID) throws -> Bool
    /// Some of an owner's transfers, in order.
    func held(by owner: OwnerID, upTo limit: Int) throws -> [TransferID]
    /// Forgets an owner, and frees the results that it has in hand (``ResultRows/freeResults(of:)``).
    func delete(_ owner: OwnerID) throws

    // MARK: Order

    /// The transfers that a transfer comes after.
    func dependencies(of id: TransferID) throws -> [TransferID]
    /// The transfers that come after a transfer, in order.
    func dependents(of id: TransferID) throws -> [TransferID]
    /// The transfers that come after a transfer and may need values of its response, in order.
    func takers(of id: TransferID) throws -> [TransferID]
    /// Deletes the dependencies on a completed transfer.
    ///
    /// - Returns: the transfers that came after this one only, in order.
    func release(dependentsOf id: TransferID) throws -> [TransferID]
    /// Deletes the dependencies of a transfer.
    func forgetDependencies(of id: TransferID) throws
    /// The transfers behind a failed one, in order, and their queue; `nil` unless they fail with it.
    func lineBehind(_ id: TransferID) throws -> (queue: String, ids: [TransferID])?

    // MARK: Queues

    /// The queue with a name; a queue that was never changed is as ``TransferQueue/init(_:)`` creates it.
    func queue(named name: String) throws -> TransferQueue
    /// Stores a queue, replacing any earlier row.
    func replace(_ queue: TransferQueue) throws
    /// Forgets the changes to a queue; returns whether there were any.
    func deleteQueue(named name: String) throws -> Bool
    /// An unfinished transfer of a queue, and its state.
    func unfinished(in queue: String) throws -> (id: TransferID, state: TransferState.Name)?
    /// The running transfers of a queue, in order, and their wishes.
    func running(in queue: String) throws -> [(id: TransferID, wish: Wish?)]
    /// The number of transfers, without the given one, that could run in a queue with free slots. The count may stop at
    /// the number of slots.
    func waiting(in queue: TransferQueue, beside id: TransferID, at now: Instant) throws -> Int
    /// Moves a transfer to the front of its queue.
    func letGoFirst(_ transfer: Transfer) throws
    /// The unfinished transfers of a queue that also cancels waiting ones, without those that were asked to end, in any
    /// order. If there are many more than slots, some may be missing.
    func asked(in queue: TransferQueue) throws -> [AskedTransfer]
    /// Records when a transfer was last asked for, in such a queue.
    func noteAsked(_ id: TransferID, at moment: Int64) throws
    /// When a queue was last served.
    func turn(of queue: String) throws -> Int64?
    /// Records when queues were served.
    func record(_ turns: [String: Int64]) throws
}

/// A transfer that a write has read and may write back.
package protocol StoredTransfer {
    /// The transfer.
    var transfer: Transfer { get set }
    /// The transfer as it was read.
    var former: Transfer { get }
    /// The token that the next holder gets.
    var nextToken: Int64 { get }
}

extension TransferRows {
    /// The row of a transfer that must exist.
    package func existingRow(_ id: TransferID) throws -> Stored {
        guard let row = try row(id) else { throw StoreError.noSuchTransfer(id) }
        return row
    }

    /// The row of a transfer that was claimed, which is read as any other.
    package func claimedRow(_ id: TransferID) throws -> Stored? { try row(id) }

    /// The row of a transfer; `nil` if it does not exist or is damaged.
    package func undamagedRow(_ id: TransferID) throws -> Stored? { try unlessDamaged(id) { try row(id) } }

    /// The row of a transfer that must exist; `nil` when it is damaged.
    package func readableRow(_ id: TransferID) throws -> Stored? {
        try unlessDamaged(id) { try existingRow(id) }
    }

    /// Throws unless the owner has joined and was not removed: no one would free its transfers.
    package func requireOwner(_ owner: OwnerID?) throws {
        guard try owner.map(hasJoined) ?? true else { throw StoreError.ownerRemoved }
    }

    /// Writes a row back, and passes its end on to the transfers that come after it.
    ///
    /// - Returns: the transfer as it is afterwards.
    @discardableResult
    package func write(_ row: Stored, request: Bool = false) throws -> Transfer {
        let transfer = try store(row, request: request)
        if transfer.state.isFinal {
            try passOn(transfer, isNew: row.former.state.name != transfer.state.name)
        }
        return transfer
    }

    /// Writes a row back. A runnable transfer outside its time window is written as waiting for it.
    @discardableResult
    package func store(_ row: Stored, request: Bool = false) throws -> Transfer {
        var row = row
        row.transfer.heedWindow(at: row.transfer.updated, in: localTime)
        if row.transfer.mayHaveMetTwin(since: row.former), let twin = try living(like: row.transfer.work),
            twin.id != row.transfer.id
        {
            throw Transfer.refusal(of: row.former, besides: twin)
        }
        try put(row, request: request)
        try results.note(row.transfer, formerly: row.former)
        if row.transfer.state == .completed, row.former.state != .completed, row.transfer.bringsEntry {
            let links = try nodes.links(of: row.transfer.id)
            try cache.assign(links, of: row.transfer, formerly: row.former)
        }
        try nodes.note(row.transfer, formerly: row.former)
        try cache.note(row.transfer, formerly: row.former)
        if row.transfer.state.isFinal { requirePower() }
        return row.transfer
    }
}
