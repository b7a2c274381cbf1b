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
        var random = SystemRandomNumberGenerator()
        let names = TransferUUIDSequence(at: now, using: &random)
        var pending = PendingInsertions(db)
        var block: ClusteredDigest.Block?
        let additions = try transfers.enumerated().map { index, new -> Addition in
            let identities = StoredIdentities(new.work, latest: &block, isOverAsWell: completed != nil)
            if let completed, let identity = identities.completed,
                let later = try view.completed(identity: identity, besides: completed[index])
            {
                return .attached(later)
            }
            let addition = try add(
                new,
                as: identities.unfinished,
                named: names,
                pending: &pending,
                lined: lined,
                strictness: strictness[new.queue] ?? 0,
                holder: holder,
                at: now
            )
            if let queue = full[addition.transfer.queue] {
                try pending.insert()
                try makeRoom(in: queue, for: addition, of: new, at: now)
            }
            return addition
        }
        try pending.insert()
        return .done(additions)
    }

    /// The latest queueing time. When the clock goes back, new transfers still get a later place.
    private func latestMoment() throws -> Int64 {
        let statement = try db.cachedStatement(
            sql: "SELECT ifnull(lined, added) FROM work ORDER BY id DESC LIMIT 1"
        )
        return try Int64.fetchOne(statement) ?? .min
    }

    private func add(
        _ new: NewTransfer,
        as identity: StoredIdentity?,
        named names: TransferUUIDSequence,
        pending: inout PendingInsertions,
        lined: Int64?,
        strictness: Int,
        holder: OwnerID?,
        at now: Instant
    ) throws -> Addition {
        // A look-up, or a reference by number, may concern a transfer that is not inserted yet.
        let mayConcernPending = new.uuid != nil || new.refersToOthers || pending.contains(identity)
        if mayConcernPending { try pending.insert() }
        return try add(new, named: names, holder: holder, at: now) {
            try identity.flatMap { try twin(identity: $0) }
        } insert: { transfer in
            let insertion = Insertion(
                transfer: transfer,
                work: try StoredWork(transfer.work, identity: identity, codec: codec),
                lined: lined,
                strictness: strictness
            )
            try pending.add(insertion)
            let hasValues = !new.work.valueSources.isEmpty && transfer.work.progress != new.work.progress
            let hasProgress = hasValues || !new.work.isUntouched || new.keptBy != nil
            if transfer.payload != nil || !transfer.dependencies.isEmpty || hasProgress {
                try pending.insert()
            }
            if hasProgress { try write(transfer.work.progress, of: transfer.id) }
            if let payload = transfer.payload { try write(payload, of: transfer.id) }
            if !transfer.dependencies.isEmpty { try writeDependencies(transfer) }
            touch(HeadKey(transfer))
            noteState(from: nil, to: transfer.state.name)
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
}
