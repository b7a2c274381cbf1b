public import FerryCore

/// Queues: named lines of transfers. All processes that share the store obey them, at once and while transfers run.
///
/// A transfer is in the queue that it was added with (``NewTransfer/queue``) or moved to (``TransferEdit/queue``). A
/// queue that was never changed equals ``TransferQueue/init(_:)``.
extension TransferAccess {
    /// Changed queues, and queues with a transfer that runs or could run, by name.
    public func queues() async throws(StoreError) -> [QueueSummary] {
        try await client.store.queues()
    }

    /// The queues that were ever changed, by name. This call costs far less than ``queues()``.
    public func changedQueues() async throws(StoreError) -> [TransferQueue] {
        try await client.store.changedQueues()
    }

    /// Removes the settings of a queue that has no unfinished transfers.
    ///
    /// - Returns: whether the queue had any settings.
    /// - Throws: ``StoreError/notPossible(_:_:_:)`` when the queue has an unfinished transfer.
    @discardableResult
    public func removeQueue(_ name: String) async throws(StoreError) -> Bool {
        let wasChanged = try await client.store.remove(queue: name)
        client.ownership.displacedParts.expectChange()
        client.link?.queuesChanged()
        return wasChanged
    }

    /// The present settings of a queue.
    public func queue(named name: String) async throws(StoreError) -> TransferQueue {
        try await client.store.queue(named: name)
    }

    /// Replaces the settings of the queue of that name.
    ///
    /// - Throws: ``TransferQueue/Flaw`` when the settings are invalid; ``StoreError`` when they could not be recorded.
    public func setQueue(_ queue: TransferQueue) async throws {
        _ = try await editQueue(queue.name, QueueEdit(making: queue))
    }

    /// Changes some settings of a queue.
    ///
    /// - Returns: the queue after the change.
    /// - Throws: ``TransferQueue/Flaw`` when the result would be invalid; ``StoreError`` when it could not be recorded.
    @discardableResult
    public func editQueue(_ name: String, _ edit: QueueEdit) async throws -> TransferQueue {
        do {
            return try await changed(name, edit)
        } catch StoreError.refusedQueue(let flaw) {
            throw flaw
        }
    }

    /// Pauses a queue: none of its transfers start. Running ones, in any process, are checkpointed, stopped and queued
    /// again; those that write to a stream keep running.
    ///
    /// - Throws: ``StoreError``; ``StoreError/refusedQueue(_:)`` for an invalid name.
    @discardableResult
    public func pauseQueue(_ name: String) async throws(StoreError) -> TransferQueue {
        var edit = QueueEdit()
        edit.isPaused = true
        return try await changed(name, edit)
    }

    /// Lets the transfers of a paused queue start again.
    ///
    /// - Throws: ``StoreError``; ``StoreError/refusedQueue(_:)`` for an invalid name.
    @discardableResult
    public func resumeQueue(_ name: String) async throws(StoreError) -> TransferQueue {
        var edit = QueueEdit()
        edit.isPaused = false
        return try await changed(name, edit)
    }

    private func changed(_ name: String, _ edit: QueueEdit) async throws(StoreError) -> TransferQueue {
        let queue = try await client.store.edit(queue: name, edit, at: client.now)
        client.ownership.displacedParts.expectChange()
        client.link?.queuesChanged()
        return queue
    }
}
