public import FerryCore

/// Queues: named lines of transfers, which all processes that share the store obey, at once and while transfers run.
///
/// A transfer stands in the queue that it was added with (``NewTransfer/queue``), or in that to which it was moved
/// (``TransferEdit/queue``). A queue that was never changed is as ``TransferQueue/init(_:)`` makes it.
extension TransferEngine {
    /// The queues that were ever changed and those in which something runs or could run, by name.
    public func queues() async throws(StoreError) -> [QueueSummary] {
        try await seams.store.queues()
    }

    /// The queues that were ever changed, by name. It costs far less than ``queues()``.
    public func changedQueues() async throws(StoreError) -> [TransferQueue] {
        try await seams.store.changedQueues()
    }

    /// Forgets what was changed about a queue in which nothing is unfinished.
    ///
    /// - Returns: whether anything had been changed.
    /// - Throws: ``StoreError/notPossible(_:_:)`` when a transfer stands in it that is not over.
    @discardableResult
    public func removeQueue(_ name: String) async throws(StoreError) -> Bool {
        let wasChanged = try await seams.store.remove(queue: name)
        scheduler.queueRates.expectChange()
        scheduler.signal(.storeChanged)
        return wasChanged
    }

    /// A queue as it is now.
    public func queue(named name: String) async throws(StoreError) -> TransferQueue {
        try await seams.store.queue(named: name)
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

    /// Pauses every transfer that is not over, of every queue and whoever runs it, until each is resumed.
    ///
    /// - Returns: how many were paused, or asked to.
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

    /// Pauses what has not ended meanwhile, all at once so that they share commits; returns how many there were.
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
