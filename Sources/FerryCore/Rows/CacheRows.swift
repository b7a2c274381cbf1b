/// The pools of a store, during one write. All stores share the code that decides what a write does.
package protocol CacheRows {
    /// The pools that were ever changed or have entries, by name.
    func pools() throws -> [CacheSettings]
    /// The settings of a pool; one that was never changed is as ``CacheSettings/init(_:)`` makes it.
    func pool(named name: String) throws -> CacheSettings
    /// Stores the settings of a pool.
    func put(_ settings: CacheSettings) throws
    /// An entry by the name of its file.
    func entry(_ name: String, in pool: String) throws -> StoredEntry?
    /// An entry by its number.
    func entry(_ number: Int64) throws -> StoredEntry?
    /// Whether a pool has entries.
    func hasEntries(_ pool: String) throws -> Bool
    /// The entries that transfers are to bring, in any order.
    func expected(in pool: String) throws -> [StoredEntry]
    /// The entries that wait for a transfer, in any order.
    func awaiting(_ transfer: TransferID) throws -> [StoredEntry]
    /// The bytes of those entries of a pool that have the mode ``CacheMode/cached``, are not leaving, and have up to this many bytes
    /// each.
    func cachedBytes(of pool: String, eachUpTo largest: Int64) throws -> Int64
    /// Adds or replaces an entry.
    func put(_ entry: StoredEntry) throws
    /// Deletes an entry and its retains, and forgets its nodes.
    func deleteEntry(_ number: Int64) throws
    /// The entries of a node, in any order.
    func entries(ofNode node: Int64) throws -> [StoredEntry]
    /// Notes that an entry belongs to a node, if that is not noted yet.
    func put(node: Int64, of number: Int64) throws
    /// Notes that an entry belongs to no node.
    func forgetNodes(of number: Int64) throws
    /// Notes that no entry belongs to a node.
    func forgetEntries(ofNode node: Int64) throws
    /// Entries of a pool that may be evicted, in the order of their last use, the earliest first.
    ///
    /// - Parameter bytes: only those that have more bytes; `nil` for all.
    func evictable(
        in pool: String,
        besides number: Int64,
        above bytes: Int64?,
        upTo limit: Int
    ) throws -> [StoredEntry]
    /// Sets the last use of entries that were used later than now, by a clock that was ahead, to now.
    func limitUse(in pool: String, to now: Instant) throws
    /// Changes how many times an owner retains an entry. The number never falls below 0.
    func addRetains(_ count: Int, to number: Int64, of owner: OwnerID) throws
    /// The numbers of the entries that an owner retains.
    func retained(by owner: OwnerID) throws -> [Int64]
    /// Forgets what an owner retains.
    func freeRetains(of owner: OwnerID) throws
}

extension CacheRows {
    /// Maximum entries that one commit evicts. The rest goes with the next one, or with a trim.
    private static var mostEvicted: Int { 1_000 }

    /// Changes the settings of a pool.
    package func edit(_ name: String, _ edit: CacheEdit) throws -> CacheSettings {
        let former = try pool(named: name)
        let settings: CacheSettings
        do {
            settings = try former.applying(edit)
        } catch {
            throw StoreError.refusedPool(error)
        }
        if settings.directory != former.directory {
            if try hasEntries(name) { throw StoreError.refusedPool(.hasEntries) }
            // A pool would delete the files of another one.
            for other in try pools() where other.pool != name {
                guard let directory = settings.directory, let taken = other.directory else { continue }
                if CacheSettings.overlap(directory, taken) {
                    throw StoreError.refusedPool(.directoryInUse(directory, by: other.pool))
                }
            }
        }
        try put(settings)
        return settings
    }

    /// Notes that a transfer is to bring an entry.
    func expect(_ transfer: Transfer) throws {
        guard let (terms, name) = transfer.cacheTarget else { return }
        var entry =
            try entry(name, in: terms.pool)
            ?? StoredEntry(
                terms,
                named: name,
                label: terms.label(of: transfer.work.url),
                at: transfer.updated
            )
        entry.transfer = transfer.id
        try put(entry)
    }

    /// Takes the end of a transfer into account: the entry that it brings is recorded in the commit that completes it.
    func note(_ transfer: Transfer, formerly former: Transfer) throws {
        guard former.state.name != transfer.state.name else { return }
        if transfer.state.name.isOver {
            for var entry in try awaiting(transfer.id) {
                entry.noteEnd(isCompleted: transfer.state == .completed)
                try put(entry)
            }
        }
        guard let (terms, name) = transfer.cacheTarget else { return }
        switch transfer.state {
        // It was retried.
        case .queued where former.state.name == .failed, .waiting where former.state.name == .failed:
            try expect(transfer)
        case .queued, .active, .waiting, .paused: break
        case .completed:
            guard let progress = transfer.download?.progress,
                let version = SavedVersion(progress, isAccepted: true)
            else { return try settle(name, in: terms.pool, transfer.id) }
            let now = transfer.updated
            var entry =
                try entry(name, in: terms.pool)
                ?? StoredEntry(terms, named: name, label: terms.label(of: transfer.work.url), at: now)
            // It was cancelled with the last of its nodes, and completed before its owner noticed that.
            let isLeaving = entry.isLeaving && former.wish?.isCancel == true
            entry.take(version, terms, at: now)
            entry.isLeaving = isLeaving
            try put(entry)
            let number = try self.entry(name, in: terms.pool)?.number ?? 0
            _ = try evict(from: terms.pool, besides: number, upTo: Self.mostEvicted, at: now)
        case .failed(let failure):
            guard var entry = try entry(name, in: terms.pool), entry.transfer == transfer.id else { return }
            if [.notFound, .gone].contains(failure.code), terms.notesAbsence {
                entry.noteAbsence(terms, at: transfer.updated)
            } else if entry.content != .expected {
                // It may be evicted. Without a file it stays until the transfer is given up: a retry resumes the part file.
                entry.transfer = nil
            }
            try put(entry)
        case .cancelled: try settle(name, in: terms.pool, transfer.id)
        }
    }

    /// Notes the nodes that the entry of a transfer belongs to. The entry is deleted with the last of them, unless it is kept for
    /// another reason. Called in the commit that completes the transfer, before the entry takes its file.
    func assign(_ links: [NodeLink], of transfer: Transfer, formerly former: Transfer) throws {
        guard let (terms, name) = transfer.cacheTarget, !links.isEmpty || terms.mode == .persistent,
            let entry = try entry(name, in: terms.pool)
        else { return }
        guard !links.isEmpty else {
            // A caller has asked for it apart from any node.
            if former.wish?.isCancel != true { try forgetNodes(of: entry.number) }
            return
        }
        if entry.isKept, entry.content != .expected, !entry.isLeaving { return }
        for link in links { try put(node: link.node, of: entry.number) }
    }

    /// Notes that the entry of a transfer is to be deleted, because the transfer was cancelled with the last of its nodes. The process
    /// that runs the transfer may complete it before it notices the cancellation.
    func abandon(_ transfer: Transfer) throws {
        guard transfer.state == .active, let (terms, name) = transfer.cacheTarget,
            var entry = try entry(name, in: terms.pool), entry.transfer == transfer.id,
            entry.content == .expected, entry.coming == nil
        else { return }
        entry.isLeaving = true
        try put(entry)
    }

    /// Notes that the entries of a removed node are to be deleted, unless they belong to another node.
    func removeEntries(ofNode node: Int64) throws {
        let entries = try entries(ofNode: node)
        guard !entries.isEmpty else { return }
        try forgetEntries(ofNode: node)
        for number in entries.map(\.number) {
            guard var entry = try entry(number), entry.content != .expected, !entry.hasNodes else { continue }
            entry.isLeaving = true
            try put(entry)
        }
    }

    /// Notes that a transfer no longer brings an entry.
    private func settle(_ name: String, in pool: String, _ transfer: TransferID) throws {
        guard var entry = try entry(name, in: pool), entry.transfer == transfer else { return }
        entry.transfer = nil
        if try !forget(entry) { try put(entry) }
    }

    /// Deletes an entry if it may be forgotten.
    ///
    /// - Returns: whether it was deleted.
    @discardableResult
    private func forget(_ entry: StoredEntry) throws -> Bool {
        if entry.mayBeForgotten { try deleteEntry(entry.number) }
        return entry.mayBeForgotten
    }

    /// Forgets that transfers will bring entries, if they are over or gone. A failed one may be retried.
    ///
    /// - Parameter state: the state of a transfer; `nil` for one that is gone.
    package func settleExpected(
        in pool: String,
        _ state: (TransferID) throws -> TransferState.Name?
    ) throws {
        for entry in try expected(in: pool) {
            guard let transfer = entry.transfer else {
                try forget(entry)
                continue
            }
            if try state(transfer)?.isOver ?? true { try settle(entry.name, in: pool, transfer) }
        }
    }

    /// Notes that an owner puts the file of an entry into a pool. The owner retains the entry meanwhile, so that a trim does not
    /// delete the file.
    fileprivate func beginImport(_ new: StoredEntry, by owner: OwnerID) throws -> StoredEntry {
        if try entry(new.name, in: new.pool) == nil { try put(new) }
        guard let entry = try entry(new.name, in: new.pool) else { return new }
        try addRetains(1, to: entry.number, of: owner)
        return entry
    }

    /// Changes entries by their numbers.
    ///
    /// - Parameter stateName: the state of a transfer; `nil` for one that is gone.
    fileprivate func change(
        _ numbers: [Int64],
        _ change: EntryChange,
        at now: Instant,
        _ stateName: (TransferID) throws -> TransferState.Name?
    ) throws -> [StoredEntry] {
        try numbers.compactMap { number in
            guard var entry = try entry(number) else { return nil }
            if change.keeps { try forgetNodes(of: number) }
            switch change {
            case .use: entry.used = now
            case .mode(let mode): (entry.mode, entry.awaited) = (mode, nil)
            case .wait(let awaited):
                guard let state = try stateName(awaited.transfer) else {
                    throw StoreError.noSuchTransfer(awaited.transfer)
                }
                entry.wait(for: awaited)
                if state.isOver { entry.noteEnd(isCompleted: state == .completed) }
            case .announce(let version): entry.coming = version
            case .withdraw(let version):
                if entry.coming != version { return entry }
                entry.coming = nil
                if try forget(entry) { return nil }
            case .arrive(let version):
                guard let coming = entry.coming, coming.identity.isSameFile(as: version.identity),
                    !entry.isLeaving
                else { return entry }
                entry.take(version, entry.terms, expecting: try underWay(for: entry, stateName), at: now)
            case .take(let version, let terms, by: let owner):
                entry.take(version, terms, expecting: try underWay(for: entry, stateName), at: now)
                try put(entry)
                try addRetains(-1, to: number, of: owner)
                // A release would evict the file that has just come, if others retain all that came before.
                _ = try evict(from: entry.pool, besides: number, upTo: Self.mostEvicted, at: now)
                return try self.entry(number)
            case .remove(let mode):
                if let mode, entry.mode != mode { return entry }
                entry.isLeaving = true
            case .retain(let owner):
                // Another process may be deleting its file, unless a download also brings one.
                if entry.isLeaving, entry.transfer == nil { return entry }
                try addRetains(1, to: number, of: owner)
            case .release(let owner): return try release(number, by: owner, at: now)
            case .forget(let deleted):
                // It may have got another file since, which is to be deleted, too.
                if entry.mayBeDeleted, entry.version.map(deleted.contains) ?? true { try deleteEntry(number) }
                return try self.entry(number)
            case .lose(let version):
                if entry.version != version { return entry }
                entry.content = .expected
                if try forget(entry) { return nil }
            }
            try put(entry)
            return try self.entry(number)
        }
    }

    /// Ends a retain of an owner.
    ///
    /// - Returns: the entry as it is then; `nil` if it is gone.
    private func release(_ number: Int64, by owner: OwnerID, at now: Instant) throws -> StoredEntry? {
        try addRetains(-1, to: number, of: owner)
        guard let released = try entry(number), try !forget(released) else { return nil }
        try makeRoom(afterReleasing: [number], at: now)
        return try entry(number)
    }

    /// Evicts from pools that are above their limits, now that entries of theirs are free. A download that came meanwhile had to
    /// leave these. It is the commit of the release, so that a process that dies leaves no pool above its limit.
    func makeRoom(afterReleasing numbers: [Int64], at now: Instant) throws {
        let free = try numbers.compactMap { try entry($0) }.filter(\.mayBeEvicted)
        for pool in Set(free.map(\.pool)).sorted() {
            guard let limit = try self.pool(named: pool).maxBytes else { continue }
            // An eviction would begin with what is too large, although the others keep the limit.
            guard try cachedBytes(of: pool, eachUpTo: limit) > limit else { continue }
            _ = try evict(from: pool, upTo: Self.mostEvicted, at: now)
        }
    }

    /// The transfer that will bring a version of an entry, although the entry gets another file now: its download is under way, and
    /// replaces that file when it completes.
    private func underWay(
        for entry: StoredEntry,
        _ stateName: (TransferID) throws -> TransferState.Name?
    ) rethrows -> TransferID? {
        guard let transfer = entry.transfer, let state = try stateName(transfer) else { return nil }
        return state.isFinal ? nil : transfer
    }

    /// Notes the deletion of what a pool has no room for.
    ///
    /// - Parameter number: an entry that stays: the one that has just been used.
    /// - Returns: how many.
    package func evict(
        from pool: String,
        besides number: Int64 = 0,
        upTo limit: Int,
        at now: Instant
    ) throws -> Int {
        let settings = try self.pool(named: pool)
        if EvictionPlan.evictsNothing(settings) { return 0 }
        try limitUse(in: pool, to: now)
        let bytes = try settings.maxBytes.map { try cachedBytes(of: pool, eachUpTo: $0) }
        var plan = EvictionPlan(settings, bytes: bytes ?? 0, at: now)
        var count = 0
        // The entries that are too large, if there is a limit, and then all.
        let lengths: [Int64?] = settings.maxBytes.map { [$0, nil] } ?? [nil]
        for length in lengths {
            let entries = try evictable(in: pool, besides: number, above: length, upTo: limit - count)
            for var entry in entries {
                guard plan.evicts(entry) else { break }
                entry.isLeaving = true
                try put(entry)
                count += 1
            }
        }
        return count
    }
}

extension TransferRows {
    /// Changes entries by their numbers.
    ///
    /// - Throws: ``StoreError/ownerRemoved`` when an owner that is to retain them was removed.
    package func change(_ numbers: [Int64], _ change: EntryChange, at now: Instant) throws -> [StoredEntry] {
        if case .retain(let owner) = change { try requireOwner(owner) }
        return try cache.change(numbers, change, at: now) { try stateName(of: $0) }
    }

    /// Notes that an owner puts the file of an entry into a pool.
    ///
    /// - Throws: ``StoreError/ownerRemoved`` when the owner was removed.
    package func beginImport(_ entry: StoredEntry, by owner: OwnerID) throws -> StoredEntry {
        try requireOwner(owner)
        return try cache.beginImport(entry, by: owner)
    }
}

extension EntryChange {
    /// Whether the entry is kept from now on, or has another file, whatever becomes of the nodes that it belonged to.
    fileprivate var keeps: Bool {
        switch self {
        case .mode(let mode): mode == .persistent
        case .wait, .take, .arrive: true
        case .use, .announce, .withdraw, .retain, .release, .remove, .forget, .lose: false
        }
    }

    /// What its commit must survive. What was promised to a person survives power loss. A deletion is noted durably before its
    /// file is deleted.
    package var durability: Durability {
        switch self {
        case .mode, .wait, .announce, .arrive, .take, .remove: .power
        case .use, .retain, .release, .withdraw, .forget, .lose: .process
        }
    }
}

extension Transfer {
    /// Whether it brings an entry of a pool.
    package var bringsEntry: Bool { cacheTarget != nil }

    /// The entry that it brings: its terms, and the name of its file; `nil` for any other transfer.
    var cacheTarget: (terms: CacheTerms, name: String)? {
        guard let specification = download?.specification, let terms = specification.options.cache,
            case .file(_, let name?) = specification.destination
        else { return nil }
        return (terms, name.rawValue)
    }
}
