import Ferry

/// Which process each owner of the store is, as far as it is alive.
struct OwnerDirectory: Sendable {
    private var processes: [OwnerID: Int32] = [:]
    private var own: Set<OwnerID> = []
    /// The owners of which nothing shows whether they live.
    private var unproved: [OwnerID: Owner] = [:]
    /// The owners whose process is dead, and how each ended.
    private var dead: [OwnerID: OwnerEnd] = [:]

    /// A directory of nobody.
    init() {}

    /// Reads the owners of a store.
    init(_ engine: some TransferAccess) async throws(StoreError) {
        for owner in try await engine.owners() {
            switch engine.life(of: owner) {
            case .alive: break
            case .unproved: unproved[owner.id] = owner
            case .dead:
                dead[owner.id] = engine.end(of: owner)
                continue
            }
            processes[owner.id] = owner.process.pid
            if engine.isThisProcess(owner) { own.insert(owner.id) }
        }
    }

    /// A directory for tests.
    init(
        processes: [OwnerID: Int32],
        own: Set<OwnerID> = [],
        dead: [OwnerID: OwnerEnd] = [:],
        unproved: [Owner] = []
    ) {
        self.processes = processes
        self.own = own
        self.dead = dead
        self.unproved = Dictionary(uniqueKeysWithValues: unproved.map { ($0.id, $0) })
        for owner in unproved { self.processes[owner.id] = owner.process.pid }
    }

    /// Whether there is an owner of which nothing shows whether it lives.
    var hasUnproved: Bool { !unproved.isEmpty }

    /// The owner that holds a transfer and of which nothing shows whether it lives; `nil` when it is free, or held by
    /// one that is seen to live or to be dead.
    func unprovedOwner(of transfer: Transfer) -> Owner? {
        transfer.claim.flatMap { unproved[$0.owner] }
    }

    /// Whether a process has died whose transfers no other one has taken over yet.
    var hasDead: Bool { !dead.isEmpty }

    /// A transfer as the next process that works with the store will find it: what a dead one ran is not shown as running.
    ///
    /// It is shown as queued even where that process will find that it has failed.
    func shown(_ transfer: Transfer, at now: Instant) -> Transfer {
        guard let claim = transfer.claim, let end = dead[claim.owner] else { return transfer }
        var transfer = transfer
        // Only the store knows whether the owner ran nothing else. So no failure is shown that is not recorded.
        transfer.lostOwner(end, isAlone: false, at: now)
        return transfer
    }

    /// The process that runs a transfer or keeps it for itself; `nil` when nobody alive does.
    func process(of transfer: Transfer) -> Int32? {
        transfer.claim.flatMap { processes[$0.owner] }
    }

    /// The other process that runs a transfer; `nil` when it is this one or nobody.
    func otherProcess(of transfer: Transfer) -> Int32? {
        guard let claim = transfer.claim, !own.contains(claim.owner) else { return nil }
        return processes[claim.owner]
    }

    /// Whether an owner is known to this directory.
    func knows(_ owner: OwnerID) -> Bool { processes[owner] != nil }
}
