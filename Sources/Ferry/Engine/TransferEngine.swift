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
public final class TransferEngine: TransferAccess, Service, Sendable {
    /// What it adds, steers and reads transfers with.
    public let client: TransferClient
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
        let logger = configuration.logger
        let ownership = Ownership(seams: seams.client, logger: logger)
        scheduler = Scheduler(configuration, seams: seams, hub: hub, ownership: ownership)
        let link = EngineLink(hub: hub, scheduler: scheduler)
        client = TransferClient(seams: seams.client, ownership: ownership, logger: logger, link: link)
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
        await seams.transport.shutdown()
        await seams.network.shutdown()
        await client.close()
    }

    // MARK: Adding

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
            client: client,
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

    /// The progress of everything that this engine follows, as one.
    public var totalProgress: TransferProgress { hub.totalProgress }

    /// The updates of all that this engine follows or runs, beginning with the present state of each.
    public func updates() -> TransferUpdates {
        EngineLink(hub: hub, scheduler: scheduler).updates(of: nil)
    }

    /// The updates of transfers that were looked at already, beginning with what is new: of ten thousand that were just
    /// added there is nothing to be said.
    package func updates(after known: [Transfer]) -> TransferUpdates {
        let buffer = hub.observe(Set(known.map(\.id)), knowing: known)
        scheduler.signal(.observed)
        return TransferUpdates(source: .engine(buffer))
    }

    /// Changes how fast all transfers of this engine may be together; those that run go on at once under the new
    /// limit.
    public func setRateLimit(_ schedule: RateSchedule) {
        scheduler.rate.set(schedule)
        scheduler.signal(.rate)
    }
}
