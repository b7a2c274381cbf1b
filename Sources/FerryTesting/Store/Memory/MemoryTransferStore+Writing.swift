package import FerryCore

extension MemoryTransferStore {
    /// Joins as an owner, which may then claim transfers.
    package func join(_ process: ProcessIdentity, at now: Instant) async throws(StoreError) -> OwnerID {
        try write(.process) { rows in
            let id = rows.image.newOwnerID()
            rows.image.put(Owner(id: id, process: process, joined: now), for: id)
            return id
        }
    }

    /// Records another proof that an owner is alive.
    package func renew(_ owner: OwnerID, as process: ProcessIdentity) async throws(StoreError) {
        try write(.process) { rows in
            guard var known = rows.image.owners[owner] else { return }
            known.process.seat = process.seat
            rows.image.put(known, for: owner)
        }
    }

    /// Removes an owner that has stopped or died, and frees everything it held.
    package func remove(
        _ owner: OwnerID,
        after end: OwnerEnd,
        at now: Instant
    ) async throws(StoreError) -> [TransferID] {
        try write(.process) { rows in
            let isAlone = rows.held(by: owner, upTo: .max).count { rows.stateName(of: $0) == .active } == 1
            return try rows.remove(owner, upTo: .max, after: end, isAlone: isAlone, at: now)
        }
    }

    /// Frees some of the transfers that owners hold, and removes owners that then hold nothing.
    package func takeOver(
        _ ids: [TransferID],
        from owners: Set<OwnerID>,
        at now: Instant
    ) async throws(StoreError) -> [TransferID] {
        try write(.power) { try $0.takeOver(ids, from: owners, at: now) }
    }

    /// Adds transfers; returns after a commit that survives power loss (I3).
    package func add(
        _ transfers: [NewTransfer],
        besides completed: [TransferID?]?,
        holder: OwnerID?,
        at now: Instant
    ) async throws(StoreError) -> [Addition] {
        try write(.power) { try $0.add(transfers, besides: completed, holder: holder, at: now) }
    }

    /// Gives transfers the tags and the payloads of the new requests.
    package func label(
        _ ids: [TransferID],
        as transfers: [NewTransfer]
    ) async throws(StoreError) -> [Transfer?] {
        try write(.power) { try $0.label(ids, as: transfers) }
    }

    /// Claims transfers that can run, as a ``ClaimPlan`` decides.
    package func claim(
        upTo limit: Int,
        only: TransferIDSet?,
        heldBack: HeldBack,
        beside others: [RunningCount],
        recordsSending: Bool,
        for owner: OwnerID,
        at now: Instant
    ) async throws(StoreError) -> [Transfer] {
        if limit > 0, only?.isEmpty != true, let deadline = try await nextDeadline(), deadline <= now {
            _ = try await failOverdue(at: now)
        }
        let claimed: [Transfer] = try write(.process, by: owner) { rows in
            try rows.requireOwner(owner)
            guard limit > 0, only?.isEmpty != true else { return [] }
            rows.image.closeWindows(at: now)
            let claimable = rows.image.rows.values.filter { row in
                row.transfer.isClaimable(by: owner, at: now) && only?.contains(row.transfer.id) != false
                    && !heldBack.holdsInBackground(row.transfer)
            }
            let suspects = claimable.filter(\.transfer.isSuspect).map(\.candidate)
            var drawn: [ClaimCandidate] = []
            if !suspects.isEmpty, !rows.image.runsAnything(owner) {
                drawn = rows.image.draw(
                    upTo: 1,
                    from: suspects,
                    heldBack: heldBack.hosts,
                    beside: others,
                    at: now
                )
            }
            if drawn.isEmpty {
                let plain = claimable.filter { !$0.transfer.isSuspect }.map(\.candidate)
                drawn = rows.image.draw(
                    upTo: limit,
                    from: plain,
                    heldBack: heldBack.hosts,
                    beside: others,
                    at: now
                )
            }
            return try drawn.map { candidate in
                var row = try rows.existingRow(candidate.id)
                let isRecorded = row.transfer.becomeActive(
                    for: owner,
                    token: row.nextToken,
                    recordsSending: recordsSending,
                    at: now
                )
                if isRecorded { rows.requirePower() }
                return try rows.write(row)
            }
        }
        if !claimed.isEmpty { await pauseAfterClaim() }
        return claimed
    }

    /// Records the progress of a claimed transfer.
    package func record(
        _ progress: WorkProgress,
        for claim: Claim,
        durability: Durability,
        at now: Instant
    ) async throws(StoreError) {
        try write(durability, by: claim.owner) { rows in
            guard var transfer = rows.image.rows[claim.transfer]?.transfer, transfer.state == .active,
                transfer.claim == claim
            else { throw StoreError.claimLost(claim.transfer) }
            transfer.work.progress = progress
            transfer.updated = now
            rows.image.put(transfer)
        }
    }

    /// Ends an attempt; a final state survives power loss.
    @discardableResult
    package func settle(
        _ claim: Claim,
        as settlement: Settlement,
        at now: Instant
    ) async throws(StoreError) -> Transfer {
        try write(.process, by: claim.owner) { try $0.settle(claim, as: settlement, at: now) }
    }

    /// Takes results of a type in hand.
    package func takeResults(
        of type: TransferType,
        upTo limit: Int,
        for owner: OwnerID,
        at now: Instant
    ) async throws(StoreError) -> [ResultInHand] {
        try write(.process, by: owner) { try $0.takeResults(of: type, upTo: limit, for: owner, at: now) }
    }

    /// Ends the handling of a result.
    package func settle(_ result: UnhandledResult, as fate: UnhandledResult.Fate) async throws(StoreError) {
        try write(.process, by: result.owner) { try $0.results.settle(result, as: fate) }
    }

    /// Remembers the traits of a server.
    package func remember(
        _ traits: ServerTraits,
        of server: Origin,
        at now: Instant
    ) async throws(StoreError) {
        try write(.process) { rows in
            for (old, finding) in rows.image.servers where !finding.isBelieved(at: now) {
                rows.image.put(nil, for: old)
            }
            rows.image.put(StoreImage.Finding(traits: traits, found: now), for: server)
        }
    }

    /// Requests a pause or an end.
    package func ask(
        _ wish: Wish,
        of id: TransferID,
        holder: OwnerID?,
        at now: Instant
    ) async throws(StoreError) -> Transfer {
        try write(.power) { try $0.ask(wish, of: id, holder: holder, at: now) }
    }

    /// Pauses transfers that an owner holds but does not run.
    package func pauseHeld(
        _ ids: [TransferID],
        by owner: OwnerID,
        at now: Instant
    ) async throws(StoreError) -> [Transfer] {
        try write(.power) { try $0.pauseHeld(ids, by: owner, at: now) }
    }

    /// Frees transfers that an owner holds but does not run.
    package func letGo(_ ids: [TransferID], by owner: OwnerID) async throws(StoreError) {
        try write(.process) { try $0.letGo(ids, by: owner) }
    }

    /// Queues transfers that are paused only because their owner stopped.
    package func takeUp(
        _ ids: [TransferID],
        holder: OwnerID?,
        at now: Instant
    ) async throws(StoreError) -> [Transfer] {
        try write(.power) { try $0.takeUp(ids, holder: holder, at: now) }
    }

    /// Queues a paused, waiting or failed transfer again.
    package func requeue(
        _ id: TransferID,
        holder: OwnerID?,
        at now: Instant
    ) async throws(StoreError) -> Transfer {
        try write(.power) { try $0.requeue(id, holder: holder, at: now) }
    }

    /// Settles what became of a request of unknown outcome.
    package func resolve(
        _ id: TransferID,
        as outcome: RequestOutcome,
        at now: Instant
    ) async throws(StoreError) -> Transfer {
        try write(.power) { try $0.resolve(id, as: outcome, at: now) }
    }

    /// Queues a transfer that waits for exactly that condition.
    package func endWait(
        of id: TransferID,
        for condition: WaitCondition,
        holder: OwnerID?,
        at now: Instant
    ) async throws(StoreError) -> Transfer? {
        try write(.process) { try $0.endWait(of: id, for: condition, holder: holder, at: now) }
    }

    /// Fails the transfers whose deadline has passed.
    package func failOverdue(at now: Instant) async throws(StoreError) -> [Transfer] {
        try write(.process) { rows in
            let overdue = rows.image.rows.values.map(\.transfer).filter { $0.isOverdue(at: now) }
            let inOrder = overdue.sorted { one, other in
                let (first, second) = (one.work.terms.notAfter ?? now, other.work.terms.notAfter ?? now)
                return (first, one.id) < (second, other.id)
            }
            return try rows.failOverdue(inOrder.map(\.id), at: now)
        }
    }

    /// Changes the request of a transfer.
    package func edit(
        _ id: TransferID,
        _ edit: TransferEdit,
        at now: Instant
    ) async throws(StoreError) -> Transfer {
        try write(.power) { try $0.edit(id, edit, at: now) }
    }

    /// Forgets final transfers, all of them or none.
    package func forget(_ ids: [TransferID]) async throws(StoreError) {
        try write(.power) { try $0.forget(ids) }
    }

    /// Forgets those of some refused downloads that nothing else needs.
    package func forgetRefused(_ ids: [TransferID]) async throws(StoreError) -> [TransferID] {
        try write(.process) { try $0.forgetRefused(ids) }
    }
}

extension StoreImage {
    /// Makes runnable transfers outside their time window wait until it opens.
    fileprivate mutating func closeWindows(at now: Instant) {
        for var transfer in rows.values.map(\.transfer) {
            if transfer.heedWindow(at: now, in: localTime) { put(transfer) }
        }
    }

    fileprivate func runsAnything(_ owner: OwnerID) -> Bool {
        rows.values.contains { $0.transfer.state == .active && $0.transfer.claim?.owner == owner }
    }
}

extension MemoryTransferStore {
    /// Forgets the oldest final transfers beyond the retention, and old downloads that failed without a byte.
    package func prune(
        _ retention: Retention,
        upTo limit: Int,
        at now: Instant
    ) async throws(StoreError) -> [TransferID] {
        try write(.process) { rows in
            rows.image.forgetTurns(at: now)
            let transfers = rows.image.rows.values.map(\.transfer)
            let excess = retention.excess(of: transfers.count { $0.isOverForGood })
            let horizon = retention.horizon(at: now)
            let oldest = transfers.filter(\.isForgettable).sorted { $0.isForgottenBefore($1) }
            let found = oldest.prefix(max(0, limit)).enumerated().prefix { position, transfer in
                position < excess || horizon.map { transfer.ended <= $0 } == true
            }
            for (_, transfer) in found { rows.image.forget(transfer.id) }
            let empty = rows.image.emptyFailures(
                until: retention.horizonOfEmptyFailures(at: now),
                upTo: max(0, limit) - found.count
            )
            for id in empty { rows.image.forget(id) }
            return found.map(\.element.id) + empty
        }
    }
}

extension StoreImage {
    /// The oldest downloads that failed without a byte, and that nothing else needs.
    fileprivate func emptyFailures(until horizon: Instant?, upTo limit: Int) -> [TransferID] {
        guard let horizon else { return [] }
        let failures = rows.values.map(\.transfer).filter { $0.isEmptyFailure && $0.ended <= horizon }
        let free = failures.filter { transfer in
            let queue = queues[transfer.queue] ?? TransferQueue(transfer.queue)
            return !queue.keepsInLine(transfer.state)
                && dependents(of: transfer.id).isEmpty && results[transfer.id] == nil
                && !trees.links.contains { $0.value.transfer == transfer.id }
        }
        return free.sorted { $0.isForgottenBefore($1) }.prefix(limit).map(\.id)
    }
}

extension Transfer {
    fileprivate var isOverForGood: Bool { state == .completed || state == .cancelled }

    /// Whether it is not needed any more. One with a residue is still needed: it shows to which transfer the residue
    /// belongs.
    fileprivate var isForgettable: Bool { claim == nil && isOverForGood && remover == .noOne }

    fileprivate var ended: Instant { finished ?? Instant(milliseconds: .max) }

    fileprivate func isForgottenBefore(_ other: Transfer) -> Bool {
        ended == other.ended ? id < other.id : ended < other.ended
    }
}

extension MemoryRows {
    /// Adds transfers, revives failed ones and attaches to those that already exist.
    func add(
        _ transfers: [NewTransfer],
        besides completed: [TransferID?]? = nil,
        holder: OwnerID?,
        at now: Instant
    ) throws -> [Addition] {
        for new in transfers { try TransferQueue.requireName(new.queue) }
        try requireOwner(holder)
        let latest = completed == nil ? [:] : image.completed
        let names = TransferUUIDSequence(at: now, using: &image.random)
        return try transfers.enumerated().map { index, new -> Addition in
            if let key = new.work.completedKey, let later = latest[key], later.id != completed?[index] {
                return .attached(later)
            }
            let addition = try add(new, named: names, holder: holder, at: now) {
                new.work.identityKey.flatMap { image.met(by: $0) }
            } insert: { transfer in
                image.put(transfer)
            }
            let queue = queue(named: addition.transfer.queue)
            try makeRoom(in: queue, for: addition, of: new, at: now)
            return addition
        }
    }
}
