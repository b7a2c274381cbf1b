/// The rows of a store while one write runs. What a write comes to is decided over these, alike for every store.
///
/// What cannot be read is told by ``StoreError/damagedTransfer(_:_:)``; any other error is the store's own, and ends the write.
package protocol TransferRows: AnyObject {
    /// A transfer as it was read, which may be written back.
    associatedtype Stored: StoredTransfer

    /// What the clocks show that time windows go by.
    var localTime: LocalTime { get }
    /// Asks that the commit survives power loss.
    func requirePower()

    // MARK: Transfers

    /// The row of a transfer; `nil` when there is none with that number.
    func row(_ id: TransferID) throws -> Stored?
    /// The row of a transfer that was claimed; `nil` when there is none with that number.
    func claimedRow(_ id: TransferID) throws -> Stored?
    /// What `read` gives of a transfer; `nil` where that is damaged, of which note is taken.
    func unlessDamaged(_ id: TransferID, _ read: () throws -> Stored?) throws -> Stored?
    /// Takes a damaged row out of the way of the others: it is paused unless it is over, and held by no one.
    func setAside(_ id: TransferID) throws
    /// Writes a row back.
    ///
    /// - Parameter request: whether what is asked for may be another one as well: the work, the queue, the priority, the labels.
    func put(_ row: Stored, request: Bool) throws
    /// Removes a transfer with all that belongs to it.
    func delete(_ id: TransferID) throws
    /// The name of the state of a transfer; `nil` when there is none with that number.
    func stateName(of id: TransferID) throws -> String?
    /// The transfer that is not over and the same as this work, and the name of its state.
    func living(like work: Work) throws -> (id: TransferID, state: String)?
    /// Keeps an attempt that failed.
    func append(_ attempt: Attempt, to id: TransferID) throws

    // MARK: Owners

    /// Whether an owner has joined and not been removed.
    func hasJoined(_ owner: OwnerID) throws -> Bool
    /// Some of what an owner holds, in order.
    func held(by owner: OwnerID, upTo limit: Int) throws -> [TransferID]
    /// Forgets an owner.
    func delete(_ owner: OwnerID) throws

    // MARK: Order

    /// What a transfer comes after.
    func dependencies(of id: TransferID) throws -> [TransferID]
    /// What comes after a transfer, in order.
    func dependents(of id: TransferID) throws -> [TransferID]
    /// Nothing waits for a completed transfer any more.
    ///
    /// - Returns: those that came after this one and no other, in order.
    func release(dependentsOf id: TransferID) throws -> [TransferID]
    /// Forgets what is noted of what a transfer comes after.
    func forgetDependencies(of id: TransferID) throws
    /// Those behind a transfer that has failed, in their order, where they fail with it; and the queue.
    func lineBehind(_ id: TransferID) throws -> (queue: String, ids: [TransferID])?

    // MARK: Queues

    /// A queue; as ``TransferQueue/init(_:)`` makes it when it was never changed.
    func queue(named name: String) throws -> TransferQueue
    /// Records a queue in place of what was recorded of it.
    func replace(_ queue: TransferQueue) throws
    /// Forgets what was changed about a queue; returns whether anything had been.
    func deleteQueue(named name: String) throws -> Bool
    /// One that stands in a queue and is not over, and the name of its state.
    func unfinished(in queue: String) throws -> (id: TransferID, state: String)?
    /// What runs in a queue, in order, and what it has been asked for.
    func running(in queue: String) throws -> [(id: TransferID, wish: Wish?)]
    /// How many beside one transfer could run in a queue if there were room; counting may stop at its slots.
    func waiting(in queue: TransferQueue, beside id: TransferID, at now: Instant) throws -> Int
    /// Lets a transfer go before all that wait in its queue.
    func letGoFirst(_ transfer: Transfer) throws
    /// When a queue was served last.
    func turn(of queue: String) throws -> Int64?
    /// Records when queues were served.
    func record(_ turns: [String: Int64]) throws
}

/// A transfer as a write has read it, and may write it back.
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

    /// The row of a transfer that may not exist; `nil` when it is damaged, too.
    package func undamagedRow(_ id: TransferID) throws -> Stored? { try unlessDamaged(id) { try row(id) } }

    /// The row of a transfer that must exist; `nil` when it is damaged.
    package func readableRow(_ id: TransferID) throws -> Stored? {
        try unlessDamaged(id) { try existingRow(id) }
    }

    /// Fails unless that owner has joined and not been removed: nobody would ever free what it took.
    package func requireOwner(_ owner: OwnerID?) throws {
        guard try owner.map(hasJoined) ?? true else { throw StoreError.ownerRemoved }
    }

    /// Writes a row back; what its end means for those that come after it is written as well.
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

    /// Writes a row back. What could run from now on, but is outside of its time window, is written as waiting for that.
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
        if row.transfer.state.isFinal { requirePower() }
        return row.transfer
    }
}
