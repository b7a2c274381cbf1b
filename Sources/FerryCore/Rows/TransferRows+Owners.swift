/// What happens to transfers whose owner ends an attempt, stops, or is gone.
extension TransferRows {
    /// Ends an attempt, if the claim still holds.
    package func settle(_ claim: Claim, as settlement: Settlement, at now: Instant) throws -> Transfer {
        let id = claim.transfer
        guard var row = try unlessDamaged(id, { try claimedRow(id) }), row.transfer.isHeld(by: claim) else {
            throw StoreError.claimLost(claim.transfer)
        }
        row.transfer.settle(settlement, at: now)
        _ = row.transfer.heedDeadline(at: now)
        let replaced = try recordReplaced(by: row)
        let transfer = try write(row)
        if let replaced { try delete(replaced) }
        if let failure = settlement.failure {
            let attempt = Attempt(
                started: transfer.attemptStarted ?? now,
                ended: now,
                failure: failure,
                received: settlement.progress.received
            )
            try append(attempt, to: claim.transfer)
        }
        return transfer
    }

    /// Frees some of an owner's transfers, and removes the owner when no more are left.
    ///
    /// - Returns: the freed transfers; fewer than `limit` when the owner is removed.
    package func remove(
        _ owner: OwnerID,
        upTo limit: Int,
        after end: OwnerEnd = .died,
        isAlone: Bool = false,
        at now: Instant
    ) throws -> [TransferID] {
        let held = try held(by: owner, upTo: limit)
        for id in held { try free(id, after: end, isAlone: isAlone) { _ in now } }
        if held.count < limit { try delete(owner, at: now) }
        return held
    }

    /// Forgets an owner. What it retained may be evicted now.
    private func delete(_ owner: OwnerID, at now: Instant) throws {
        let retained = try cache.retained(by: owner)
        try delete(owner)
        try cache.makeRoom(afterReleasing: retained, at: now)
    }

    /// Takes results of a type that are due in hand, the earliest first.
    package func takeResults(
        of type: TransferType,
        upTo limit: Int,
        for owner: OwnerID,
        at now: Instant
    ) throws -> [ResultInHand] {
        try requireOwner(owner)
        return try results.take(type, upTo: limit, for: owner, at: now) { try undamagedRow($0)?.transfer }
    }

    /// Frees a transfer whose owner is gone.
    package func free(
        _ id: TransferID,
        after end: OwnerEnd,
        isAlone: Bool = false,
        at moment: (Transfer) -> Instant
    ) throws {
        guard var row = try undamagedRow(id) else { return try setAside(id) }
        row.transfer.lostOwner(end, isAlone: isAlone, at: moment(row.transfer))
        try write(row)
    }

    /// Frees some of the transfers that owners hold, and removes owners that then hold nothing.
    package func takeOver(
        _ ids: [TransferID],
        from owners: Set<OwnerID>,
        at now: Instant
    ) throws -> [TransferID] {
        var freed: [TransferID] = []
        var former: Set<OwnerID> = []
        for id in Set(ids).sorted() {
            guard var row = try undamagedRow(id), let owner = row.transfer.claim?.owner,
                owners.contains(owner)
            else { continue }
            row.transfer.takenOver(at: now)
            try write(row)
            freed.append(id)
            former.insert(owner)
        }
        for owner in former where try held(by: owner, upTo: 1).isEmpty { try delete(owner, at: now) }
        return freed
    }
}
