import FerryCore

/// The rows of a memory store while one write runs.
final class MemoryRows: TransferRows, ResultRows {
    /// A transfer as it was read.
    struct Stored: StoredTransfer {
        var transfer: Transfer
        let former: Transfer
        let nextToken: Int64
    }

    /// The present content of the store.
    var image: StoreImage
    /// The durability that the commit needs, as known so far.
    private(set) var durability: Durability

    /// Creates rows over the content of a store.
    init(_ image: StoreImage, _ durability: Durability) {
        self.image = image
        self.durability = durability
    }

    var localTime: LocalTime { image.localTime }

    var results: MemoryRows { self }

    var nodes: MemoryNodeRows { MemoryNodeRows(self) }

    var cache: MemoryCacheRows { MemoryCacheRows(self) }

    func requirePower() { durability = .power }

    // MARK: Transfers

    func newNumber() -> TransferID { image.newTransferID() }

    func number(of uuid: TransferUUID) -> TransferID? { image.number(of: uuid) }

    func row(_ id: TransferID) -> Stored? {
        image.rows[id].map { Stored(transfer: $0.transfer, former: $0.transfer, nextToken: $0.token + 1) }
    }

    func unlessDamaged(_ id: TransferID, _ read: () throws -> Stored?) throws -> Stored? { try read() }

    func setAside(_ id: TransferID) { preconditionFailure("no row in memory is damaged") }

    func put(_ row: Stored, request: Bool) { image.put(row.transfer) }

    func putLabels(of transfer: Transfer) { image.put(transfer) }

    func delete(_ id: TransferID) { image.forget(id) }

    func stateName(of id: TransferID) -> TransferState.Name? { image.rows[id]?.transfer.state.name }

    func living(like work: Work) -> (id: TransferID, state: TransferState.Name)? {
        work.identityKey.flatMap { image.identities[$0] }.flatMap { id in stateName(of: id).map { (id, $0) } }
    }

    func completed(like work: Work) -> Transfer? { work.completedKey.flatMap { image.completed[$0] } }

    func append(_ attempt: Attempt, to id: TransferID) {
        image.put(((image.attempts[id] ?? []) + [attempt]).suffix(100), for: id)
    }

    // MARK: Results

    func result(of id: TransferID) -> UnhandledResult? { image.results[id] }

    func put(_ result: UnhandledResult) { image.put(result, for: result.transfer) }

    func deleteResult(of id: TransferID) { image.put(nil, for: id) }

    func freeResults(of owner: OwnerID) {
        for var result in image.results.values where result.owner == owner {
            result.owner = nil
            put(result)
        }
    }

    func dueResults(of type: TransferType, upTo limit: Int, at now: Instant) -> [UnhandledResult] {
        let due = image.results.values.filter { $0.type == type && $0.isDue(at: now) }
        return Array(due.sorted { ($0.due, $0.transfer) < ($1.due, $1.transfer) }.prefix(limit))
    }

    // MARK: Owners

    func hasJoined(_ owner: OwnerID) -> Bool { image.owners[owner] != nil }

    func held(by owner: OwnerID, upTo limit: Int) -> [TransferID] {
        let held = image.rows.values.map(\.transfer).filter { $0.claim?.owner == owner }
        return Array(held.map(\.id).sorted().prefix(limit))
    }

    func delete(_ owner: OwnerID) {
        freeResults(of: owner)
        cache.freeRetains(of: owner)
        if hasJoined(owner) { image.put(nil, for: owner) }
    }

    // MARK: Order

    func dependencies(of id: TransferID) -> [TransferID] { image.rows[id]?.transfer.dependencies ?? [] }

    func dependents(of id: TransferID) -> [TransferID] { image.dependents(of: id) }

    func takers(of id: TransferID) -> [TransferID] {
        dependents(of: id).filter { image.rows[$0]?.transfer.work.valueSources.isEmpty == false }
    }

    func release(dependentsOf id: TransferID) -> [TransferID] {
        dependents(of: id).filter { dependent in
            guard var transfer = image.rows[dependent]?.transfer else { return false }
            transfer.dependencies.removeAll { $0 == id }
            image.put(transfer)
            return transfer.dependencies.isEmpty
        }
    }

    func forgetDependencies(of id: TransferID) {
        preconditionFailure("only what is there comes after others")
    }

    func lineBehind(_ id: TransferID) -> (queue: String, ids: [TransferID])? {
        guard let head = image.rows[id], let queue = image.queues[head.transfer.queue],
            queue.order == .strict, queue.onFailure == .fail
        else { return nil }
        let place = head.candidate.place
        let behind = image.rows.values.filter {
            $0.transfer.queue == queue.name && place < $0.candidate.place
        }
        return (queue.name, behind.map(\.candidate.place).sorted().map(\.id))
    }

    // MARK: Queues

    func queue(named name: String) -> TransferQueue { image.queues[name] ?? TransferQueue(name) }

    func replace(_ queue: TransferQueue) { image.put(queue) }

    func deleteQueue(named name: String) -> Bool {
        defer { image.removeQueue(name) }
        return image.queues[name] != nil
    }

    func unfinished(in queue: String) -> (id: TransferID, state: TransferState.Name)? {
        let unfinished = image.rows.values.map(\.transfer).filter { $0.queue == queue && !$0.state.isFinal }
        return unfinished.min { $0.id < $1.id }.map { ($0.id, $0.state.name) }
    }

    func running(in queue: String) -> [(id: TransferID, wish: Wish?)] {
        let running = image.rows.values.map(\.transfer).filter { $0.state == .active && $0.queue == queue }
        return running.sorted { $0.id < $1.id }.map { ($0.id, $0.wish) }
    }

    func waiting(in queue: TransferQueue, beside id: TransferID, at now: Instant) -> Int {
        image.rows.values.map(\.transfer).count { transfer in
            transfer.isReady(at: now) && transfer.queue == queue.name && transfer.id != id
        }
    }

    func letGoFirst(_ transfer: Transfer) { image.put(transfer, front: LinePlace.front(transfer.id)) }

    func asked(in queue: TransferQueue) -> [AskedTransfer] {
        image.rows.values.filter { row in
            row.transfer.queue == queue.name && !row.transfer.state.isFinal
                && row.transfer.wish?.isCancel != true
        }
        .map { AskedTransfer($0.transfer.id, asked: $0.asked ?? $0.lined) }
    }

    func noteAsked(_ id: TransferID, at moment: Int64) {
        if let row = image.rows[id] { image.put(row.transfer, asked: moment) }
    }

    func turn(of queue: String) -> Int64? { image.turns[queue] }

    func record(_ turns: [String: Int64]) {
        for (queue, turn) in turns.sorted(by: { $0.key < $1.key }) { image.put(turn: turn, of: queue) }
    }
}
