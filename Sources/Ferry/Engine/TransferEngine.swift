@_exported public import FerryCore
import Logging
public import ServiceLifecycle

/// Keeps transfers in a durable store and runs each until it has ended.
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
/// As a ServiceLifecycle `Service` it also runs in a `ServiceGroup`, and stops with the group.
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

    /// Runs transfers until the engine is stopped, the service group shuts down, or its scope has no transfers left.
    ///
    /// It stops gracefully: running transfers are checkpointed first. Cancelling the task stops it in the same way.
    ///
    /// - Throws: ``StoreError`` when the store can no longer be read or written.
    public func run() async throws {
        defer { hub.finish() }
        // A separate task, awaited here, shields the work from cancellation. A checkpoint that has begun is finished;
        // cancelling asks for a graceful stop instead.
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

    /// Asks the engine to stop. Returns at once; ``run()`` returns when every transfer is checkpointed.
    ///
    /// A stopped engine runs nothing more, and ``run()`` returns at once. Another engine of the same store can resume.
    public func stop() {
        scheduler.signal(.stop)
    }

    /// Closes the store. The engine must not be running; do not use it afterwards.
    public func close() async {
        await scheduler.leave()
        seams.host.resign()
        await seams.transport.shutdown()
        await seams.network.shutdown()
        await seams.store.close()
        await seams.release()
    }

    // MARK: Adding

    /// What a destination really is. A name of a device or a FIFO is a stream, which is written to and never replaced.
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
    /// Returns once the transfer is durable (I3). If an unfinished or failed transfer of the same URL to the same
    /// destination already exists, that one is resumed. Callers that ask for the same download share its progress and
    /// its end; ``TransferHandle/cancel(keepingPart:)`` of one caller leaves it to the others.
    ///
    /// - Parameters:
    ///   - queue: the queue to add it to; see ``queues()``.
    ///   - priority: higher runs first within that queue.
    ///   - others: the transfers that must complete before it starts, in any process. It fails when one of them fails
    ///     (``TransferFailure/Code/dependencyFailed``).
    ///   - tag: your own name for it, by which ``find(tag:)`` finds it again.
    /// - Throws: ``StoreError`` when it could not be recorded; ``StoreError/noSuchTransfer(_:)`` and
    ///   ``StoreError/notPossible(_:_:)`` when one of `others` is unknown, has failed, was cancelled, or comes after
    ///   it.
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

    /// Downloads many resources, in this engine. All are durable when this returns.
    ///
    /// A download that is attached to an unfinished transfer is resumed here if no process runs it, and followed if
    /// another process does. If it was already completed and its file is still in place, it is attached to that and
    /// not run again (I8), unless existing files are to be overwritten.
    ///
    /// - Returns: the result of each, in the order given.
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

    /// Cancels transfers whose last caller left them to a new caller that then did not get them.
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

    /// Adds transfers for any process that runs the queue. All are durable when this returns (I3). A transfer that
    /// already exists, or was already completed, is attached to as by ``download(_:)``.
    public func add(_ transfers: [NewTransfer]) async throws(StoreError) -> [Addition] {
        try await rescueTheDead()
        let additions = try await add(transfers, holder: nil)
        scheduler.signal(.storeChanged)
        return additions
    }

    /// Adds one download for any process that runs the queue. It is durable when this returns (I3). A transfer that
    /// already exists, or was already completed, is attached to as by ``download(_:)``.
    ///
    /// - Parameters:
    ///   - queue: the queue to add it to; see ``queues()``.
    ///   - priority: higher runs first within that queue.
    ///   - others: the transfers that must complete before it starts, in any process.
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

    /// Takes up existing transfers. Those that no process runs are queued again and run here; those that another
    /// process runs are followed.
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
                    "Transfer \(id) writes to the standard output of the command that started it; repeat that command."
                )
            }
            // Withdraws a pause or a cancel that another process has not obeyed yet.
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
            // If another process has completed it in the meantime, that is what the caller wanted.
            guard case .notPossible = error, let transfer = try await seams.store.transfer(id),
                transfer.state == .completed
            else {
                throw error
            }
            return transfer
        }
    }

    // MARK: Looking

    /// A handle to a transfer, by ID.
    public func transfer(_ id: TransferID) -> TransferHandle {
        TransferHandle(id: id, engine: self)
    }

    /// The transfer as the store holds it.
    public func snapshot(of id: TransferID) async throws(StoreError) -> Transfer {
        guard let transfer = try await seams.store.transfer(id) else { throw .noSuchTransfer(id) }
        return transfer
    }

    /// The progress of a transfer: live if this engine runs it, otherwise as last recorded.
    public func progress(of id: TransferID) async throws(StoreError) -> TransferProgress {
        if let live = hub.liveProgress(of: id) { return live }
        return try await snapshot(of: id).recordedProgress
    }

    /// A page of transfers, in the order of their IDs.
    public func transfers(
        _ filter: TransferFilter = .all,
        after: TransferID? = nil,
        limit: Int = 100
    ) async throws(StoreError) -> [Transfer] {
        try await seams.store.transfers(filter, after: after, limit: limit)
    }

    /// Transfers with a damaged row in the store, found by any read since the engine was opened. All others run as if
    /// these did not exist; ``remove(_:)`` removes one.
    public func damagedTransfers() async -> [DamagedTransfer] {
        await seams.store.damagedTransfers()
    }

    /// The failed attempts of a transfer, oldest first.
    public func attempts(of id: TransferID) async throws(StoreError) -> [Attempt] {
        try await seams.store.attempts(of: id)
    }

    /// The number of transfers in each state, by the state's name.
    public func counts() async throws(StoreError) -> [String: Int] {
        try await seams.store.counts()
    }

    /// The processes that run transfers of this store.
    public func owners() async throws(StoreError) -> [Owner] {
        try await seams.store.owners()
    }

    /// Whether an owner's process lives.
    public func life(of owner: Owner) -> Life {
        seams.host.life(of: owner.process)
    }

    /// Whether an owner is this process.
    public func isThisProcess(_ owner: Owner) -> Bool {
        owner.process.isSameProcess(as: seams.host.currentProcess)
    }

    /// The combined progress of every transfer that this engine follows.
    public var totalProgress: TransferProgress { hub.totalProgress }

    /// The updates of the given transfers, or with `nil` of every transfer that this engine follows or runs. They
    /// begin with the present state of each.
    public func updates(of ids: Set<TransferID>? = nil) -> TransferUpdates {
        let updates = hub.observe(ids)
        scheduler.signal(.observed)
        return updates
    }

    /// The updates of transfers that the caller already knows, beginning with the first change. Ten thousand
    /// transfers that were just added yield nothing.
    package func updates(after known: [Transfer]) -> TransferUpdates {
        let updates = hub.observe(Set(known.map(\.id)), knowing: known)
        scheduler.signal(.observed)
        return updates
    }

    /// Whether the store is read-only, and seen as it was when it was opened.
    package var isReadOnly: Bool { seams.store.isReadOnly }

    /// Yields an element whenever anything in the store may have changed, by any process.
    public func changes() -> AsyncStream<Void> {
        seams.store.changes()
    }

    // MARK: Steering

    /// Frees the transfers that dead processes still hold, so that they show as queued, with their bytes.
    ///
    /// A running engine does this by itself every two seconds.
    public func rescueTheDead() async throws(StoreError) {
        try await scheduler.ownership.rescueTheDead()
    }

    /// Frees transfers of owners that nothing shows to be alive or dead, because a person says that they are gone. A
    /// pause or a cancel that such an owner did not obey is withdrawn. An owner that lives after all is fenced off:
    /// it loses these claims and stops what it runs by them (I4). An owner that is seen to live keeps its transfers.
    package func takeOver(_ ids: [TransferID]) async throws(StoreError) {
        try await scheduler.ownership.takeOver(ids)
    }

    /// Checkpoints and stops a transfer, in any process, until it is resumed.
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

    /// Ends a transfer for good, in any process, and removes its part file unless it is to be kept. For a transfer
    /// that is already cancelled, removes a part file that could not be removed before.
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

    /// Cancels a transfer and, if no process runs it, removes its part file. The row changes first, so that no
    /// process resumes what is being removed. This process holds the row until the file is gone: after a crash in
    /// between, rescue removes it.
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
            // Another process took this one for dead, and removes the file.
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

    /// Removes final transfers from the store; if one is not final, removes none. Finished files stay; part files of
    /// failed transfers are removed first. If a part file cannot be removed, no transfer is removed, and those whose
    /// part file is gone are cancelled.
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

    /// Those with damaged rows, whose part files are unknown.
    private func damaged(among ids: [TransferID]) async throws(StoreError) -> Set<TransferID> {
        _ = try await seams.store.transfers(ids)
        return Set(await damagedTransfers().map(\.id)).intersection(ids)
    }

    /// Removes the oldest completed transfers, and cancelled ones without a part file, beyond what `retention` keeps. A
    /// running engine does this by itself, as ``EngineConfiguration/retention`` says.
    ///
    /// - Returns: the number of transfers removed.
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

    /// Removes the part file of a failed or cancelled transfer, and lets it get no new one.
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

    /// Changes the speed limit of all transfers of this engine together; it applies to running transfers at once.
    public func setRateLimit(_ schedule: RateSchedule) {
        scheduler.rate.set(schedule)
        scheduler.signal(.rate)
    }

    // MARK: Care

    /// Rebuilds what the store derives from its transfers, where another program has damaged it. Returns descriptions
    /// of what was wrong; empty if nothing was. No transfer is changed.
    public func mendStore() async throws(StoreError) -> [String] {
        try await seams.store.mend()
    }

    /// Checks the whole store; returns descriptions of what is wrong, empty if nothing is.
    public func verifyStore() async throws(StoreError) -> [String] {
        try await seams.store.verify()
    }
}
