import FerryCore

/// The content of a memory store, with the undo log back to the durable state.
///
/// Every change logs the former value. The log since a mark undoes all later changes: those of a failed
/// write, or all since the last commit that survives power loss.
struct StoreImage {
    /// A transfer with the latest token that was issued for it.
    struct Row {
        /// The transfer.
        var transfer: Transfer
        /// The latest token.
        var token: Int64
        /// Its identity once it is completed, from before its secrets were dropped.
        var completedKey: [UInt8]?
        /// The time at which it was put in line, in milliseconds.
        var lined: Int64
        /// A moment before all others, if it goes before all that wait.
        var front: Int64?
        /// When it was last asked for, in a queue that also cancels waiting transfers.
        var asked: Int64?

        /// The time since which it counts as waiting in its queue, in milliseconds.
        var since: Int64 { front ?? lined }

        /// The row as a claim sees it.
        var candidate: ClaimCandidate {
            ClaimCandidate(
                queue: transfer.queue,
                host: transfer.work.host,
                place: LinePlace(of: transfer.id, since: since, priority: transfer.priority),
                since: since
            )
        }
    }

    /// The traits of a server, and when they were found.
    struct Finding {
        /// The traits.
        var traits: ServerTraits
        /// When they were found.
        var found: Instant

        /// Whether it is recent enough to be believed.
        func isBelieved(at now: Instant) -> Bool {
            found.duration(to: now) < ServerTraits.lifetime
        }
    }

    private enum Undo {
        case row(TransferID, Row?)
        case owner(OwnerID, Owner?)
        case attempts(TransferID, [Attempt])
        case server(Origin, Finding?)
        case queue(String, TransferQueue?)
        case turn(String, Int64?)
        case result(TransferID, UnhandledResult?)
        case trees(MemoryTrees)
        case pools(MemoryPools)
        case nextTransfer(Int64)
        case nextOwner(Int64)
    }

    /// The local time by which time windows open and close.
    let localTime: LocalTime
    /// Makes UUIDs. No write is undone here: a UUID is used once.
    var random: any RandomNumberGenerator & Sendable
    private(set) var rows: [TransferID: Row] = [:]
    private(set) var owners: [OwnerID: Owner] = [:]
    private(set) var attempts: [TransferID: [Attempt]] = [:]
    private(set) var servers: [Origin: Finding] = [:]
    /// The ends of transfers that are not handled yet.
    private(set) var results: [TransferID: UnhandledResult] = [:]
    /// The trees.
    private(set) var trees = MemoryTrees()
    /// The pools.
    private(set) var pools = MemoryPools()
    /// Whether the log has the trees as they were before the present write.
    private var hasNotedTrees = false
    /// The queues that were changed.
    private(set) var queues: [String: TransferQueue] = [:]
    /// When each queue was last served.
    private(set) var turns: [String: Int64] = [:]
    /// The latest adding time. When the clock goes back, new transfers still get a later place.
    private var latestAdded = Int64.min
    /// The unfinished transfers by their identity, octet for octet.
    private(set) var identities: [[UInt8]: TransferID] = [:]
    /// The failed transfers by their identity.
    private var failed: [[UInt8]: Set<TransferID>] = [:]
    /// The dependents of each transfer.
    private var dependents: [TransferID: Set<TransferID>] = [:]
    private var nextTransfer: Int64 = 1
    private var nextOwner: Int64 = 1
    private var undo: [Undo] = []
    /// The marks between the commits since the last one that survives power loss.
    private var commits: [Int] = []

    /// Creates an empty image.
    init(localTime: LocalTime, random: any RandomNumberGenerator & Sendable) {
        (self.localTime, self.random) = (localTime, random)
    }

    /// The current mark in the undo log.
    var mark: Int { undo.count }

    /// The latest completed transfer of each identity.
    var completed: [[UInt8]: Transfer] {
        let all = rows.values.filter { $0.transfer.state == .completed }
        let known = all.compactMap { row in row.completedKey.map { ($0, row.transfer) } }
        return Dictionary(known) { $0.id < $1.id ? $1 : $0 }
    }

    private static func completedKey(of transfer: Transfer, formerly row: Row?) -> [UInt8]? {
        let isOver = transfer.state == .completed || transfer.state == .cancelled
        if let row, isOver || row.transfer.work.asksForTheSame(as: transfer.work) { return row.completedKey }
        return transfer.work.completedKey
    }

    /// The number of the transfer with a UUID.
    func number(of uuid: TransferUUID) -> TransferID? {
        rows.values.first { $0.transfer.uuid == uuid }?.transfer.id
    }

    /// The transfers that come after a transfer, in order.
    func dependents(of id: TransferID) -> [TransferID] { dependents[id]?.sorted() ?? [] }

    /// Stores a transfer as it is now.
    ///
    /// - Parameters:
    ///   - front: a moment before all others, if it goes before all that wait from now on.
    ///   - asked: when it was asked for, if that is now, in a queue that also cancels waiting transfers.
    mutating func put(_ transfer: Transfer, front: Int64? = nil, asked: Int64? = nil) {
        let former = rows[transfer.id]
        undo.append(.row(transfer.id, former))
        if former == nil { latestAdded = max(latestAdded, transfer.added.milliseconds) }
        let keepsFront = transfer.keepsFront && transfer.queue == former?.transfer.queue
        set(
            Row(
                transfer: transfer,
                token: max(former?.token ?? 0, transfer.claim?.token ?? 0),
                completedKey: Self.completedKey(of: transfer, formerly: former),
                lined: former?.lined ?? latestAdded,
                front: front ?? (keepsFront ? former?.front : nil),
                asked: asked ?? former?.asked
            ),
            for: transfer.id
        )
    }

    /// Changes the trees. The log has them whole, once for each write.
    mutating func changeTrees<Value>(_ change: (inout MemoryTrees) -> Value) -> Value {
        if !hasNotedTrees {
            undo.append(.trees(trees))
            hasNotedTrees = true
        }
        return change(&trees)
    }

    /// Changes the pools.
    mutating func changePools<Value>(_ change: (inout MemoryPools) -> Value) -> Value {
        undo.append(.pools(pools))
        return change(&pools)
    }

    /// Notes that another write begins.
    mutating func beginWrite() { hasNotedTrees = false }

    /// Stores a queue.
    mutating func put(_ queue: TransferQueue) {
        undo.append(.queue(queue.name, queues[queue.name]))
        queues[queue.name] = queue
    }

    /// Forgets a queue.
    mutating func removeQueue(_ name: String) {
        undo += [.queue(name, queues[name]), .turn(name, turns[name])]
        queues[name] = nil
        turns[name] = nil
    }

    /// Stores when a queue was served.
    mutating func put(turn: Int64, of queue: String) {
        undo.append(.turn(queue, turns[queue]))
        turns[queue] = turn
    }

    /// Forgets the turns of queues without runnable transfers.
    mutating func forgetTurns(at now: Instant) {
        let ready = Set(rows.values.map(\.transfer).filter { $0.isReady(at: now) }.map(\.queue))
        for (queue, turn) in turns where !ready.contains(queue) {
            undo.append(.turn(queue, turn))
            turns[queue] = nil
        }
    }

    /// Removes a transfer and its attempts.
    mutating func forget(_ id: TransferID) {
        undo.append(.row(id, rows[id]))
        undo.append(.attempts(id, attempts[id] ?? []))
        put(nil, for: id)
        if trees.links.contains(where: { $0.value.transfer == id }) {
            changeTrees { $0.deleteLinks(of: id) }
        }
        set(nil, for: id)
        attempts[id] = nil
    }

    /// Stores or removes the end of a transfer that is not handled yet.
    mutating func put(_ result: UnhandledResult?, for id: TransferID) {
        guard results[id] != result else { return }
        undo.append(.result(id, results[id]))
        results[id] = result
    }

    /// Stores or removes an owner.
    mutating func put(_ owner: Owner?, for id: OwnerID) {
        undo.append(.owner(id, owners[id]))
        owners[id] = owner
    }

    /// Stores the attempts of a transfer.
    mutating func put(_ list: [Attempt], for id: TransferID) {
        undo.append(.attempts(id, attempts[id] ?? []))
        attempts[id] = list
    }

    /// Stores or removes the traits of a server.
    mutating func put(_ finding: Finding?, for server: Origin) {
        undo.append(.server(server, servers[server]))
        servers[server] = finding
    }

    /// A number that no transfer has had.
    mutating func newTransferID() -> TransferID {
        undo.append(.nextTransfer(nextTransfer))
        defer { nextTransfer += 1 }
        return TransferID(rawValue: nextTransfer)
    }

    /// A number that no owner has had.
    mutating func newOwnerID() -> OwnerID {
        undo.append(.nextOwner(nextOwner))
        defer { nextOwner += 1 }
        return OwnerID(rawValue: nextOwner)
    }

    /// Makes everything durable: it can no longer be undone.
    mutating func makeDurable() {
        undo.removeAll(keepingCapacity: true)
        commits.removeAll(keepingCapacity: true)
    }

    /// Notes a commit that may or may not survive power loss.
    mutating func noteCommit() {
        if commits.last ?? 0 < mark { commits.append(mark) }
    }

    /// Goes back to a random commit since the last one that survives power loss, or to that one.
    mutating func losePower(using random: inout SeededRandom) {
        goBack(to: ([0] + commits).randomElement(using: &random) ?? 0)
        makeDurable()
    }

    /// Goes back to a mark.
    mutating func goBack(to mark: Int) {
        commits.removeAll { $0 > mark }
        while undo.count > mark, let last = undo.popLast() {
            switch last {
            case .row(let id, let row): set(row, for: id)
            case .owner(let id, let owner): owners[id] = owner
            case .result(let id, let result): results[id] = result
            case .trees(let former): trees = former
            case .pools(let former): pools = former
            case .attempts(let id, let list): attempts[id] = list.isEmpty ? nil : list
            case .server(let server, let finding): servers[server] = finding
            case .queue(let name, let queue): queues[name] = queue
            case .turn(let name, let turn): turns[name] = turn
            case .nextTransfer(let number): nextTransfer = number
            case .nextOwner(let number): nextOwner = number
            }
        }
    }

    private mutating func set(_ row: Row?, for id: TransferID) {
        file(rows[id]?.transfer, nil)
        for other in rows[id]?.transfer.dependencies ?? [] {
            dependents[other]?.remove(id)
            if dependents[other]?.isEmpty == true { dependents[other] = nil }
        }
        for other in row?.transfer.dependencies ?? [] { dependents[other, default: []].insert(id) }
        rows[id] = row
        file(row?.transfer, id)
    }

    /// Files a transfer under its identity, or removes it from there when `id` is `nil`.
    private mutating func file(_ transfer: Transfer?, _ id: TransferID?) {
        guard let transfer, let key = transfer.work.identityKey else { return }
        switch transfer.state {
        case .queued, .active, .waiting, .paused: identities[key] = id
        case .failed:
            var twins = failed.removeValue(forKey: key) ?? []
            if let id { twins.insert(id) } else { twins.remove(transfer.id) }
            if !twins.isEmpty { failed[key] = twins }
        case .completed, .cancelled: break
        }
    }

    /// The transfer that represents an identity: the unfinished one, or else the latest failed one.
    func met(by key: [UInt8]) -> TransferID? { identities[key] ?? failed[key]?.max() }
}

extension Work {
    /// The identity as octets: `String` would treat canonically equivalent file names as equal.
    var identityKey: [UInt8]? { self.identity.map { Array($0.utf8) } }

    /// The identity of a completed transfer as octets.
    var completedKey: [UInt8]? { self.completedIdentity.map { Array($0.utf8) } }
}
