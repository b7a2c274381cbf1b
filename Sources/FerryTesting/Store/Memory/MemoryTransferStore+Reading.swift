package import FerryCore

extension MemoryTransferStore {
    /// Every owner that has joined and not left.
    package func owners() async throws(StoreError) -> [Owner] {
        try read { image in image.owners.values.sorted { $0.id.rawValue < $1.id.rawValue } }
    }

    /// The transfer with a number, or `nil` if it does not exist.
    package func transfer(_ id: TransferID) async throws(StoreError) -> Transfer? {
        try read { $0.rows[id]?.transfer }
    }

    /// Several transfers as of one moment, in the order of `ids`.
    package func transfers(_ ids: [TransferID]) async throws(StoreError) -> [Transfer?] {
        try read { image in ids.map { image.rows[$0]?.transfer } }
    }

    /// The orders for attempts at several transfers, in the order of `ids`.
    package func orders(for ids: [TransferID]) async throws(StoreError) -> [AttemptOrders?] {
        try read { image in ids.map { image.rows[$0].map { AttemptOrders($0.transfer) } } }
    }

    /// The latest completed transfer with the same identity, for each.
    package func completed(like works: [Work]) async throws(StoreError) -> [Transfer?] {
        let found = try read { image in
            let completed = image.completed
            return works.map { work in work.completedKey.flatMap { completed[$0] } }
        }
        await pauseAfterLook()
        return found
    }

    /// The transfers with the same identity that still count, for each.
    package func transfers(like works: [Work]) async throws(StoreError) -> [[Transfer]] {
        try read { image in
            works.map { work in
                let twins = image.rows.values.filter { $0.isLike(work) }.map(\.transfer)
                let kinds = Dictionary(grouping: twins) { $0.state.isFinal ? $0.state.name : nil }
                return kinds.values.compactMap { $0.max { $0.id < $1.id } }.sorted { $0.id < $1.id }
            }
        }
    }

    /// The latest completed transfer that saved each file.
    package func completed(saving files: [SavedFile]) async throws(StoreError) -> [Transfer?] {
        try read { image in
            files.map { file in
                image.rows.values.map(\.transfer).filter { $0.saved(file) }.max { $0.id < $1.id }
            }
        }
    }

    /// A page of transfers.
    package func transfers(
        _ filter: TransferFilter,
        in order: ListOrder,
        limit: Int
    ) async throws(StoreError) -> [Transfer] {
        try read { image in
            let matching = image.rows.values.map(\.transfer).filter { transfer in
                filter.passes(transfer) && order.includes(transfer.id)
            }
            return Array(matching.sorted { order.precedes($0.id, $1.id) }.prefix(max(limit, 0)))
        }
    }

    /// The transfer with a UUID.
    package func transfer(uuid: TransferUUID) async throws(StoreError) -> Transfer? {
        try read { image in image.number(of: uuid).flatMap { image.rows[$0]?.transfer } }
    }

    /// The latest transfer with a tag.
    package func latest(tagged tag: TransferTag) async throws(StoreError) -> Transfer? {
        try read { image in
            image.rows.values.map(\.transfer).filter { $0.tag == tag }.max { $0.id < $1.id }
        }
    }

    /// The failed attempts of a transfer, oldest first; up to the latest 100.
    package func attempts(of id: TransferID) async throws(StoreError) -> [Attempt] {
        try read { $0.attempts[id] ?? [] }
    }

    /// The traits of a server, unless the finding is too old.
    package func traits(of server: Origin, at now: Instant) async throws(StoreError) -> ServerTraits {
        try read { image in
            image.servers[server].flatMap { $0.isBelieved(at: now) ? $0.traits : nil } ?? ServerTraits()
        }
    }

    /// The transfers that still wait for this one to complete, in order of their numbers.
    package func dependents(of id: TransferID) async throws(StoreError) -> [TransferID] {
        try read { $0.dependents(of: id) }
    }

    /// The number of transfers in each state.
    package func counts() async throws(StoreError) -> [TransferState.Name: Int] {
        try read { image in
            image.rows.values.reduce(into: [:]) { $0[$1.transfer.state.name, default: 0] += 1 }
        }
    }

    /// The earliest moment later than `moment` at which a waiting transfer becomes claimable by `owner`.
    package func nextWakeTime(
        for owner: OwnerID,
        after moment: Instant
    ) async throws(StoreError) -> Instant? {
        try read { image in
            image.rows.values.compactMap { row -> Instant? in
                guard case .waiting(let condition) = row.transfer.state,
                    row.transfer.claim == nil || row.transfer.claim?.owner == owner
                else { return nil }
                return condition.wakeTime.flatMap { $0 > moment ? $0 : nil }
            }.min()
        }
    }

    /// The earliest deadline of the transfers that fail at theirs.
    package func nextDeadline() async throws(StoreError) -> Instant? {
        let end = Instant(milliseconds: .max)
        return try read { image in
            image.rows.values.filter { $0.transfer.isOverdue(at: end) }.compactMap(
                \.transfer.work.terms.notAfter
            ).min()
        }
    }

    /// When a result of one of these types can be taken in hand.
    package func nextResultTime(
        of types: [TransferType],
        at now: Instant
    ) async throws(StoreError) -> Instant? {
        try read { image in
            let free = image.results.values.filter { types.contains($0.type) && $0.owner == nil }
            return free.map { $0.isDue(at: now) ? min($0.due, now) : $0.due }.min()
        }
    }

    /// Checks the whole store; returns the faults in words.
    package func verify() async throws(StoreError) -> [String] {
        try read { image in
            let ownerless = image.rows.values.map(\.transfer).filter { transfer in
                transfer.claim.map { image.owners[$0.owner] == nil } ?? (transfer.state == .active)
            }
            return ownerless.map(\.id).sorted().map { "transfer \($0) is held by an owner that is not there" }
        }
    }
}

extension StoreImage.Row {
    /// Whether it has the identity of this work.
    fileprivate func isLike(_ work: Work) -> Bool {
        guard let key = work.identityKey else { return false }
        return switch transfer.state {
        case .completed, .cancelled: work.completedKey != nil && completedKey == work.completedKey
        case .queued, .active, .waiting, .paused, .failed: transfer.work.identityKey == key
        }
    }
}
