@_exported public import FerryCore
import Logging
public import ServiceLifecycle

/// The engine: keeps transfers in a durable store and runs them until each has ended.
///
/// ```swift
/// try await TransferEngine.withEngine(EngineConfiguration(dataDirectory: "/var/lib/app")) { engine in
///     let download = try await engine.download(
///         from: url,
///         to: .file(directory: "/srv/images", name: nil)
///     )
///     print(try await download.value().path ?? "")
/// }
/// ```
///
/// As a ServiceLifecycle `Service` it also runs in a `ServiceGroup`, and stops when the group does.
public final class TransferEngine: Service, Sendable {
    let configuration: EngineConfiguration
    let seams: EngineSeams
    let hub: UpdateHub
    let scheduler: Scheduler
    let results: ResultCache

    package init(_ configuration: EngineConfiguration, seams: EngineSeams) {
        self.configuration = configuration
        self.seams = seams
        hub = UpdateHub()
        results = ResultCache(capacity: configuration.resultMemory)
        scheduler = Scheduler(configuration, seams: seams, hub: hub)
    }

    // MARK: Life

    /// Runs transfers until the engine is stopped, the service group shuts down, or its scope has nothing left.
    ///
    /// Stopping is graceful: running transfers are checkpointed first. Cancelling the task stops in the same way.
    ///
    /// - Throws: ``StoreError`` when the store can no longer be read or written.
    public func run() async throws {
        defer { hub.finish() }
        // A task of its own, awaited here, shields the work from cancellation: a checkpoint that was begun is
        // finished, and cancelling asks for a graceful stop instead.
        let work = Task(executorPreference: seams.executor) { try await self.scheduler.run() }
        try await withTaskCancellationHandler {
            try await withGracefulShutdownHandler {
                try await work.value
            } onGracefulShutdown: {
                self.stop()
            }
        } onCancel: {
            self.stop()
        }
    }

    /// Asks the engine to stop. Returns at once; ``run()`` returns when all is checkpointed.
    ///
    /// That is its end: it runs nothing from then on, and ``run()`` returns at once. Another engine of the same store goes on.
    public func stop() {
        scheduler.signal(.stop)
    }

    /// Leaves the store. The engine must not be running, and nothing may follow.
    public func close() async {
        await scheduler.leave()
        seams.host.resign()
        await seams.transport.shutdown()
        await seams.network.shutdown()
        await seams.store.close()
        await seams.release()
    }

    // MARK: Adding

    /// What a destination really is: one that names a device or a FIFO is a stream, and is written to rather
    /// than replaced.
    ///
    /// - Throws: ``StorageProblem`` when its directory is missing or cannot be used.
    public func examine(_ destination: Destination) async throws(StorageProblem) -> Destination {
        guard case .file(let directory, let name) = destination else { return destination }
        let probe = FilePlace(directory: directory, name: name ?? .fallback)
        let survey = try await seams.files.survey(probe)
        return name != nil && survey.final?.kind == .stream ? .stream(path: probe.path) : destination
    }

    /// Downloads one resource, in this engine.
    ///
    /// Returns once the transfer is durable (I3). When an unfinished or failed transfer of the same URL to the
    /// same destination is there already, it is that one which goes on. Whoever asks for the same meanwhile gets its
    /// progress and its end, too, and one caller's ``TransferHandle/cancel(keepingPart:)`` leaves it to the others.
    ///
    /// - Parameters:
    ///   - queue: the line that it stands in; see ``queues()``.
    ///   - priority: higher runs first within that queue.
    ///   - others: the transfers that have to complete before it begins, whoever runs them. It fails when one of them does
    ///     (``TransferFailure/Code/dependencyFailed``).
    ///   - tag: your own name for it, by which ``find(tag:)`` finds it again.
    /// - Throws: ``StoreError`` when it could not be recorded; ``StoreError/noSuchTransfer(_:)`` and
    ///   ``StoreError/notPossible(_:_:)`` when one of `others` is unknown, has failed, was cancelled, or comes after it.
    public func download(
        from url: HTTPURL,
        to destination: Destination,
        options: DownloadOptions = DownloadOptions(),
        queue: String = NewTransfer.defaultQueue,
        priority: Int = 0,
        after others: [TransferID] = [],
        tag: TransferTag? = nil
    ) async throws(StoreError) -> TransferHandle {
        let specification = DownloadSpecification(url: url, destination: destination, options: options)
        var transfer = NewTransfer(specification, queue: queue, priority: priority, after: others)
        transfer.tag = tag
        let additions = try await download([transfer])
        return TransferHandle(
            id: additions[0].transfer.id,
            engine: self,
            stake: CallerStake(in: specification.identity)
        )
    }

    /// Downloads many resources, in this engine; all are durable when it returns.
    ///
    /// One that is attached to an unfinished transfer goes on here when nobody runs it, and is followed when
    /// another process does. One that was completed before, and whose file is still in its place, is attached to
    /// as it is and not run again (I8), unless existing files are to be overwritten.
    ///
    /// - Returns: what became of each, in the order given.
    public func download(_ transfers: [NewTransfer]) async throws(StoreError) -> [Addition] {
        let owner = try await scheduler.join()
        let identities = transfers.compactMap(\.work.identity)
        hub.callers.expect(identities)
        hub.expectFollowing()
        do throws(StoreError) {
            let additions = try await add(transfers, holder: owner)
            let wanted = additions.map(\.transfer).filter { !$0.state.isFinal }.map(\.id)
            await endUnwanted(hub.callers.arrive(identities, at: wanted))
            scheduler.follow(additions.map(\.transfer))
            return additions
        } catch {
            hub.follow([])
            await endUnwanted(hub.callers.arrive(identities, at: []))
            throw error
        }
    }

    /// Cancels what its last caller left to another one, who then did not get it.
    private func endUnwanted(_ ids: [TransferID]) async {
        for id in ids {
            do {
                try await cancel(id)
            } catch {
                configuration.logger.warning(
                    "A transfer without callers could not be cancelled.",
                    metadata: ["transfer": "\(id)", "error": "\(type(of: error))"]
                )
            }
        }
    }

    /// Adds transfers for whoever runs the queue; all are durable when it returns (I3). What is there already, or
    /// was completed before, is attached to as by ``download(_:)``.
    public func add(_ transfers: [NewTransfer]) async throws(StoreError) -> [Addition] {
        try await rescueTheDead()
        let additions = try await add(transfers, holder: nil)
        scheduler.signal(.storeChanged)
        return additions
    }

    /// Adds one download for whoever runs the queue; it is durable when it returns (I3). What is there already, or was
    /// completed before, is attached to as by ``download(_:)``.
    ///
    /// - Parameters:
    ///   - queue: the line that it stands in; see ``queues()``.
    ///   - priority: higher runs first within that queue.
    ///   - others: the transfers that have to complete before it begins, whoever runs them.
    ///   - tag: your own name for it, by which ``find(tag:)`` finds it again.
    /// - Throws: as ``download(from:to:options:queue:priority:after:tag:)``.
    @discardableResult
    public func add(
        from url: HTTPURL,
        to destination: Destination,
        options: DownloadOptions = DownloadOptions(),
        queue: String = NewTransfer.defaultQueue,
        priority: Int = 0,
        after others: [TransferID] = [],
        tag: TransferTag? = nil
    ) async throws(StoreError) -> TransferHandle {
        let specification = DownloadSpecification(url: url, destination: destination, options: options)
        var transfer = NewTransfer(specification, queue: queue, priority: priority, after: others)
        transfer.tag = tag
        return self.transfer(try await add([transfer])[0].transfer.id)
    }

    /// Takes up transfers that are there already: those that nobody runs are queued again and run here, those
    /// that another process runs are followed.
    public func follow(_ ids: [TransferID]) async throws(StoreError) {
        let owner = try await scheduler.join()
        var transfers: [Transfer] = []
        hub.expectFollowing()
        defer { scheduler.follow(transfers) }
        for id in ids {
            var transfer = try await snapshot(of: id)
            guard transfer.work.canChangeOwner else {
                throw .notPossible(
                    id,
                    "Transfer \(id) writes to the standard output of the command that began it; give that command again."
                )
            }
            // A pause or a cancel that another process has not obeyed yet is taken back.
            if transfer.state != .completed, transfer.claim == nil || transfer.wish != nil {
                transfer = try await requeue(id, for: owner)
            }
            transfers.append(transfer)
        }
    }

    private func requeue(_ id: TransferID, for owner: OwnerID) async throws(StoreError) -> Transfer {
        do {
            return try await seams.store.requeue(id, holder: owner, at: seams.clock.now)
        } catch {
            // That another process has completed it in the meantime is what was wanted.
            guard case .notPossible = error, let transfer = try await seams.store.transfer(id),
                transfer.state == .completed
            else {
                throw error
            }
            return transfer
        }
    }

    // MARK: Looking

    /// A hold on a transfer, by number.
    public func transfer(_ id: TransferID) -> TransferHandle {
        TransferHandle(id: id, engine: self)
    }

    /// The transfer as the store holds it.
    public func snapshot(of id: TransferID) async throws(StoreError) -> Transfer {
        guard let transfer = try await seams.store.transfer(id) else { throw .noSuchTransfer(id) }
        return transfer
    }

    /// How far a transfer has come; live when this engine runs it, else as last recorded.
    public func progress(of id: TransferID) async throws(StoreError) -> TransferProgress {
        if let live = hub.liveProgress(of: id) { return live }
        return try await snapshot(of: id).recordedProgress
    }

    /// A page of transfers, in the order of their numbers.
    public func transfers(
        _ filter: TransferFilter = .all,
        after: TransferID? = nil,
        limit: Int = 100
    ) async throws(StoreError) -> [Transfer] {
        try await seams.store.transfers(filter, after: after, limit: limit)
    }

    /// What was passed over because its row in the store is damaged, by all that was read since the engine was opened. Others
    /// are run as if it were not there; ``remove(_:)`` forgets it.
    public func damagedTransfers() async -> [DamagedTransfer] {
        await seams.store.damagedTransfers()
    }

    /// The attempts of a transfer that failed, oldest first.
    public func attempts(of id: TransferID) async throws(StoreError) -> [Attempt] {
        try await seams.store.attempts(of: id)
    }

    /// How many transfers are in each state, by the state's name.
    public func counts() async throws(StoreError) -> [String: Int] {
        try await seams.store.counts()
    }

    /// The processes that run transfers of this store.
    public func owners() async throws(StoreError) -> [Owner] {
        try await seams.store.owners()
    }

    /// What is known of an owner's process.
    public func life(of owner: Owner) -> Life {
        seams.host.life(of: owner.process)
    }

    /// Whether an owner is this process.
    public func isThisProcess(_ owner: Owner) -> Bool {
        owner.process.isSameProcess(as: seams.host.currentProcess)
    }

    /// The progress of everything that this engine follows, as one.
    public var totalProgress: TransferProgress { hub.totalProgress }

    /// The updates of the given transfers, beginning with the present state of each; of all that this engine
    /// follows or runs when `ids` is `nil`.
    public func updates(of ids: Set<TransferID>? = nil) -> TransferUpdates {
        let updates = hub.observe(ids)
        scheduler.signal(.observed)
        return updates
    }

    /// The updates of transfers that were looked at already, beginning with what is new: of ten thousand that were just
    /// added there is nothing to be said.
    package func updates(after known: [Transfer]) -> TransferUpdates {
        let updates = hub.observe(Set(known.map(\.id)), knowing: known)
        scheduler.signal(.observed)
        return updates
    }

    /// Whether the store may only be read, and is seen as it was when it was opened.
    package var isReadOnly: Bool { seams.store.isReadOnly }

    /// An element whenever anything in the store may have changed, by any process.
    public func changes() -> AsyncStream<Void> {
        seams.store.changes()
    }

    // MARK: Steering

    /// Frees what processes that have died still hold, so that it is seen as what it is: queued, with its bytes.
    ///
    /// A running engine does so by itself every two seconds.
    public func rescueTheDead() async throws(StoreError) {
        try await scheduler.ownership.rescueTheDead()
    }

    /// Frees transfers whose owners nothing shows to live or to be dead, because a person says that they are gone; a pause or a
    /// cancel that such an owner did not obey is taken back. One that lives after all is fenced off: it loses these claims,
    /// and stops what it runs by them (I4). Whatever an owner holds that is seen to live stays with it.
    package func takeOver(_ ids: [TransferID]) async throws(StoreError) {
        try await scheduler.ownership.takeOver(ids)
    }

    /// Checkpoints and stops a transfer, whoever runs it, until it is resumed.
    @discardableResult
    public func pause(_ id: TransferID) async throws(StoreError) -> Transfer {
        try await rescueTheDead()
        return try await steered(seams.store.ask(.pause, of: id, at: seams.clock.now))
    }

    /// Queues a paused, waiting or failed transfer again.
    @discardableResult
    public func resume(_ id: TransferID) async throws(StoreError) -> Transfer {
        try await rescueTheDead()
        return try await steered(seams.store.requeue(id, holder: nil, at: seams.clock.now))
    }

    /// Ends a transfer for good, whoever runs it, and removes its part file unless that is to be kept. On one that
    /// is cancelled already, what could not be removed before is removed.
    ///
    /// - Throws: ``StoreError``, or ``StorageProblem`` when the part file cannot be removed; the transfer is
    ///   cancelled nevertheless.
    @discardableResult
    public func cancel(_ id: TransferID, keepingPart: Bool = false) async throws -> Transfer {
        try await rescueTheDead()
        let transfer = try await snapshot(of: id)
        if transfer.residue != nil, transfer.claim == nil, !keepingPart {
            try await seams.removePart(of: transfer)
            return transfer
        }
        return try await steered(end(id, keepingPart: keepingPart))
    }

    /// Cancels a transfer and, when nobody runs it, removes its part file. The row comes first, so that nobody goes on
    /// with what is being removed; it is held until the file is gone, so that a crash in between leaves it to whoever
    /// rescues.
    private func end(_ id: TransferID, keepingPart: Bool) async throws -> Transfer {
        let owner = try await scheduler.join()
        let wish = Wish.cancel(keepingPart: keepingPart)
        let cancelled = try await seams.store.ask(wish, of: id, holder: owner, at: seams.clock.now)
        guard cancelled.state == .cancelled, let claim = cancelled.claim else { return cancelled }
        var cleaned = cancelled
        var problem: StorageProblem?
        do throws(StorageProblem) {
            try await seams.removePart(of: cancelled)
            cleaned.noteResidueRemoved()
        } catch {
            problem = error
        }
        let settled: Transfer
        do throws(StoreError) {
            let settlement = Settlement(.cancelled, progress: cleaned.work.progress)
            settled = try await seams.store.settle(claim, as: settlement, at: seams.clock.now)
        } catch .claimLost {
            // Somebody took this process for dead, and has seen to the file.
            return cancelled
        }
        if let problem { throw problem }
        return settled
    }

    /// Changes what a transfer is asked to do.
    @discardableResult
    public func edit(_ id: TransferID, _ edit: TransferEdit) async throws(StoreError) -> Transfer {
        try await rescueTheDead()
        return try await steered(seams.store.edit(id, edit, at: seams.clock.now))
    }

    /// Forgets transfers that are final; when one is not final, none. Finished files stay; the part files of failed ones
    /// are removed first. When one of them cannot be, nothing is forgotten, and those whose file is gone are cancelled.
    public func remove(_ ids: [TransferID]) async throws {
        try await rescueTheDead()
        let damaged = try await damaged(among: ids)
        for id in ids where !damaged.contains(id) {
            let transfer = try await snapshot(of: id)
            guard transfer.state.isFinal else {
                throw StoreError.notPossible(
                    id,
                    "Transfer \(id) is \(transfer.state.name). `ferry cancel \(id)` ends it first."
                )
            }
        }
        for id in ids where !damaged.contains(id) {
            try await clear(id)
        }
        try await seams.store.forget(ids)
    }

    /// Those whose rows are damaged, so that nothing is known of their part files.
    private func damaged(among ids: [TransferID]) async throws(StoreError) -> Set<TransferID> {
        _ = try await seams.store.transfers(ids)
        return Set(await damagedTransfers().map(\.id)).intersection(ids)
    }

    /// Forgets the oldest of the completed transfers, and of those cancelled ones that have no part file, as far as they
    /// are more than `retention` keeps. A running engine does so by itself, as ``EngineConfiguration/retention`` says.
    ///
    /// - Returns: how many were forgotten.
    @discardableResult
    public func prune(_ retention: Retention) async throws(StoreError) -> Int {
        var count = 0
        while true {
            let forgotten = try await seams.store.prune(
                retention,
                upTo: Scheduler.pruneLength,
                at: seams.clock.now
            )
            count += forgotten.count
            for id in forgotten { hub.forget(id) }
            if forgotten.count < Scheduler.pruneLength { return count }
        }
    }

    /// Sees to it that a failed or cancelled transfer has no part file any more, and gets none.
    private func clear(_ id: TransferID) async throws {
        let transfer = try await snapshot(of: id)
        switch transfer.state {
        case .failed: _ = try await end(id, keepingPart: false)
        case .cancelled: try await seams.removePart(of: transfer)
        case .queued, .active, .waiting, .paused, .completed: break
        }
    }

    private func steered(_ transfer: Transfer) -> Transfer {
        hub.publish(transfer)
        scheduler.signal(.storeChanged)
        return transfer
    }

    /// Changes how fast all transfers of this engine may be together; those that run go on at once under the new
    /// limit.
    public func setRateLimit(_ schedule: RateSchedule) {
        scheduler.rate.set(schedule)
        scheduler.signal(.rate)
    }

    // MARK: Care

    /// Makes anew what the store derives from its transfers, where another program has left it wrong; returns what was
    /// wrong, in words, or nothing. No transfer is changed.
    public func mendStore() async throws(StoreError) -> [String] {
        try await seams.store.mend()
    }

    /// Checks the store from top to bottom; returns what is wrong with it, in words, or nothing.
    public func verifyStore() async throws(StoreError) -> [String] {
        try await seams.store.verify()
    }
}
