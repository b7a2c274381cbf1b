public import FerryCore

/// Queues: named lines of transfers. All processes that share the store obey them, at once and while transfers run.
///
/// A transfer is in the queue that it was added with (``NewTransfer/queue``) or moved to (``TransferEdit/queue``). A
/// queue that was never changed equals ``TransferQueue/init(_:)``.
extension TransferEngine {
    /// Changed queues, and queues with a transfer that runs or could run, by name.
    public func queues() async throws(StoreError) -> [QueueSummary] {
        try await seams.store.queues()
    }

    /// The queues that were ever changed, by name. Costs far less than ``queues()``.
    public func changedQueues() async throws(StoreError) -> [TransferQueue] {
        try await seams.store.changedQueues()
    }

    /// Removes the settings of a queue that has no unfinished transfers.
    ///
    /// - Returns: whether the queue had any settings.
    /// - Throws: ``StoreError/notPossible(_:_:)`` when the queue has an unfinished transfer.
    @discardableResult
    public func removeQueue(_ name: String) async throws(StoreError) -> Bool {
        let wasChanged = try await seams.store.remove(queue: name)
        scheduler.queueRates.expectChange()
        scheduler.signal(.storeChanged)
        return wasChanged
    }

    /// The present settings of a queue.
    public func queue(named name: String) async throws(StoreError) -> TransferQueue {
        try await seams.store.queue(named: name)
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

    /// Pauses every unfinished transfer, of every queue and in every process, until each is resumed.
    ///
    /// - Returns: the number of transfers that were paused or asked to pause.
    @discardableResult
    public func stopAll() async throws(StoreError) -> Int {
        try await rescueTheDead()
        var count = 0
        var last: TransferID?
        repeat {
            let page = try await transfers(.unfinished, after: last, limit: EngineSeams.pageLength)
            count += try await pause(
                page.filter { $0.state != .paused || $0.isLeft }.map(\.id)
            )
            last = page.count == EngineSeams.pageLength ? page.last?.id : nil
        } while last != nil
        return count
    }

    /// Pauses transfers that have not ended meanwhile; returns their number. They are asked all at once to share
    /// commits.
    private func pause(_ ids: [TransferID]) async throws(StoreError) -> Int {
        let results = await withTaskGroup(of: Result<Int, StoreError>.self) { group in
            for id in ids {
                group.addTask { [self] in
                    do throws(StoreError) {
                        try await steer(id, .pause)
                        return .success(1)
                    } catch {
                        switch error {
                        case .notPossible, .noSuchTransfer: return .success(0)
                        default: return .failure(error)
                        }
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        var count = 0
        for result in results { count += try result.get() }
        return count
    }

    private func changed(_ name: String, _ edit: QueueEdit) async throws(StoreError) -> TransferQueue {
        let queue = try await seams.store.edit(queue: name, edit, at: seams.clock.now)
        scheduler.queueRates.expectChange()
        scheduler.signal(.storeChanged)
        return queue
    }

    private func steer(_ id: TransferID, _ wish: Wish) async throws(StoreError) {
        hub.publish(try await seams.store.ask(wish, of: id, at: seams.clock.now))
        scheduler.signal(.storeChanged)
    }
}
