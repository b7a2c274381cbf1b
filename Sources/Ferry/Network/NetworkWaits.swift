import FerryCore
import Synchronization

/// Ends the waits for the network of transfers whose host has a route again, and knows the hosts whose other transfers
/// stay queued.
///
/// It looks whenever the network changes or a transfer begins to wait, so that a transfer never misses the change. If
/// the network cannot be watched, every wait ends and the transfer is tried.
final class NetworkWaits: Sendable {
    private struct State {
        /// The number of reasons to look so far.
        var reasons = 1
        /// The value of `reasons` at the last look.
        var seen = 0
        /// Whether a waiting transfer without a route was found.
        var isAnyLeft = false
        /// The hosts whose transfers stay queued.
        var held = HeldHosts()
    }

    /// Maximum hosts checked at once: the number of names that a monitor looks up in parallel.
    static let mostAtOnce = 4

    private let seams: EngineSeams
    private let hub: UpdateHub
    private let watch: NetworkWatch
    private let scope: EngineConfiguration.Scope
    private let state = Mutex(State())
    private let signal = LookSignal()

    init(seams: EngineSeams, hub: UpdateHub, watch: NetworkWatch, scope: EngineConfiguration.Scope) {
        self.seams = seams
        self.hub = hub
        self.watch = watch
        self.scope = scope
    }

    /// Yields an element whenever there is a reason to look, beginning with one. It serves one run of the engine.
    func begin() -> AsyncStream<Void> {
        state.withLock { $0.reasons += 1 }
        return signal.begin()
    }

    /// Whether a transfer of this engine may be waiting for the network. Transfers that stay queued for a held host do
    /// not count.
    var mayHold: Bool { state.withLock { $0.isAnyLeft || $0.seen < $0.reasons } }

    /// Whether an unreported change could end a wait.
    var isLookDue: Bool { mayHold || !heldHosts.isEmpty || scope == .followed }

    /// The hosts known to have no route: nothing is claimed for them.
    var heldHosts: Set<String> { state.withLock { $0.held.names } }

    /// Notes that a transfer begins to wait for the network. Transfers for the same host then stay queued, unless the
    /// missing route was that of a redirect or a mirror.
    func hold(behind transfer: Transfer) async {
        let first = watch.firstHost(of: transfer)
        let misses =
            if watch.host(missedBy: transfer) == first { true } else { await !watch.hasWay(to: first) }
        if misses { hold(behind: [transfer], missing: first) }
    }

    private func hold(behind transfers: [Transfer], missing host: String) {
        let lines = Set(transfers.filter { watch.firstHost(of: $0) == host }.map(\.work.host))
        let now = seams.clock.now
        state.withLock { state in
            for line in lines { state.held.hold(line, missing: host, at: now) }
        }
    }

    /// Asks for another look.
    func look() {
        state.withLock { $0.reasons += 1 }
        signal.look()
    }

    /// Looks whenever `looks` has an element, until the task is cancelled. Calls `hasLooked` after each look, and as
    /// soon as transfers behind a host may be claimed.
    func run(
        for owner: OwnerID,
        when looks: AsyncStream<Void>,
        hasLooked: @escaping @Sendable () -> Void
    ) async throws(StoreError) {
        for await _ in looks {
            let reasons = state.withLock { $0.reasons }
            if await mayTryOthers() { hasLooked() }
            let isAnyLeft = try await endWaits(for: owner, hasLooked)
            state.withLock { state in
                state.seen = reasons
                state.isAnyLeft = isAnyLeft
            }
            hasLooked()
        }
    }

    /// Whether held hosts were released because they have been held for a long time.
    private func mayTryOthers() async -> Bool {
        guard !state.withLock({ $0.held.isEmpty }), await watch.isOnline() else { return false }
        let now = seams.clock.now
        return state.withLock { $0.held.releaseOld(at: now) }
    }

    /// Returns whether some transfers still have no route.
    private func endWaits(
        for owner: OwnerID,
        _ released: @escaping @Sendable () -> Void
    ) async throws(StoreError) -> Bool {
        // Every waiting transfer may have been paused or removed while others are still held back.
        var held = state.withLock { $0.held.missed }
        guard scope != .followed else {
            return try await endFollowedWaits(behind: held, for: owner, released)
        }
        var isAnyLeft = false
        var last: TransferID?
        repeat {
            let page = try await seams.store.transfers(
                .waiting(WaitCondition.network.name),
                after: last,
                limit: ClientSeams.pageLength
            )
            if try await endWaits(of: page, behind: held, for: owner, released) { isAnyLeft = true }
            held = []
            last = page.count == ClientSeams.pageLength ? page.last?.id : nil
        } while last != nil
        return isAnyLeft
    }

    private func endFollowedWaits(
        behind held: Set<String>,
        for owner: OwnerID,
        _ released: @escaping @Sendable () -> Void
    ) async throws(StoreError) -> Bool {
        var isAnyLeft = false
        var held = held
        var ids = hub.waiting(for: .network)[...]
        while !ids.isEmpty || !held.isEmpty {
            let page = try await seams.store.transfers(Array(ids.prefix(ClientSeams.pageLength)))
            if try await endWaits(of: page.compactMap { $0 }, behind: held, for: owner, released) {
                isAnyLeft = true
            }
            held = []
            ids = ids.dropFirst(ClientSeams.pageLength)
        }
        return isAnyLeft
    }

    /// Checks each host once. Its transfers resume as soon as it has a route: a slow name look-up delays no other host.
    ///
    /// - Parameter held: hosts to check even if no transfer waits for them.
    private func endWaits(
        of transfers: [Transfer],
        behind held: Set<String>,
        for owner: OwnerID,
        _ released: @escaping @Sendable () -> Void
    ) async throws(StoreError) -> Bool {
        let waiting = transfers.filter { transfer in
            transfer.state == .waiting(.network) && (transfer.claim == nil || transfer.claim?.owner == owner)
        }
        let waits = Dictionary(grouping: waiting, by: watch.host(missedBy:))
        var hosts = held.union(waits.keys).sorted()[...]
        return try await withTaskGroup(of: Result<Bool, StoreError>.self) { group in
            var isAnyLeft = false
            var failure: StoreError?
            var asked = 0
            while true {
                while asked < Self.mostAtOnce, let host = hosts.popFirst() {
                    group.addTask { await self.endWaits(for: host, of: waits[host] ?? [], owner, released) }
                    asked += 1
                }
                guard let result = await group.next() else { break }
                asked -= 1
                switch result {
                case .success(let areLeft): if areLeft { isAnyLeft = true }
                case .failure(let error): failure = failure ?? error
                }
            }
            return failure.map { .failure($0) } ?? Result<Bool, StoreError>.success(isAnyLeft)
        }.get()
    }

    /// Queues the waiting transfers of a host that has a route, and releases those that stayed queued. Returns whether
    /// transfers still wait for the host.
    private func endWaits(
        for host: String,
        of transfers: [Transfer],
        _ owner: OwnerID,
        _ released: @Sendable () -> Void
    ) async -> Result<Bool, StoreError> {
        guard await watch.hasWay(to: host) else {
            // Another process may have left these waiting.
            hold(behind: transfers, missing: host)
            return .success(!transfers.isEmpty)
        }
        if state.withLock({ $0.held.release(behind: host) }) { released() }
        let ids = transfers.map(\.id)
        watch.forget(ids)
        // All are asked for at once, so that the store commits them in groups.
        return await withTaskGroup(of: StoreError?.self) { group in
            for id in ids { group.addTask { await self.endWait(of: id, for: owner) } }
            let failure = await group.reduce(nil) { $0 ?? $1 }
            return failure.map { .failure($0) } ?? .success(false)
        }
    }

    private func endWait(of id: TransferID, for owner: OwnerID) async -> StoreError? {
        do throws(StoreError) {
            let now = seams.clock.now
            // A person may have paused it meanwhile, or another process may have resumed it.
            if let queued = try await seams.store.endWait(of: id, for: .network, holder: owner, at: now) {
                hub.publish(queued)
            }
            return nil
        } catch {
            return error
        }
    }
}
