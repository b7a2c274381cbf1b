public import FerryCore

extension MemoryTransferStore {
    /// Joins as an owner, which may then claim transfers.
    public func join(_ process: ProcessIdentity, at now: Instant) async throws(StoreError) -> OwnerID {
        try write { image throws(StoreError) in
            let id = image.newOwnerID()
            image.put(Owner(id: id, process: process, joined: now), for: id)
            return (id, .process)
        }
    }

    /// Records another proof that an owner lives.
    public func renew(_ owner: OwnerID, as process: ProcessIdentity) async throws(StoreError) {
        try write { image throws(StoreError) in
            if var known = image.owners[owner] {
                known.process.seat = process.seat
                image.put(known, for: owner)
            }
            return ((), .process)
        }
    }

    /// Removes an owner that has stopped or died, and frees everything it held.
    public func remove(
        _ owner: OwnerID,
        after end: OwnerEnd,
        at now: Instant
    ) async throws(StoreError) -> [TransferID] {
        try write { image throws(StoreError) in
            var durability = Durability.process
            let held = image.rows.values.filter { $0.transfer.claim?.owner == owner }.map(\.transfer.id)
                .sorted()
            let isAlone = held.count { image.rows[$0]?.transfer.state == .active } == 1
            for id in held {
                guard var transfer = image.rows[id]?.transfer else { continue }
                transfer.lostOwner(end, isAlone: isAlone, at: now)
                image.put(&transfer)
                durability = max(durability, transfer.durabilityNeeded)
            }
            if image.owners[owner] != nil { image.put(nil, for: owner) }
            return (held, durability)
        }
    }

    /// Frees some of the transfers that owners hold, and removes owners that then hold nothing.
    public func takeOver(
        _ ids: [TransferID],
        from owners: Set<OwnerID>,
        at now: Instant
    ) async throws(StoreError) -> [TransferID] {
        try write { image throws(StoreError) in
            var (durability, freed, former) = (Durability.process, [TransferID](), Set<OwnerID>())
            for id in Set(ids).sorted() {
                guard var transfer = image.rows[id]?.transfer, let owner = transfer.claim?.owner,
                    owners.contains(owner)
                else { continue }
                transfer.takenOver(at: now)
                image.put(&transfer)
                durability = max(durability, transfer.durabilityNeeded)
                freed.append(id)
                former.insert(owner)
            }
            for owner in former
            where !image.rows.values.contains(where: { $0.transfer.claim?.owner == owner }) {
                image.put(nil, for: owner)
            }
            return (freed, durability)
        }
    }

    /// Adds transfers; returns after a commit that survives power loss (I3).
    public func add(
        _ transfers: [NewTransfer],
        besides completed: [TransferID?]?,
        holder: OwnerID?,
        at now: Instant
    ) async throws(StoreError) -> [Addition] {
        try write { image throws(StoreError) in
            for new in transfers { try TransferQueue.requireName(new.queue) }
            if let holder { try image.requireOwner(holder) }
            var additions: [Addition] = []
            let latest = completed == nil ? [:] : image.completed
            for (index, new) in transfers.enumerated() {
                if let key = new.work.completedKey, let later = latest[key], later.id != completed?[index] {
                    additions.append(.attached(later))
                } else {
                    additions.append(try image.add(new, holder: holder, at: now))
                }
            }
            return (additions, .power)
        }
    }

    /// Claims transfers that can run, as a ``ClaimPlan`` decides.
    public func claim(
        upTo limit: Int,
        only: Set<TransferID>?,
        heldBack: Set<String>,
        beside others: [RunningCount],
        for owner: OwnerID,
        at now: Instant
    ) async throws(StoreError) -> [Transfer] {
        let claimed: [Transfer] = try write { image throws(StoreError) in
            try image.requireOwner(owner)
            guard limit > 0, only?.isEmpty != true else { return ([], .process) }
            image.closeWindows(at: now)
            let claimable = image.rows.values.filter { row in
                row.transfer.isClaimable(by: owner, at: now) && only?.contains(row.transfer.id) != false
            }
            let suspects = claimable.filter(\.transfer.isSuspect).map(\.candidate)
            var drawn: [ClaimCandidate] = []
            if !suspects.isEmpty, !image.runsAnything(owner) {
                drawn = image.draw(upTo: 1, from: suspects, heldBack: heldBack, beside: others, at: now)
            }
            if drawn.isEmpty {
                let plain = claimable.filter { !$0.transfer.isSuspect }.map(\.candidate)
                drawn = image.draw(upTo: limit, from: plain, heldBack: heldBack, beside: others, at: now)
            }
            var claimed: [Transfer] = []
            for candidate in drawn {
                var row = try image.row(candidate.id)
                row.transfer.becomeActive(for: owner, token: row.token + 1, at: now)
                image.put(&row.transfer)
                claimed.append(row.transfer)
            }
            return (claimed, .process)
        }
        if !claimed.isEmpty { await pauseAfterClaim() }
        return claimed
    }

    /// Records the progress of a claimed transfer.
    public func record(
        _ progress: WorkProgress,
        for claim: Claim,
        durability: Durability,
        at now: Instant
    ) async throws(StoreError) {
        try write { image throws(StoreError) in
            var transfer = try image.activeTransfer(of: claim)
            transfer.work.progress = progress
            transfer.updated = now
            image.put(&transfer)
            return ((), durability)
        }
    }

    /// Ends an attempt; a final state survives power loss.
    @discardableResult
    public func settle(
        _ claim: Claim,
        as settlement: Settlement,
        at now: Instant
    ) async throws(StoreError) -> Transfer {
        try write { image throws(StoreError) in
            guard var transfer = image.rows[claim.transfer]?.transfer, transfer.isHeld(by: claim) else {
                throw .claimLost(claim)
            }
            transfer.settle(settlement, at: now)
            image.put(&transfer)
            if let failure = settlement.failure {
                let received = settlement.progress.received
                let attempt = Attempt(ended: now, failure: failure, received: received)
                image.put(((image.attempts[transfer.id] ?? []) + [attempt]).suffix(100), for: transfer.id)
            }
            return (transfer, transfer.durabilityNeeded)
        }
    }

    /// Remembers the traits found of a server.
    public func remember(
        _ traits: ServerTraits,
        of server: Origin,
        at now: Instant
    ) async throws(StoreError) {
        try write { image throws(StoreError) in
            for (old, finding) in image.servers where !finding.isBelieved(at: now) {
                image.put(nil, for: old)
            }
            image.put(StoreImage.Finding(traits: traits, found: now), for: server)
            return ((), .process)
        }
    }

    /// Requests a pause or an end.
    public func ask(
        _ wish: Wish,
        of id: TransferID,
        holder: OwnerID?,
        at now: Instant
    ) async throws(StoreError) -> Transfer {
        try write { image throws(StoreError) in
            if let holder { try image.requireOwner(holder) }
            var row = try image.row(id)
            try row.transfer.ask(wish, holder: holder, token: row.token + 1, at: now)
            image.put(&row.transfer)
            return (row.transfer, .power)
        }
    }

    /// Pauses transfers that an owner holds but does not run.
    public func pauseHeld(
        _ ids: [TransferID],
        by owner: OwnerID,
        at now: Instant
    ) async throws(StoreError) -> [Transfer] {
        try write { image throws(StoreError) in
            var left: [Transfer] = []
            for id in ids {
                guard var transfer = image.rows[id]?.transfer, transfer.pauseHeld(by: owner, at: now) else {
                    continue
                }
                image.put(&transfer)
                left.append(transfer)
            }
            return (left, .power)
        }
    }

    /// Frees transfers that an owner holds but does not run.
    public func letGo(_ ids: [TransferID], by owner: OwnerID) async throws(StoreError) {
        try write { image throws(StoreError) in
            for id in ids {
                guard var transfer = image.rows[id]?.transfer, transfer.letGo(by: owner) else { continue }
                image.put(&transfer)
            }
            return ((), .process)
        }
    }

    /// Queues transfers that an owner only left.
    public func takeUp(
        _ ids: [TransferID],
        holder: OwnerID?,
        at now: Instant
    ) async throws(StoreError) -> [Transfer] {
        try write { image throws(StoreError) in
            if let holder { try image.requireOwner(holder) }
            var takenUp: [Transfer] = []
            for id in ids {
                guard var row = image.rows[id],
                    row.transfer.takeUp(holder: holder, token: row.token + 1, at: now)
                else { continue }
                do throws(StoreError) {
                    try image.checkDependencies(of: row.transfer, adding: [])
                } catch {
                    guard case .notPossible = error else { throw error }
                    continue
                }
                image.put(&row.transfer)
                takenUp.append(row.transfer)
            }
            return (takenUp, .power)
        }
    }

    /// Queues a paused, waiting or failed transfer again.
    public func requeue(
        _ id: TransferID,
        holder: OwnerID?,
        at now: Instant
    ) async throws(StoreError) -> Transfer {
        try write { image throws(StoreError) in
            if let holder { try image.requireOwner(holder) }
            var row = try image.row(id)
            let former = row.transfer
            try row.transfer.requeue(holder: holder, token: row.token + 1, at: now)
            try image.checkTwin(of: row.transfer, formerly: former)
            try image.checkDependencies(of: row.transfer, adding: [])
            image.put(&row.transfer)
            image.noteAsked(row.transfer, at: now)
            return (row.transfer, .power)
        }
    }

    /// Queues a transfer that waits for exactly that condition.
    public func endWait(
        of id: TransferID,
        for condition: WaitCondition,
        holder: OwnerID?,
        at now: Instant
    ) async throws(StoreError) -> Transfer? {
        try write { image throws(StoreError) in
            guard var transfer = image.rows[id]?.transfer,
                transfer.endWait(for: condition, holder: holder, at: now)
            else {
                return (nil, .process)
            }
            image.put(&transfer)
            return (transfer, .process)
        }
    }

    /// Changes the request of a transfer.
    public func edit(
        _ id: TransferID,
        _ edit: TransferEdit,
        at now: Instant
    ) async throws(StoreError) -> Transfer {
        try write { image throws(StoreError) in
            let former = try image.row(id).transfer
            var transfer = former
            try transfer.apply(edit, at: now)
            try image.checkTwin(of: transfer, formerly: former)
            image.put(&transfer)
            if edit.queue != nil { image.noteAsked(transfer, at: now) }
            return (transfer, .power)
        }
    }

    /// Forgets final transfers, all of them or none.
    public func forget(_ ids: [TransferID]) async throws(StoreError) {
        try write { image throws(StoreError) in
            for id in Set(ids).sorted() {
                let state = try image.row(id).transfer.state
                guard state.isFinal else {
                    throw .notPossible(
                        id,
                        "Transfer \(id) is \(state.name), and not finished.",
                        [.cancel]
                    )
                }
                image.forget(id)
            }
            return ((), .power)
        }
    }
}

extension Transfer {
    /// The durability that the commit of this transfer's state needs.
    fileprivate var durabilityNeeded: Durability { state.isFinal ? .power : .process }
}

extension StoreImage {
    /// Makes runnable transfers outside their time window wait until it opens.
    fileprivate mutating func closeWindows(at now: Instant) {
        for var transfer in rows.values.map(\.transfer) {
            if transfer.heedWindow(at: now, in: localTime) { put(&transfer) }
        }
    }

    fileprivate func runsAnything(_ owner: OwnerID) -> Bool {
        rows.values.contains { $0.transfer.state == .active && $0.transfer.claim?.owner == owner }
    }

    fileprivate func row(_ id: TransferID) throws(StoreError) -> Row {
        guard let row = rows[id] else { throw .noSuchTransfer(id) }
        return row
    }

    fileprivate func requireOwner(_ id: OwnerID) throws(StoreError) {
        guard owners[id] != nil else { throw .ownerRemoved }
    }

    fileprivate func activeTransfer(of claim: Claim) throws(StoreError) -> Transfer {
        guard let transfer = rows[claim.transfer]?.transfer, transfer.state == .active,
            transfer.claim == claim
        else { throw .claimLost(claim) }
        return transfer
    }

    fileprivate mutating func add(
        _ new: NewTransfer,
        holder: OwnerID?,
        at now: Instant
    ) throws(StoreError) -> Addition {
        if let known = new.uuid.flatMap({ self.transfer(uuid: $0) }) { return .attached(known) }
        var new = new
        var random = SystemRandomNumberGenerator()
        new.uuid = new.uuid ?? TransferUUID(at: now, using: &random)
        new.after = try awaited(new.after)
        if let id = new.work.identityKey.flatMap({ met(by: $0) }), var row = rows[id] {
            let former = row.transfer.dependencies
            let reunion = try row.transfer.meet(new, holder: holder, token: row.token + 1, at: now)
            try checkDependencies(
                of: row.transfer,
                adding: row.transfer.dependencies.filter { !former.contains($0) }
            )
            put(&row.transfer)
            if reunion == .revived {
                makeRoom(for: row.transfer, at: now)
            } else {
                noteAsked(row.transfer, at: now)
            }
            return Addition(row.transfer, reunion)
        }
        let id = newTransferID()
        var transfer = Transfer(id: id, adding: new, at: now)
        transfer.claim = holder.map { Claim(transfer: id, owner: $0, token: 1) }
        transfer.isForQueue = holder == nil
        transfer.comeAfter(new.after, at: now)
        put(&transfer)
        makeRoom(for: transfer, at: now)
        return .added(transfer)
    }
}
