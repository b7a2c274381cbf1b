import FerryCore
import Synchronization

/// Ends the waits for the network of those transfers that have a way again.
///
/// It looks whenever the network changes or a transfer begins to wait, so that one which goes on at once never misses
/// the change. Where the network cannot be watched every wait ends, and the transfer is tried.
final class NetworkWaits: Sendable {
    private struct State {
        /// How often there was a reason to look.
        var reasons = 1
        /// How many of them had come when it was looked last.
        var seen = 0
        /// Whether one was found that has no way.
        var isAnyLeft = false
        /// Wakes the run that is under way.
        var looking: AsyncStream<Void>.Continuation?
    }

    /// How many hosts are asked for at once: as many names as a monitor looks up side by side.
    static let mostAtOnce = 4

    private let seams: EngineSeams
    private let hub: UpdateHub
    private let watch: NetworkWatch
    private let scope: EngineConfiguration.Scope
    private let state = Mutex(State())

    init(seams: EngineSeams, hub: UpdateHub, watch: NetworkWatch, scope: EngineConfiguration.Scope) {
        self.seams = seams
        self.hub = hub
        self.watch = watch
        self.scope = scope
    }

    /// An element whenever there is a reason to look, beginning with one; for one run of the engine, as a stream whose
    /// reader was cancelled gives nothing to another.
    func begin() -> AsyncStream<Void> {
        let (looks, looking) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { state in
            state.reasons += 1
            state.looking = looking
        }
        looking.yield()
        return looks
    }

    /// Whether a transfer may be waiting for the network that this engine is to go on with.
    var mayHold: Bool { state.withLock { $0.isAnyLeft || $0.seen < $0.reasons } }

    /// Lets it look again.
    func look() {
        let looking = state.withLock { state in
            state.reasons += 1
            return state.looking
        }
        looking?.yield()
    }

    /// Looks whenever `looks` has an element, until the task is cancelled; `hasLooked` is called after each time.
    func run(
        for owner: OwnerID,
        when looks: AsyncStream<Void>,
        hasLooked: @Sendable () -> Void
    ) async throws(StoreError) {
        for await _ in looks {
            let reasons = state.withLock { $0.reasons }
            let isAnyLeft = try await endWaits(for: owner)
            state.withLock { state in
                state.seen = reasons
                state.isAnyLeft = isAnyLeft
            }
            hasLooked()
        }
    }

    /// Returns whether there are some that have no way yet.
    private func endWaits(for owner: OwnerID) async throws(StoreError) -> Bool {
        guard scope != .followed else { return try await endFollowedWaits(for: owner) }
        var isAnyLeft = false
        var last: TransferID?
        repeat {
            let page = try await seams.store.transfers(
                .waiting(WaitCondition.network.name),
                after: last,
                limit: Scheduler.pageLength
            )
            if try await endWaits(of: page, for: owner) { isAnyLeft = true }
            last = page.count == Scheduler.pageLength ? page.last?.id : nil
        } while last != nil
        return isAnyLeft
    }

    private func endFollowedWaits(for owner: OwnerID) async throws(StoreError) -> Bool {
        var isAnyLeft = false
        var ids = hub.waiting(for: .network)[...]
        while !ids.isEmpty {
            let page = try await seams.store.transfers(Array(ids.prefix(Scheduler.pageLength)))
            if try await endWaits(of: page.compactMap { $0 }, for: owner) { isAnyLeft = true }
            ids = ids.dropFirst(Scheduler.pageLength)
        }
        return isAnyLeft
    }

    /// Each host is asked for once, and those that wait for one go on as soon as that has a way: a name that is slow to
    /// resolve holds up nobody else.
    private func endWaits(of transfers: [Transfer], for owner: OwnerID) async throws(StoreError) -> Bool {
        let waiting = transfers.filter { transfer in
            transfer.state == .waiting(.network) && (transfer.claim == nil || transfer.claim?.owner == owner)
        }
        var hosts = Dictionary(grouping: waiting, by: watch.host(missedBy:)).sorted { $0.key < $1.key }[...]
        return try await withTaskGroup(of: Result<Bool, StoreError>.self) { group in
            for (host, transfers) in hosts.prefix(Self.mostAtOnce) {
                group.addTask { await self.endWaits(for: host, of: transfers.map(\.id), owner) }
            }
            hosts = hosts.dropFirst(Self.mostAtOnce)
            var isAnyLeft = false
            var failure: StoreError?
            while let result = await group.next() {
                switch result {
                case .success(let hasWay): if !hasWay { isAnyLeft = true }
                case .failure(let error): failure = failure ?? error
                }
                if let (host, transfers) = hosts.popFirst() {
                    group.addTask { await self.endWaits(for: host, of: transfers.map(\.id), owner) }
                }
            }
            return failure.map { .failure($0) } ?? Result<Bool, StoreError>.success(isAnyLeft)
        }.get()
    }

    /// Returns whether there is a way to a host; those that waited for it are queued then.
    private func endWaits(
        for host: String,
        of ids: [TransferID],
        _ owner: OwnerID
    ) async -> Result<Bool, StoreError> {
        guard await watch.hasWay(to: host) else { return .success(false) }
        watch.forget(ids)
        // Asked for all at once, so that the store commits them in groups.
        return await withTaskGroup(of: StoreError?.self) { group in
            for id in ids { group.addTask { await self.endWait(of: id, for: owner) } }
            let failure = await group.reduce(nil) { $0 ?? $1 }
            return failure.map { .failure($0) } ?? .success(true)
        }
    }

    private func endWait(of id: TransferID, for owner: OwnerID) async -> StoreError? {
        do throws(StoreError) {
            let now = seams.clock.now
            // In the meantime somebody may have paused it, or another process may have gone on with it.
            if let queued = try await seams.store.endWait(of: id, for: .network, holder: owner, at: now) {
                hub.publish(queued)
            }
            return nil
        } catch {
            return error
        }
    }
}
