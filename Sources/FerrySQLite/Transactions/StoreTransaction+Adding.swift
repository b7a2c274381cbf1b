import FerryCore
import Foundation
import GRDB

extension StoreTransaction {
    /// Adds transfers, revives failed ones and attaches to those that already exist.
    ///
    /// - Returns: `nil` when so many waits were due that nothing was added yet; the caller tries again.
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
        var full: [String: TransferQueue] = [:]
        let view = StoreView(db, path: path, codec: codec)
        for queue in try view.changedQueues() where queue.overflow != .wait {
            full[queue.name] = queue
        }
        // Due waits count as runnable.
        if !full.isEmpty, try !noteDueWaits(at: now) { return nil }
        return try transfers.enumerated().map { index, new in
            if let completed, let identity = StoredIdentity.completed(new.work),
                let later = try view.completed(identity: identity, besides: completed[index])
            {
                return .attached(later)
            }
            let addition = try add(new, lined: lined, holder: holder, at: now)
            if let queue = full[addition.transfer.queue], !addition.isRepetition(of: new) {
                try makeRoom(in: queue, for: addition, at: now)
            }
            return addition
        }
    }

    /// The latest queueing time. When the clock goes back, new transfers still line up behind it.
    private func latestMoment() throws -> Int64 {
        let statement = try db.cachedStatement(
            sql: "SELECT ifnull(lined, added) FROM transfer ORDER BY id DESC LIMIT 1"
        )
        return try Int64.fetchOne(statement) ?? .min
    }

    private func add(
        _ new: NewTransfer,
        lined: Int64?,
        holder: OwnerID?,
        at now: Instant
    ) throws -> Addition {
        if let uuid = new.uuid, let known = try transfer(uuid: uuid) { return .attached(known) }
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
            let id = try insert(transfer, work, lined: lined, holder: holder)
            if let payload = new.payload { try write(payload, of: id) }
            touch(HeadKey(queue: new.queue, owner: holder?.rawValue, host: work.host))
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

    /// Inserts a row.
    private func insert(
        _ transfer: Transfer,
        _ work: StoredWork,
        lined: Int64?,
        holder: OwnerID?
    ) throws -> TransferID {
        let standing = Standing(transfer.state)
        try BareStatement(Self.insertion, on: db).execute { values in
            values.add(transfer.kind.rawValue)
            values.add(Data(transfer.uuid.bytes))
            values.add(transfer.tag?.text)
            values.add(transfer.queue)
            values.add(transfer.priority)
            values.add(work)
            values.add(transfer.state.name)
            values.add(standing.condition)
            values.add(standing.wakeAt)
            values.add(standing.runnable)
            values.add(holder?.rawValue)
            values.add(holder == nil ? 0 : 1)
            values.add(transfer.added.milliseconds)
            values.add(transfer.updated.milliseconds)
            values.add(lined)
            values.add(holder == nil)
            values.add(transfer.queue)
        }
        return TransferID(rawValue: db.lastInsertedRowID)
    }

    /// The transfer that was added with a UUID, in any state.
    private func transfer(uuid: TransferUUID) throws -> Transfer? {
        let id = try BareStatement(StoreView.byUUID, on: db).first({ $0.add(Data(uuid.bytes)) }, codec: codec)
        {
            TransferID(rawValue: try $0.integer(0))
        }
        return try id.flatMap { try row($0)?.transfer }
    }

    /// Stores the application's payload of a transfer.
    func write(_ payload: TransferPayload, of id: TransferID) throws {
        try BareStatement("INSERT OR REPLACE INTO payload (transfer, bytes) VALUES (?, ?)", on: db).execute {
            values in
            values.add(id.rawValue)
            values.add(Data(payload.bytes))
        }
    }

    /// The value of the column `strict` for a transfer of a queue.
    static let strictness = "ifnull((SELECT strict FROM queue WHERE name = ?), 0)"

    static let insertion = """
        INSERT INTO transfer (kind, uuid, tag, queue, priority, host, url, directory, name, stream, options, identity,
            time_window, state, condition, wake_at, runnable, owner, token, added, updated, lined, for_queue,
            strict)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, \(strictness))
        """
}

extension Addition {
    /// Whether the very same was added before, under the name that the application gave it.
    fileprivate func isRepetition(of new: NewTransfer) -> Bool {
        if case .attached(let known) = self { known.uuid == new.uuid } else { false }
    }
}
