package import FerryCore
import GRDB

/// The reads. They see everything committed before they begin, and take no lock that a writer waits for.
extension SQLiteTransferStore {
    /// Every owner that has joined and not left.
    package func owners() async throws(StoreError) -> [Owner] {
        try await read { try $0.owners() }
    }

    /// The transfer with a number, or `nil` if it does not exist.
    package func transfer(_ id: TransferID) async throws(StoreError) -> Transfer? {
        try await read { try $0.transfer(id) }
    }

    /// Several transfers as of one moment, in the order of `ids`.
    package func transfers(_ ids: [TransferID]) async throws(StoreError) -> [Transfer?] {
        try await read { view in try ids.map { try view.readableTransfer($0) } }
    }

    /// The orders for attempts at several transfers, in the order of `ids`.
    package func orders(for ids: [TransferID]) async throws(StoreError) -> [AttemptOrders?] {
        try await read { view in
            try ids.map { id in try view.codec.damage.reading(id) { try view.orders(for: id) } }
        }
    }

    /// The latest completed transfer with the same identity, for each.
    package func completed(like works: [Work]) async throws(StoreError) -> [Transfer?] {
        try await read { view in try works.map { try view.completed(like: $0) } }
    }

    /// The rows that were skipped as damaged and still are.
    package func damagedTransfers() async -> [DamagedTransfer] {
        let noted = codec.damage.all
        guard !noted.isEmpty else { return [] }
        do throws(StoreError) {
            let (whole, damaged) = try await read { view in
                var (whole, damaged) = ([TransferID](), [DamagedTransfer]())
                for id in noted.map(\.id) {
                    if let found = try view.damage(of: id) {
                        damaged.append(found)
                    } else {
                        whole.append(id)
                    }
                }
                return (whole, damaged)
            }
            codec.damage.forget(whole)
            return damaged
        } catch {
            // If the check fails, the noted rows are the best information.
            return noted
        }
    }

    /// The transfers with the same identity that still count, for each.
    package func transfers(like works: [Work]) async throws(StoreError) -> [[Transfer]] {
        try await read { view in try works.map { try view.transfers(like: $0) } }
    }

    /// The transfer with a UUID.
    package func transfer(uuid: TransferUUID) async throws(StoreError) -> Transfer? {
        try await read { view in try view.number(of: uuid).flatMap { try view.transfer($0) } }
    }

    /// The latest transfer with a tag.
    package func latest(tagged tag: TransferTag) async throws(StoreError) -> Transfer? {
        try await read { try $0.latest(tagged: tag) }
    }

    /// The latest completed transfer that saved each file.
    package func completed(saving files: [SavedFile]) async throws(StoreError) -> [Transfer?] {
        try await read { view in try files.map { try view.completed(saving: $0) } }
    }

    /// A page of transfers.
    package func transfers(
        _ filter: TransferFilter,
        in order: ListOrder,
        limit: Int
    ) async throws(StoreError) -> [Transfer] {
        try await read { try $0.transfers(filter, in: order, limit: limit) }
    }

    /// The failed attempts of a transfer, oldest first; up to the latest 100.
    package func attempts(of id: TransferID) async throws(StoreError) -> [Attempt] {
        try await read { try $0.attempts(of: id) }
    }

    /// The traits of a server, unless the finding is too old.
    package func traits(of server: Origin, at now: Instant) async throws(StoreError) -> ServerTraits {
        try await read { try $0.traits(of: server, at: now) }
    }

    /// The transfers that still wait for this one to complete, in order of their numbers.
    package func dependents(of id: TransferID) async throws(StoreError) -> [TransferID] {
        try await read { try $0.dependents(of: id) }
    }

    /// The number of transfers in each state.
    package func counts() async throws(StoreError) -> [TransferState.Name: Int] {
        try await read { try $0.counts() }
    }

    /// The earliest moment later than `moment` at which a waiting transfer becomes claimable by `owner`.
    package func nextWakeTime(
        for owner: OwnerID,
        after moment: Instant
    ) async throws(StoreError) -> Instant? {
        try await read { try $0.nextWakeTime(for: owner, after: moment) }
    }

    /// The earliest deadline of the transfers that fail at theirs.
    package func nextDeadline() async throws(StoreError) -> Instant? {
        try await read { try $0.nextDeadline() }
    }

    /// When a result of one of these types can be taken in hand.
    package func nextResultTime(
        of types: [TransferType],
        at now: Instant
    ) async throws(StoreError) -> Instant? {
        try await read { try StoredResults($0.db, codec: $0.codec).next(of: types, at: now) }
    }

    /// The queues that were ever changed and those in which a transfer runs or could run, by name.
    package func queues() async throws(StoreError) -> [QueueSummary] {
        try await read { try $0.queues() }
    }

    /// The queues that were ever changed, by name.
    package func changedQueues() async throws(StoreError) -> [TransferQueue] {
        try await read { try $0.changedQueues() }
    }

    /// The number of running transfers by queue and host.
    package func runningCounts() async throws(StoreError) -> [RunningCount] {
        try await read { try $0.runningCounts() }
    }

    /// The transfers that no owner holds, and whose residue is removed by others than the canceller.
    package func residues(
        for remover: ResidueRemover,
        after last: TransferID?,
        limit: Int
    ) async throws(StoreError) -> [TransferID] {
        try await read { try $0.residues(for: remover, after: last, limit: limit) }
    }

    /// The queue with a name; a queue that was never changed is as ``TransferQueue/init(_:)`` creates it.
    package func queue(named name: String) async throws(StoreError) -> TransferQueue {
        try await read { try $0.queue(named: name) }
    }

    /// Whether an owner runs exactly one transfer.
    func runsOne(_ owner: OwnerID) async throws(StoreError) -> Bool {
        try await read { try $0.runningCount(of: owner) == 1 }
    }

    /// Whether `owner` could claim a suspect if it ran nothing.
    package func holdsSuspects(
        _ owner: OwnerID,
        only: TransferIDSet?,
        heldBack: HeldBack,
        at now: Instant
    ) async throws(StoreError) -> Bool {
        try await read { view in
            let suspects = try view.suspects()
            guard !suspects.isEmpty else { return false }
            // An owner that keeps a queue full would otherwise never see a suspect in it, which must run
            // alone.
            var plan = try view.claimPlan(heldBack: heldBack.hosts, leavingOut: owner, at: now)
            let claimant = Claimant(owner: owner, isInBackground: heldBack.isInBackground)
            let strict = plan.strictQueues
            var lines = try view.lines(of: suspects, only: only, strict: strict, for: claimant, at: now)
            return !plan.draw(upTo: 1, from: &lines).isEmpty
        }
    }

    /// Whether a transfer waits only for a free slot in a queue that is not paused.
    package func waitsForRoom(_ owner: OwnerID, at now: Instant) async throws(StoreError) -> Bool {
        try await read { try $0.waitsForRoom(owner, at: now) }
    }

    /// Yields whenever anything in the store may have changed. Ends when the store is closed. Ends at once
    /// for a store that may only be read, because it learns of no changes.
    package func changes(besides owner: OwnerID?) -> AsyncStream<Void> {
        isReadOnly ? AsyncStream { $0.finish() } : watch.changes(besides: owner)
    }

    /// Checks the whole store; returns the faults in words.
    package func verify() async throws(StoreError) -> [String] {
        try await read { try $0.faults() }
    }

    /// Whether anything is wrong that ``mend()`` repairs.
    func needsMending() async throws(StoreError) -> Bool {
        try await read { view in
            try !view.derivedFaults().isEmpty || !view.damagedOwners().isEmpty
                || !view.damagedQueues().isEmpty || !view.contradictions().isEmpty
        }
    }

    /// Reads in one transaction.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (StoreView) throws -> Value
    ) async throws(StoreError) -> Value {
        if isClosed { throw .unavailable(path: path, "it has been closed") }
        let result: Result<Value, any Error> = await withCheckedContinuation { continuation in
            connections.reader.readInTransaction { [path, codec] access in
                continuation.resume(
                    returning: Result {
                        let db = try access.get()
                        do {
                            return try body(StoreView(db, path: path, codec: codec))
                        } catch {
                            // A row that a newer Ferry has written is unreadable here, but not damaged.
                            try StoreSchema.requireKnown(db, path: path)
                            throw error
                        }
                    }
                )
            }
        }
        do {
            return try result.get()
        } catch {
            throw StoreError(error, path: path, isWriting: false)
        }
    }

    // MARK: Pools

    /// The pools that were ever changed or have entries, by name.
    package func pools() async throws(StoreError) -> [CacheSettings] {
        try await read { try $0.cache.pools() }
    }

    /// The settings of a pool.
    package func pool(named name: String) async throws(StoreError) -> CacheSettings {
        try await read { try $0.cache.pool(named: name) }
    }

    /// An entry by the name of its file.
    package func entry(_ name: String, in pool: String) async throws(StoreError) -> StoredEntry? {
        try await read { try $0.cache.entry(name, in: pool) }
    }

    /// Entries in the order of their numbers.
    package func entries(
        _ filter: EntryFilter,
        after number: Int64,
        limit: Int
    ) async throws(StoreError) -> [StoredEntry] {
        try await read { try $0.cache.entries(filter, after: number, limit: limit) }
    }

    /// The size of a pool.
    package func size(ofPool name: String) async throws(StoreError) -> CacheSize {
        try await read { try $0.cache.size(of: name) }
    }
}
