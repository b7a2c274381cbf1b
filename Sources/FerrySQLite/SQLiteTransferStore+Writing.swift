package import FerryCore
import Synchronization

/// The writes. User commands, added transfers and final states survive power loss. What an owner records
/// during an attempt survives the death of the process.
extension SQLiteTransferStore {
    /// Joins as an owner, which may then claim transfers.
    package func join(_ process: ProcessIdentity, at now: Instant) async throws(StoreError) -> OwnerID {
        try await group.write(.process) { try $0.join(process, at: now) }
    }

    /// Records another proof that an owner is alive.
    package func renew(_ owner: OwnerID, as process: ProcessIdentity) async throws(StoreError) {
        try await group.write(.process) { try $0.renew(owner, as: process) }
    }

    /// Removes an owner that has stopped or died, and frees everything it held.
    package func remove(
        _ owner: OwnerID,
        after end: OwnerEnd,
        at now: Instant
    ) async throws(StoreError) -> [TransferID] {
        // If this process dies midway, the next one that detects the owner's end frees the rest.
        let limit = StoreTransaction.portion
        var freed: [TransferID] = []
        // With many transfers, the last portion may contain a running one. It did not run alone.
        let isAlone = try await runsOne(owner)
        while true {
            let more = try await group.write(.process) {
                try $0.remove(owner, upTo: limit, after: end, isAlone: isAlone, at: now)
            }
            freed += more
            if more.count < limit { return freed }
        }
    }

    /// Frees some of the transfers that owners hold, and removes owners that then hold nothing.
    package func takeOver(
        _ ids: [TransferID],
        from owners: Set<OwnerID>,
        at now: Instant
    ) async throws(StoreError) -> [TransferID] {
        try await group.write(.power) { try $0.takeOver(ids, from: owners, at: now) }
    }

    /// Adds transfers; returns after a commit that survives power loss (I3).
    package func add(
        _ transfers: [NewTransfer],
        besides completed: [TransferID?]?,
        holder: OwnerID?,
        at now: Instant
    ) async throws(StoreError) -> [Addition] {
        try await write(.power, at: now) {
            try $0.add(transfers, besides: completed, holder: holder, at: now)
        }
    }

    /// Gives transfers the tags and payloads of these requests.
    package func label(
        _ ids: [TransferID],
        as transfers: [NewTransfer]
    ) async throws(StoreError) -> [Transfer?] {
        try await group.write(.power) { try $0.label(ids, as: transfers) }
    }

    /// Claims transfers that can run, as a ``ClaimPlan`` decides.
    package func claim(
        upTo limit: Int,
        only: TransferIDSet?,
        heldBack: HeldBack,
        beside others: [RunningCount],
        recordsSending: Bool,
        for owner: OwnerID,
        at now: Instant
    ) async throws(StoreError) -> [Transfer] {
        // Only the claim itself shows whether it records a sending. Most claims are like the one before. A wrong guess costs a
        // second transaction, or a sync.
        let mayRecord = recordsSending && latestClaimRecords.load(ordering: .relaxed)
        let claimed = try await write(mayRecord ? .power : .process, by: owner, at: now) {
            try $0.claim(
                upTo: limit,
                only: only,
                heldBack: heldBack,
                beside: others,
                recordsSending: recordsSending,
                for: owner,
                at: now
            )
        }
        if recordsSending, !claimed.isEmpty {
            let records = claimed.contains(where: \.work.isRecordedByClaims)
            latestClaimRecords.store(records, ordering: .relaxed)
        }
        return claimed
    }

    /// Runs a write until it is done.
    func write<Value: Sendable>(
        _ durability: Durability,
        by owner: OwnerID? = nil,
        at now: Instant,
        _ body: @escaping @Sendable (StoreTransaction) throws -> WriteStep<Value>
    ) async throws(StoreError) -> Value {
        while true {
            switch try await group.write(durability, by: owner, body) {
            case .done(let value): return value
            case .unfinished: continue
            // A separate write, so that the owner is told of it, too.
            case .overdue: _ = try await failOverdue(at: now)
            }
        }
    }

    /// Fails the transfers whose deadline has passed.
    package func failOverdue(at now: Instant) async throws(StoreError) -> [Transfer] {
        var failed: [Transfer] = []
        while true {
            let step = try await group.write(.process) { try $0.failOverdue(at: now) }
            failed += step.failed
            guard step.areAny else { return failed }
        }
    }

    /// Records the progress of a claimed transfer.
    package func record(
        _ progress: WorkProgress,
        for claim: Claim,
        durability: Durability,
        at now: Instant
    ) async throws(StoreError) {
        let encoded: RememberedProgress
        do {
            encoded = try group.codec.encode(progress)
        } catch {
            throw StoreError(error, path: path, isWriting: true)
        }
        try await group.write(durability, by: claim.owner) { try $0.record(encoded, for: claim, at: now) }
    }

    /// Ends an attempt; a final state survives power loss.
    @discardableResult
    package func settle(
        _ claim: Claim,
        as settlement: Settlement,
        at now: Instant
    ) async throws(StoreError) -> Transfer {
        group.codec.prepare(settlement, of: claim.transfer)
        return try await group.write(settlement.state.isFinal ? .power : .process, by: claim.owner) {
            try $0.settle(claim, as: settlement, at: now)
        }
    }

    /// Takes results of a type in hand.
    package func takeResults(
        of type: TransferType,
        upTo limit: Int,
        for owner: OwnerID,
        at now: Instant
    ) async throws(StoreError) -> [ResultInHand] {
        try await group.write(.process, by: owner) {
            try $0.takeResults(of: type, upTo: limit, for: owner, at: now)
        }
    }

    /// Ends the handling of a result. If a power loss undoes it, the result is handed out once more.
    package func settle(_ result: UnhandledResult, as fate: UnhandledResult.Fate) async throws(StoreError) {
        try await group.write(.process, by: result.owner) { try $0.results.settle(result, as: fate) }
    }

    /// Remembers the traits of a server.
    package func remember(
        _ traits: ServerTraits,
        of server: Origin,
        at now: Instant
    ) async throws(StoreError) {
        try await group.write(.process) { try $0.remember(traits, of: server, at: now) }
    }

    /// Requests a pause or an end.
    package func ask(
        _ wish: Wish,
        of id: TransferID,
        holder: OwnerID?,
        at now: Instant
    ) async throws(StoreError) -> Transfer {
        try await group.write(.power) { try $0.ask(wish, of: id, holder: holder, at: now) }
    }

    /// Pauses transfers that an owner holds but does not run.
    package func pauseHeld(
        _ ids: [TransferID],
        by owner: OwnerID,
        at now: Instant
    ) async throws(StoreError) -> [Transfer] {
        try await group.write(.power) { try $0.pauseHeld(ids, by: owner, at: now) }
    }

    /// Frees transfers that an owner holds but does not run.
    package func letGo(_ ids: [TransferID], by owner: OwnerID) async throws(StoreError) {
        try await group.write(.process) { try $0.letGo(ids, by: owner) }
    }

    /// Queues transfers that an owner left only because it was stopped.
    package func takeUp(
        _ ids: [TransferID],
        holder: OwnerID?,
        at now: Instant
    ) async throws(StoreError) -> [Transfer] {
        try await group.write(.power) { try $0.takeUp(ids, holder: holder, at: now) }
    }

    /// Queues a paused, waiting or failed transfer again.
    package func requeue(
        _ id: TransferID,
        holder: OwnerID?,
        at now: Instant
    ) async throws(StoreError) -> Transfer {
        try await group.write(.power) { try $0.requeue(id, holder: holder, at: now) }
    }

    /// Settles what became of a request of unknown outcome.
    package func resolve(
        _ id: TransferID,
        as outcome: RequestOutcome,
        at now: Instant
    ) async throws(StoreError) -> Transfer {
        try await group.write(.power) { try $0.resolve(id, as: outcome, at: now) }
    }

    /// Queues a transfer that waits for exactly that condition.
    package func endWait(
        of id: TransferID,
        for condition: WaitCondition,
        holder: OwnerID?,
        at now: Instant
    ) async throws(StoreError) -> Transfer? {
        try await group.write(.process) { try $0.endWait(of: id, for: condition, holder: holder, at: now) }
    }

    /// Changes the request of a transfer.
    package func edit(
        _ id: TransferID,
        _ edit: TransferEdit,
        at now: Instant
    ) async throws(StoreError) -> Transfer {
        try await group.write(.power) { try $0.edit(id, edit, at: now) }
    }

    /// Changes a queue.
    package func edit(
        queue name: String,
        _ edit: QueueEdit,
        at now: Instant
    ) async throws(StoreError) -> TransferQueue {
        try await group.write(.power) { try $0.edit(queue: name, edit, at: now) }
    }

    /// Notes what has become of residues.
    package func settleResidues(of ids: [TransferID], as fate: ResidueFate) async throws(StoreError) {
        try await group.write(.process) { try $0.settleResidues(of: ids, as: fate) }
    }

    /// Forgets the changes to a queue.
    package func remove(queue name: String) async throws(StoreError) -> Bool {
        try await group.write(.power) { try $0.remove(queue: name) }
    }

    /// Forgets the oldest final transfers beyond the retention, and old downloads that failed without a byte.
    package func prune(
        _ retention: Retention,
        upTo limit: Int,
        at now: Instant
    ) async throws(StoreError) -> [TransferID] {
        // After a power loss the forgotten transfers may be back; they are then forgotten again.
        try await group.write(.process) { try $0.prune(retention, upTo: limit, at: now) }
    }

    /// Rebuilds data that only another program or a failing disk can have damaged: counts and first places, which are
    /// derived from the transfers; unreadable rows of owners and queues; and columns of a transfer that contradict its
    /// state, its request or its dependencies. Transfers of an unreadable or missing owner become free. An unreadable
    /// queue is paused and gets the default settings. Nothing else of a transfer is changed.
    ///
    /// - Returns: what was wrong, in words, or nothing; includes what was repaired when the store was opened.
    package func mend() async throws(StoreError) -> [String] {
        // This takes long in a large store, so it locks out other writers only if there is something to
        // repair.
        guard try await needsMending() else { return connections.mended }
        return try await connections.mended
            + group.write(.power) { try $0.mendRecords() }
            + group.write(.power) { try DerivedTables(db: $0.db).mend() }
    }

    /// Forgets final transfers, all of them or none.
    package func forget(_ ids: [TransferID]) async throws(StoreError) {
        try await group.write(.power) { try $0.forget(ids) }
    }

    /// Forgets those of some refused downloads that nothing else needs. If a power loss undoes that, nothing is wrong.
    package func forgetRefused(_ ids: [TransferID]) async throws(StoreError) -> [TransferID] {
        try await group.write(.process) { try $0.forgetRefused(ids) }
    }

    // MARK: Pools

    /// Changes the settings of a pool.
    package func edit(pool name: String, _ edit: CacheEdit) async throws(StoreError) -> CacheSettings {
        try await group.write(.power) { try $0.cache.edit(name, edit) }
    }

    /// Notes that an owner puts the file of an entry into a pool. After a power loss neither is there.
    package func beginImport(
        _ entry: StoredEntry,
        by owner: OwnerID
    ) async throws(StoreError) -> StoredEntry {
        try await group.write(.process) { try $0.beginImport(entry, by: owner) }
    }

    /// Changes entries by their numbers.
    package func change(
        _ numbers: [Int64],
        _ change: EntryChange,
        at now: Instant
    ) async throws(StoreError) -> [StoredEntry] {
        try await group.write(change.durability) { try $0.change(numbers, change, at: now) }
    }

    /// Notes the deletion of what a pool has no room for. If a power loss undoes it, the files are gone and their entries are not
    /// served.
    package func evict(
        fromPool name: String,
        upTo limit: Int,
        at now: Instant
    ) async throws(StoreError) -> Int {
        try await group.write(.process) { try $0.cache.evict(from: name, upTo: limit, at: now) }
    }

    /// Forgets that downloads that have ended will bring entries.
    package func settleExpected(inPool name: String) async throws(StoreError) {
        try await group.write(.process) { transaction in
            try transaction.cache.settleExpected(in: name) { try transaction.stateName(of: $0) }
        }
    }
}
