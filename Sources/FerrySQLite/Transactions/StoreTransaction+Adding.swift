import FerryCore
import Foundation
import GRDB

extension StoreTransaction {
    /// Adds transfers, revives failed ones and finds those that are there.
    ///
    /// - Returns: `nil` when there was so much whose time has come that nothing was added yet; it is to be tried again.
    func add(
        _ transfers: [NewTransfer],
        besides completed: [TransferID?]? = nil,
        holder: OwnerID?,
        at now: Instant
    ) throws -> [Addition]? {
        precondition(completed.map { $0.count == transfers.count } ?? true, "what is known is told of each")
        requirePower()
        for queue in Set(transfers.map(\.queue)) { try TransferQueue.requireName(queue) }
        if let holder { try requireOwner(holder) }
        let latest = try latestMoment()
        let lined = latest > now.milliseconds ? latest : nil
        let view = StoreView(db, path: path, codec: codec)
        var full: [String: TransferQueue] = [:]
        for queue in try view.changedQueues() where queue.overflow == .cancelOldest {
            full[queue.name] = queue
        }
        let strictness = try view.strictness()
        // What is due counts among those that could run.
        if !full.isEmpty, try !noteDueWaits(at: now) { return nil }
        return try transfers.enumerated().map { index, new in
            if let completed, let identity = StoredIdentity.completed(new.work),
                let later = try view.completed(identity: identity, besides: completed[index])
            {
                return .attached(later)
            }
            let addition = try add(
                new,
                lined: lined,
                strictness: strictness[new.queue] ?? 0,
                holder: holder,
                at: now
            )
            if let queue = full[addition.transfer.queue] { try makeRoom(in: queue, for: addition, at: now) }
            return addition
        }
    }

    /// The latest moment since which a transfer counts as waiting: no later one falls behind it when the clock goes back.
    private func latestMoment() throws -> Int64 {
        let statement = try db.cachedStatement(
            sql: "SELECT ifnull(lined, added) FROM work ORDER BY id DESC LIMIT 1"
        )
        return try Int64.fetchOne(statement) ?? .min
    }

    private func add(
        _ new: NewTransfer,
        lined: Int64?,
        strictness: Int,
        holder: OwnerID?,
        at now: Instant
    ) throws -> Addition {
        if let uuid = new.uuid, let known = try StoreView(db, path: path, codec: codec).transfer(uuid: uuid) {
            return .attached(known)
        }
        var new = new
        if new.uuid == nil {
            var random = SystemRandomNumberGenerator()
            new.uuid = TransferUUID(at: now, using: &random)
        }
        new.after = try awaited(new.after)
        let work = try StoredWork(new.work, codec: codec)
        var transfer = Transfer(id: TransferID(rawValue: 0), adding: new, at: now)
        transfer.heedWindow(at: now, in: localTime)
        guard let twin = try work.identity.flatMap({ try twin(identity: $0) }) else {
            let id = try insert(transfer, work, lined: lined)
            try insert(transfer, as: id, lined: lined, strictness: strictness, holder: holder)
            if let payload = new.payload { try write(payload, of: id) }
            touch(HeadKey(queue: new.queue, owner: holder?.rawValue, host: transfer.work.host))
            noteState(from: nil, to: transfer.state.name)
            transfer.isForQueue = holder == nil
            if !new.after.isEmpty { return .added(try comeAfter(new.after, id, at: now)) }
            transfer.id = id
            transfer.claim = holder.map { Claim(transfer: id, owner: $0, token: 1) }
            return .added(transfer)
        }
        var existing = try existingRow(twin)
        let former = existing.transfer
        let reunion = try existing.transfer.meet(new, holder: holder, token: existing.nextToken, at: now)
        try checkDependencies(
            of: existing.transfer,
            adding: existing.transfer.dependencies.filter { !former.dependencies.contains($0) }
        )
        if existing.transfer != former { try write(&existing, [.standing, .request]) }
        return Addition(existing.transfer, reunion)
    }

    /// Inserts what is to be done.
    private func insert(_ transfer: Transfer, _ work: StoredWork, lined: Int64?) throws -> TransferID {
        try BareStatement(Self.insertingWork, on: db).execute { values in
            values.add(transfer.kind.rawValue)
            values.add(Data(transfer.uuid.bytes))
            values.add(transfer.tag?.text)
            values.add(work)
            values.add(transfer.added.milliseconds)
            values.add(lined)
        }
        return TransferID(rawValue: db.lastInsertedRowID)
    }

    /// Inserts where a new transfer stands.
    private func insert(
        _ transfer: Transfer,
        as id: TransferID,
        lined: Int64?,
        strictness: Int,
        holder: OwnerID?
    ) throws {
        let standing = Standing(transfer.state)
        try BareStatement(Self.insertion, on: db).execute { values in
            values.add(id.rawValue)
            values.add(transfer.queue)
            values.add(transfer.priority)
            values.add(transfer.work.host)
            values.add(StoredWork.text(of: transfer.work.terms.window))
            values.add(transfer.state.name)
            values.add(standing.condition)
            values.add(standing.wakeAt)
            values.add(standing.runnable)
            values.add(holder?.rawValue)
            values.add(holder == nil ? 0 : 1)
            values.add(transfer.updated.milliseconds)
            values.add(lined ?? transfer.added.milliseconds)
            values.add(holder == nil)
            values.add(strictness)
        }
    }

    /// Writes down what the application gave a transfer along.
    func write(_ payload: TransferPayload, of id: TransferID) throws {
        try BareStatement("INSERT OR REPLACE INTO payload (transfer, bytes) VALUES (?, ?)", on: db).execute {
            values in
            values.add(id.rawValue)
            values.add(Data(payload.bytes))
        }
    }

    static let insertingWork = """
        INSERT INTO work (kind, uuid, tag, url, directory, name, stream, options, identity, added, lined)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    static let insertion = """
        INSERT INTO transfer (id, queue, priority, host, time_window, state, condition, wake_at, runnable, owner, token,
            updated, lined, for_queue, strict)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
}
