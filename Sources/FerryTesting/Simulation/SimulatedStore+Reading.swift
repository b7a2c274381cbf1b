import FerryCore

extension SimulatedStore {
    func transfer(_ id: TransferID) async throws(StoreError) -> Transfer? {
        try await read { () throws(StoreError) in try await base.transfer(id) }
    }

    func transfers(_ ids: [TransferID]) async throws(StoreError) -> [Transfer?] {
        try await read { () throws(StoreError) in try await base.transfers(ids) }
    }

    func orders(for ids: [TransferID]) async throws(StoreError) -> [AttemptOrders?] {
        try await read { () throws(StoreError) in try await base.orders(for: ids) }
    }

    func completed(like works: [Work]) async throws(StoreError) -> [Transfer?] {
        try await read { () throws(StoreError) in try await base.completed(like: works) }
    }

    func transfers(like works: [Work]) async throws(StoreError) -> [[Transfer]] {
        try await read { () throws(StoreError) in try await base.transfers(like: works) }
    }

    func transfer(uuid: TransferUUID) async throws(StoreError) -> Transfer? {
        try await read { () throws(StoreError) in try await base.transfer(uuid: uuid) }
    }

    func latest(tagged tag: TransferTag) async throws(StoreError) -> Transfer? {
        try await read { () throws(StoreError) in try await base.latest(tagged: tag) }
    }

    func completed(saving files: [SavedFile]) async throws(StoreError) -> [Transfer?] {
        try await read { () throws(StoreError) in try await base.completed(saving: files) }
    }

    func transfers(
        _ filter: TransferFilter,
        in order: ListOrder,
        limit: Int
    ) async throws(StoreError) -> [Transfer] {
        try await read { () throws(StoreError) in
            try await base.transfers(filter, in: order, limit: limit)
        }
    }

    func attempts(of id: TransferID) async throws(StoreError) -> [Attempt] {
        try await read { () throws(StoreError) in try await base.attempts(of: id) }
    }

    func dependents(of id: TransferID) async throws(StoreError) -> [TransferID] {
        try await read { () throws(StoreError) in try await base.dependents(of: id) }
    }

    func counts() async throws(StoreError) -> [TransferState.Name: Int] {
        try await read { () throws(StoreError) in try await base.counts() }
    }

    func nextWakeTime(for owner: OwnerID, after moment: Instant) async throws(StoreError) -> Instant? {
        try await read { () throws(StoreError) in try await base.nextWakeTime(for: owner, after: moment) }
    }

    func nextDeadline() async throws(StoreError) -> Instant? {
        try await read { () throws(StoreError) in try await base.nextDeadline() }
    }

    func nextResultTime(of types: [TransferType], at now: Instant) async throws(StoreError) -> Instant? {
        try await read { () throws(StoreError) in try await base.nextResultTime(of: types, at: now) }
    }

    func queues() async throws(StoreError) -> [QueueSummary] {
        try await read { () throws(StoreError) in try await base.queues() }
    }

    func changedQueues() async throws(StoreError) -> [TransferQueue] {
        try await read { () throws(StoreError) in try await base.changedQueues() }
    }

    func queue(named name: String) async throws(StoreError) -> TransferQueue {
        try await read { () throws(StoreError) in try await base.queue(named: name) }
    }

    func holdsSuspects(
        _ owner: OwnerID,
        only: TransferIDSet?,
        heldBack: HeldBack,
        at now: Instant
    ) async throws(StoreError) -> Bool {
        try await read { () throws(StoreError) in
            try await base.holdsSuspects(owner, only: only, heldBack: heldBack, at: now)
        }
    }

    func runningCounts() async throws(StoreError) -> [RunningCount] {
        try await read { () throws(StoreError) in try await base.runningCounts() }
    }

    func residues(
        for remover: ResidueRemover,
        after last: TransferID?,
        limit: Int
    ) async throws(StoreError) -> [TransferID] {
        try await read { () throws(StoreError) in
            try await base.residues(for: remover, after: last, limit: limit)
        }
    }

    func waitsForRoom(_ owner: OwnerID, at now: Instant) async throws(StoreError) -> Bool {
        try await read { () throws(StoreError) in try await base.waitsForRoom(owner, at: now) }
    }

    func traits(of server: Origin, at now: Instant) async throws(StoreError) -> ServerTraits {
        try await read { () throws(StoreError) in try await base.traits(of: server, at: now) }
    }

    func changes(besides owner: OwnerID?) -> AsyncStream<Void> { base.changes(besides: owner) }

    func verify() async throws(StoreError) -> [String] {
        try await read { () throws(StoreError) in try await base.verify() }
    }

    /// The store outlives the process.
    func close() async {}
}
