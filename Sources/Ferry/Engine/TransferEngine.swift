@_exported public import FerryCore
@_exported public import FerryUploads
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
/// As a ServiceLifecycle `Service` it also runs in a `ServiceGroup`, and stops when the group does.
public final class TransferEngine: TransferAccess, Service, Sendable {
    /// The client with which it adds, steers and reads transfers.
    public let client: TransferClient
    let configuration: EngineConfiguration
    let seams: EngineSeams
    let hub: UpdateHub
    let scheduler: Scheduler

    package init(_ configuration: EngineConfiguration, seams: EngineSeams) {
        self.configuration = configuration
        self.seams = seams
        hub = UpdateHub()
        let logger = configuration.logger
        let ownership = Ownership(seams: seams.client, logger: logger)
        scheduler = Scheduler(configuration, seams: seams, hub: hub, ownership: ownership)
        let link = EngineLink(hub: hub, scheduler: scheduler)
        client = TransferClient(seams: seams.client, ownership: ownership, logger: logger, link: link)
    }

    // MARK: Life

    /// Frees what dead processes held, so that it is not shown as running, and removes the copies of bodies that they left.
    /// It is called once, when the store was opened.
    package func cleanUp() async throws(StoreError) {
        // It looks into a directory while the store is asked.
        async let removal: Void = removeUnneededCopies()
        try await client.ownership.rescueAtOpening()
        try await client.poolFiles.deleteLeaving()
        await removal
        // A command that runs a few downloads does not read whole pools.
        guard case .everything = configuration.scope else { return }
        for pool in try await client.cachePools() {
            do {
                try await cache(pool.pool).tidy()
            } catch {
                configuration.logger.warning(
                    "A pool could not be tidied.",
                    metadata: ["pool": "\(pool.pool)", "error": "\(error)"]
                )
            }
        }
    }

    private func removeUnneededCopies() async {
        do {
            try await seams.client.removeUnneededCopies()
        } catch {
            configuration.logger.warning(
                "Copies of bodies could not be removed.",
                metadata: ["error": "\(error)"]
            )
        }
    }

    /// Runs transfers until the engine is stopped, the service group shuts down, or its scope has no transfers left.
    ///
    /// It stops gracefully: running transfers are checkpointed first. Cancelling the task stops it in the same way.
    ///
    /// - Throws: ``StoreError`` when the store can no longer be read or written.
    public func run() async throws {
        defer { hub.finish() }
        // A separate task, awaited here, shields the work from cancellation. A record that has begun is finished;
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
        stop(configuration.whenStopped)
    }

    /// Asks the engine to stop, as ``stop()``, but with this policy. After an earlier stop it has no effect.
    package func stop(_ policy: EngineConfiguration.StopPolicy) {
        scheduler.stop(policy)
    }

    /// Closes the store. The engine must not be running; do not use it afterwards.
    public func close() async {
        await scheduler.fetches.close()
        // Nothing is sent any more, so the store does not wait for the network.
        async let disconnected: Void = disconnect()
        await client.closeStore()
        await disconnected
        await seams.release()
    }

    private func disconnect() async {
        await seams.transport.shutdown()
        await seams.network.shutdown()
    }

    // MARK: Adding

    /// Downloads one resource, in this engine.
    ///
    /// Returns once the transfer is durable (I3). If an unfinished or failed transfer of the same URL to the same
    /// destination already exists, that one is resumed. Callers that ask for the same download share it: if one of them
    /// calls ``TransferHandle/cancel(keepingPart:)``, it continues for the others. If the download was already completed and
    /// its file is still in place, it is not run again (I8), unless existing files are to be overwritten.
    ///
    /// A transfer that exists takes the tag and the payload of this call. Unless it runs, it also takes the queue and the
    /// priority, if they are not the defaults, and the options. A digest that an earlier call gave still counts if this one
    /// gives none. While a process holds the transfer, its options stay; a call that requires more of the file than
    /// these options do, such as another digest, is refused.
    ///
    /// - Parameters:
    ///   - queue: the queue to add it to; see ``queues()``.
    ///   - priority: higher runs first within that queue.
    ///   - others: the transfers that must complete before it starts, in any process. It fails when one of them fails
    ///     (``TransferFailure/Code/dependencyFailed``).
    ///   - tag: your own name for it, by which ``find(tag:)`` finds it again.
    ///   - payload: your own data for it, which is stored with it.
    ///   - uuid: a name that you have made, if the call may be repeated: under one UUID a transfer is stored once, and
    ///     runs once. A later call with the same UUID changes nothing, whatever the state of the transfer.
    /// - Throws: ``StoreError`` when it could not be recorded; ``StoreError/noSuchTransfer(_:)`` and
    ///   ``StoreError/notPossible(_:_:_:)`` when one of `others` is unknown, has failed, was cancelled, or comes after
    ///   it; ``StoreError/notPossible(_:_:_:)`` also when an existing transfer cannot meet what this call requires, or
    ///   when an earlier one has saved the file on a disk that is not mounted.
    public func download(
        from url: HTTPURL,
        to destination: Destination,
        options: DownloadOptions = DownloadOptions(),
        queue: String = NewTransfer.defaultQueue,
        priority: Int = 0,
        after others: [TransferID] = [],
        tag: TransferTag? = nil,
        payload: TransferPayload? = nil,
        uuid: TransferUUID? = nil
    ) async throws(StoreError) -> TransferHandle {
        let specification = DownloadSpecification(url: url, destination: destination, options: options)
        let new = NewTransfer(
            specification,
            queue: queue,
            priority: priority,
            after: others,
            tag: tag,
            payload: payload,
            uuid: uuid
        )
        let additions = try await download([new])
        return TransferHandle(
            id: additions[0].transfer.id,
            client: client,
            stake: new.work.identity.map { CallerStake(in: $0) }
        )
    }

    /// Adds transfers of any kind, and runs them in this engine. All are durable when this returns.
    ///
    /// If an unfinished or failed transfer of the same URL to the same destination already exists, that one is resumed
    /// here, or followed if another process runs it. If the download was already completed and its file is still in
    /// place, it is not run again (I8), unless existing files are to be overwritten.
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

    /// The pool with this name. Downloads for it run in this engine.
    public func cache(_ name: String) -> CachePool {
        CachePool(name, client) { new throws(StoreError) in try await self.download([new])[0].transfer.id }
    }

    /// Cancels transfers that their last caller left to a new caller, when the new caller did not get them.
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

    /// Runs existing transfers here. A transfer that another process runs is followed instead.
    ///
    /// - Throws: as ``resume(_:)``, except for a completed transfer, which is only followed.
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

    /// The progress of all transfers that this engine follows, added up.
    public var totalProgress: TransferProgress { hub.totalProgress }

    /// The updates of all transfers that this engine follows or runs, beginning with the present state of each.
    public func updates() -> TransferUpdates {
        EngineLink(hub: hub, scheduler: scheduler).updates(of: nil)
    }

    /// The updates of transfers that the caller already knows, beginning with the first change. Ten thousand
    /// transfers that were just added yield nothing.
    package func updates(after known: [Transfer]) -> TransferUpdates {
        let buffer = hub.observe(Set(known.map(\.id)), knowing: known)
        scheduler.signal(.observed)
        return TransferUpdates(source: .engine(buffer))
    }

    /// Makes updates that ``updates(after:)`` has returned report further transfers, whose rows the caller knows.
    package func join(_ updates: TransferUpdates, after known: [Transfer]) {
        guard case .engine(let buffer) = updates.source else { return }
        hub.join(buffer, knowing: known)
        scheduler.signal(.observed)
    }

    /// Changes the speed limit of all transfers of this engine together; it applies to running transfers at once.
    public func setRateLimit(_ schedule: RateSchedule) {
        scheduler.rate.set(schedule)
        scheduler.look(at: .rate)
    }
}
