import FerryCore
import Synchronization

/// Ends the waits for the network of those transfers that have a way again, and knows behind which hosts others stay in
/// line meanwhile.
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
        /// Behind whom transfers stay in line.
        var held = HeldHosts()
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

    /// Whether a transfer may be waiting for the network that this engine is to go on with. What stays in line behind a
    /// host is queued, and not meant here.
    var mayHold: Bool { state.withLock { $0.isAnyLeft || $0.seen < $0.reasons } }

    /// Whether there is something that a change which was not heard of could end.
    var isLookDue: Bool { mayHold || !heldHosts.isEmpty || scope == .followed }

    /// The hosts to which there is no way, as far as is known: nothing is claimed for them.
    var heldHosts: Set<String> { state.withLock { $0.held.names } }

    /// A transfer begins to wait for the network: what asks the same host stays in line, unless it was a redirect or a
    /// mirror that led where there is no way.
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

    /// Lets it look again.
    func look() {
        let looking = state.withLock { state in
            state.reasons += 1
            return state.looking
        }
        looking?.yield()
    }

    /// Looks whenever `looks` has an element, until the task is cancelled; `hasLooked` is called after each time, and as
    /// soon as something may be claimed that stayed in line.
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

    /// Whether others of the hosts that are held may be tried, because it has been long.
    private func mayTryOthers() async -> Bool {
        guard !state.withLock({ $0.held.isEmpty }), await watch.isOnline() else { return false }
        let now = seams.clock.now
        return state.withLock { $0.held.releaseOld(at: now) }
    }

    /// Returns whether there are some that have no way yet.
    private func endWaits(
        for owner: OwnerID,
        _ released: @escaping @Sendable () -> Void
    ) async throws(StoreError) -> Bool {
        // All that was known to wait may have been paused or removed, and others stay in line nevertheless.
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

    /// Each host is asked for once, and those that wait for one go on as soon as that has a way: a name that is slow to
    /// resolve holds up nobody else.
    ///
    /// - Parameter held: hosts to ask for although no transfer is known to wait for one.
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

    /// Returns whether there are some left that wait for a host; when it has a way they are queued, and what stayed in
    /// line behind it may be claimed.
    private func endWaits(
        for host: String,
        of transfers: [Transfer],
        _ owner: OwnerID,
        _ released: @Sendable () -> Void
    ) async -> Result<Bool, StoreError> {
        guard await watch.hasWay(to: host) else {
            // Another process may have left them.
            hold(behind: transfers, missing: host)
            return .success(!transfers.isEmpty)
        }
        if state.withLock({ $0.held.release(behind: host) }) { released() }
        let ids = transfers.map(\.id)
        watch.forget(ids)
        // Asked for all at once, so that the store commits them in groups.
        return await withTaskGroup(of: StoreError?.self) { group in
            for id in ids { group.addTask { await self.endWait(of: id, for: owner) } }
            let failure = await group.reduce(nil) { $0 ?? $1 }
            return failure.map { .failure($0) } ?? .success(false)
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
