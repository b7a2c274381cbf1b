package import Ferry

/// The process of each owner of the store that is or may be alive.
package struct OwnerDirectory: Sendable {
    private var processes: [OwnerID: Int32] = [:]
    private var own: Set<OwnerID> = []
    /// Owners that nothing shows to be alive or dead.
    private var unproved: [OwnerID: Owner] = [:]
    /// Owners whose process is dead, and how each ended.
    private var dead: [OwnerID: OwnerEnd] = [:]

    /// An empty directory.
    package init() {}

    /// Reads the owners of a store.
    package init(_ engine: some TransferAccess) async throws(StoreError) {
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

    /// Whether another process has the store open that is or may be alive.
    package var hasOthers: Bool { processes.keys.contains { !own.contains($0) } }

    /// Whether any owner cannot be proved alive or dead.
    package var hasUnproved: Bool { !unproved.isEmpty }

    /// The owner of a transfer, if it cannot be proved alive or dead; `nil` when the transfer is free or has another owner.
    package func unprovedOwner(of transfer: Transfer) -> Owner? {
        transfer.claim.flatMap { unproved[$0.owner] }
    }

    /// Whether a dead process still holds transfers.
    package var hasDead: Bool { !dead.isEmpty }

    /// A transfer as the next process will find it: a dead process's transfer is not shown as running.
    ///
    /// It is shown as queued, even if the next process will find that it has failed.
    package func shown(_ transfer: Transfer, at now: Instant) -> Transfer {
        guard let claim = transfer.claim, let end = dead[claim.owner] else { return transfer }
        var transfer = transfer
        // Only the store knows whether the owner ran other transfers. So only a recorded failure is shown.
        transfer.lostOwner(end, isAlone: false, at: now)
        return transfer
    }

    /// The process that runs or reserves a transfer; `nil` if no live process does.
    package func process(of transfer: Transfer) -> Int32? {
        transfer.claim.flatMap { processes[$0.owner] }
    }

    /// The other process that runs a transfer; `nil` if no process or this one does.
    package func otherProcess(of transfer: Transfer) -> Int32? {
        guard let claim = transfer.claim, !own.contains(claim.owner) else { return nil }
        return processes[claim.owner]
    }

    /// Whether an owner is known to this directory.
    package func knows(_ owner: OwnerID) -> Bool { processes[owner] != nil }
}
