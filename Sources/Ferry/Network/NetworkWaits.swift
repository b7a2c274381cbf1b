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
        var ways: [String: Bool] = [:]
        guard scope != .followed else {
            return try await endWaits(of: hub.waiting(for: .network), for: owner, ways: &ways)
        }
        var isAnyLeft = false
        var last: TransferID?
        repeat {
            let page = try await seams.store.transfers(
                .waiting(WaitCondition.network.name),
                after: last,
                limit: Scheduler.pageLength
            )
            if try await endWaits(of: page, for: owner, ways: &ways) { isAnyLeft = true }
            last = page.count == Scheduler.pageLength ? page.last?.id : nil
        } while last != nil
        return isAnyLeft
    }

    private func endWaits(
        of transfers: [Transfer],
        for owner: OwnerID,
        ways: inout [String: Bool]
    ) async throws(StoreError) -> Bool {
        var ready: [TransferID] = []
        var isAnyLeft = false
        for transfer in transfers where transfer.state == .waiting(.network) {
            guard transfer.claim == nil || transfer.claim?.owner == owner else { continue }
            if await watch.hasWay(for: transfer, ways: &ways) {
                ready.append(transfer.id)
            } else {
                isAnyLeft = true
            }
        }
        // Asked for all at once, so that the store commits them in groups.
        let results = await withTaskGroup(of: Result<Transfer?, StoreError>.self) { group in
            for id in ready { group.addTask { await self.endWait(of: id, for: owner) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for result in results {
            // In the meantime somebody may have paused it, or another process may have gone on with it.
            if let queued = try result.get() { hub.publish(queued) }
        }
        return isAnyLeft
    }

    private func endWait(of id: TransferID, for owner: OwnerID) async -> Result<Transfer?, StoreError> {
        do throws(StoreError) {
            return .success(
                try await seams.store.endWait(of: id, for: .network, holder: owner, at: seams.clock.now)
            )
        } catch {
            return .failure(error)
        }
    }
}
