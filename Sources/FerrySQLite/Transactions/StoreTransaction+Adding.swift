import FerryCore
import GRDB

extension StoreTransaction {
    /// Adds transfers, revives failed ones and attaches to those that already exist.
    func add(
        _ transfers: [NewTransfer],
        besides completed: [TransferID?]? = nil,
        holder: OwnerID?,
        at now: Instant
    ) throws -> WriteStep<[Addition]> {
        precondition(completed.map { $0.count == transfers.count } ?? true, "what is known is told of each")
        requirePower()
        for queue in Set(transfers.map(\.queue)) { try TransferQueue.requireName(queue) }
        try requireOwner(holder)
        let latest = try latestMoment()
        let lined = latest > now.milliseconds ? latest : nil
        let view = self.view
        var full: [String: TransferQueue] = [:]
        for queue in try view.changedQueues() where queue.overflow != .wait {
            full[queue.name] = queue
        }
        let strictness = try view.strictness()
        // Due waits count as runnable.
        if !full.isEmpty, try !noteDueWaits(at: now) { return .unfinished }
        var names = TransferUUIDSequence(at: now, using: SystemRandomNumberGenerator())
        let additions = try transfers.enumerated().map { index, new -> Addition in
            let identities = StoredIdentities(new.work, codec: codec, isOverAsWell: completed != nil)
            if let completed, let identity = identities.completed,
                let later = try view.completed(identity: identity, besides: completed[index])
            {
                return .attached(later)
            }
            let addition = try add(
                new,
                as: identities.unfinished,
                named: &names,
                lined: lined,
                strictness: strictness[new.queue] ?? 0,
                holder: holder,
                at: now
            )
            if let queue = full[addition.transfer.queue] {
                try makeRoom(in: queue, for: addition, of: new, at: now)
            }
            return addition
        }
        return .done(additions)
    }

    /// The latest queueing time. When the clock goes back, new transfers still line up behind it.
    private func latestMoment() throws -> Int64 {
        let statement = try db.cachedStatement(
            sql: "SELECT ifnull(lined, added) FROM work ORDER BY id DESC LIMIT 1"
        )
        return try Int64.fetchOne(statement) ?? .min
    }

    private func add(
        _ new: NewTransfer,
        as identity: StoredIdentity?,
        named names: inout TransferUUIDSequence<SystemRandomNumberGenerator>,
        lined: Int64?,
        strictness: Int,
        holder: OwnerID?,
        at now: Instant
    ) throws -> Addition {
        if let uuid = new.uuid, let known = try view.transfer(uuid: uuid) {
            return .attached(known)
        }
        var new = new
        new.uuid = new.uuid ?? names.next()
        if !new.after.isEmpty { new.after = try awaited(new.after) }
        guard let twin = try identity.flatMap({ try twin(identity: $0) }) else {
            let id = try newNumber()
            var transfer = Transfer(id: id, adding: new, at: now)
            transfer.heedWindow(at: now, in: localTime)
            let work = try StoredWork(new.work, identity: identity, codec: codec)
            try insert(transfer, work, lined: lined)
            try insert(transfer, lined: lined, strictness: strictness, holder: holder)
            if let payload = new.payload { try write(payload, of: id) }
            touch(HeadKey(queue: new.queue, owner: holder?.rawValue, host: transfer.work.host))
            noteState(from: nil, to: transfer.state.name)
            transfer.isForQueue = holder == nil
            if !new.after.isEmpty {
                var row = try existingRow(id)
                row.transfer.comeAfter(new.after, at: now)
                return .added(try write(row))
            }
            transfer.claim = holder.map { Claim(transfer: id, owner: $0, token: 1) }
            return .added(transfer)
        }
        return try meet(new, twin, holder: holder, at: now)
    }

    /// Inserts what is to be done.
    private func insert(_ transfer: Transfer, _ work: StoredWork, lined: Int64?) throws {
        try BareStatement(Self.insertingWork, on: db).execute { values in
            values.add(transfer.id.rawValue)
            values.add(transfer.kind.rawValue)
            values.add(transfer.uuid.bytes)
            values.add(transfer.tag?.text)
            values.add(work)
            values.add(transfer.added.milliseconds)
            values.add(lined)
        }
    }

    /// Inserts where a new transfer stands.
    private func insert(
        _ transfer: Transfer,
        lined: Int64?,
        strictness: Int,
        holder: OwnerID?
    ) throws {
        let standing = Standing(transfer.state)
        try BareStatement(Self.insertion, on: db).execute { values in
            values.add(transfer.id.rawValue)
            values.add(transfer.queue)
            values.add(transfer.priority)
            values.add(transfer.work.host)
            values.add(StoredWork.text(of: transfer.work.terms.window))
            values.add(transfer.state.name.rawValue)
            values.add(standing.condition?.rawValue)
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

    /// Stores the application's payload of a transfer.
    func write(_ payload: TransferPayload, of id: TransferID) throws {
        try BareStatement("INSERT OR REPLACE INTO payload (transfer, bytes) VALUES (?, ?)", on: db).execute {
            values in
            values.add(id.rawValue)
            values.add(payload.bytes)
        }
    }

    static let insertingWork = """
        INSERT INTO work (id, kind, uuid, tag, url, directory, name, stream, options, identity, added, lined)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    static let insertion = """
        INSERT INTO transfer (id, queue, priority, host, time_window, state, condition, wake_at, runnable, owner, token,
            updated, lined, for_queue, strict)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
}
