public import FerryCore

/// Queues: named lines of transfers, which all processes that share the store obey, at once and while transfers run.
///
/// A transfer stands in the queue that it was added with (``NewTransfer/queue``), or in that to which it was moved
/// (``TransferEdit/queue``). A queue that was never changed is as ``TransferQueue/init(_:)`` makes it.
extension TransferAccess {
    /// The queues that were ever changed and those in which something runs or could run, by name.
    public func queues() async throws(StoreError) -> [QueueSummary] {
        try await client.store.queues()
    }

    /// The queues that were ever changed, by name. It costs far less than ``queues()``.
    public func changedQueues() async throws(StoreError) -> [TransferQueue] {
        try await client.store.changedQueues()
    }

    /// Forgets what was changed about a queue in which nothing is unfinished.
    ///
    /// - Returns: whether anything had been changed.
    /// - Throws: ``StoreError/notPossible(_:_:)`` when a transfer stands in it that is not over.
    @discardableResult
    public func removeQueue(_ name: String) async throws(StoreError) -> Bool {
        let wasChanged = try await client.store.remove(queue: name)
        client.link?.queuesChanged()
        return wasChanged
    }

    /// A queue as it is now.
    public func queue(named name: String) async throws(StoreError) -> TransferQueue {
        try await client.store.queue(named: name)
    }

    /// Makes the queue of that name as it is here.
    ///
    /// - Throws: ``TransferQueue/Flaw`` when it means nothing; ``StoreError`` when it could not be recorded.
    public func setQueue(_ queue: TransferQueue) async throws {
        _ = try await editQueue(queue.name, QueueEdit(making: queue))
    }

    /// Changes a queue.
    ///
    /// - Returns: the queue as it is afterwards.
    /// - Throws: ``TransferQueue/Flaw`` when it would mean nothing; ``StoreError`` when it could not be recorded.
    @discardableResult
    public func editQueue(_ name: String, _ edit: QueueEdit) async throws -> TransferQueue {
        do {
            return try await changed(name, edit)
        } catch StoreError.refusedQueue(let flaw) {
            throw flaw
        }
    }

    /// Lets no transfer of a queue start. Those that run are checkpointed and stopped, whoever runs them, and stand in
    /// line again; those that write to a stream go on.
    ///
    /// - Throws: ``StoreError``; ``StoreError/refusedQueue(_:)`` for a name that no queue may have.
    @discardableResult
    public func pauseQueue(_ name: String) async throws(StoreError) -> TransferQueue {
        var edit = QueueEdit()
        edit.isPaused = true
        return try await changed(name, edit)
    }

    /// Lets the transfers of a paused queue start again.
    ///
    /// - Throws: ``StoreError``; ``StoreError/refusedQueue(_:)`` for a name that no queue may have.
    @discardableResult
    public func resumeQueue(_ name: String) async throws(StoreError) -> TransferQueue {
        var edit = QueueEdit()
        edit.isPaused = false
        return try await changed(name, edit)
    }

    private func changed(_ name: String, _ edit: QueueEdit) async throws(StoreError) -> TransferQueue {
        let queue = try await client.store.edit(queue: name, edit, at: client.now)
        client.link?.queuesChanged()
        return queue
    }
}
