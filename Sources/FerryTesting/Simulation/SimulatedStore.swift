import FerryCore

/// The store as one process sees it. Others may act before a call takes effect and before its answer arrives,
/// and some writes fail. The invariants are checked after each.
struct SimulatedStore: TransferStore {
    let world: SimulatedWorld
    let process: SimulatedProcess

    var base: MemoryTransferStore { world.store }
    var checker: InvariantChecker { world.checker }

    private static let dead = StoreError.unavailable(path: "(memory)", "the process is dead")

    func read<Value: Sendable>(
        _ effect: () async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        await world.linger(process)
        guard process.isRunning else { throw Self.dead }
        return try await effect()
    }

    func write<Value: Sendable>(
        _ what: StaticString,
        of id: TransferID? = nil,
        _ effect: () async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        await world.linger(process)
        guard process.isRunning else { throw Self.dead }
        if world.dice.happens(world.rates.store) {
            world.trace.count(.storeWriteFailed, process.number)
            process.allowFailure()
            base.failNextWrite(
                with: .writeFailed(path: "(memory)", "as was drawn", isDiskFull: world.dice.happens(300))
            )
        }
        let result: Result<Value, StoreError>
        do throws(StoreError) {
            result = .success(try await effect())
            world.trace.note(what, process.number, id?.rawValue ?? 0)
        } catch {
            result = .failure(error)
            world.trace.note("store refuses", process.number, id?.rawValue ?? 0, "\(what): \(error)")
        }
        checker.deadlines.note(world.clock.now)
        checker.checkRows()
        if world.dice.happens(500) { await world.linger() }
        guard process.isRunning else { throw Self.dead }
        return try result.get()
    }

    // MARK: Owners

    func join(_ process: ProcessIdentity, at now: Instant) async throws(StoreError) -> OwnerID {
        try await write("join") { () throws(StoreError) in try await base.join(process, at: now) }
    }

    func renew(_ owner: OwnerID, as process: ProcessIdentity) async throws(StoreError) {
        try await write("renew") { () throws(StoreError) in try await base.renew(owner, as: process) }
    }

    func owners() async throws(StoreError) -> [Owner] {
        try await read { () throws(StoreError) in try await base.owners() }
    }

    func remove(
        _ owner: OwnerID,
        after end: OwnerEnd,
        at now: Instant
    ) async throws(StoreError) -> [TransferID] {
        try await write("remove owner") { () throws(StoreError) in
            let freed = try await base.remove(owner, after: end, at: now)
            checker.freed(owner)
            return freed
        }
    }

    func takeOver(
        _ ids: [TransferID],
        from owners: Set<OwnerID>,
        at now: Instant
    ) async throws(StoreError) -> [TransferID] {
        try await write("take over") { () throws(StoreError) in
            let freed = try await base.takeOver(ids, from: owners, at: now)
            checker.freed(freed)
            return freed
        }
    }

    // MARK: Adding and running

    func label(_ ids: [TransferID], as transfers: [NewTransfer]) async throws(StoreError) -> [Transfer?] {
        try await write("label") { () throws(StoreError) in try await base.label(ids, as: transfers) }
    }

    func add(
        _ transfers: [NewTransfer],
        besides completed: [TransferID?]?,
        holder: OwnerID?,
        at now: Instant
    ) async throws(StoreError) -> [Addition] {
        try await write("add") { () throws(StoreError) in
            let running = checker.look {
                Set($0.rows.values.filter { $0.transfer.state == .active }.map(\.transfer.id))
            }
            let (queues, names) = checker.look { image in
                (image.queues, Set(image.rows.values.map(\.transfer.uuid)))
            }
            let additions = try await base.add(transfers, besides: completed, holder: holder, at: now)
            for (addition, new) in zip(additions, transfers) where addition.transfer.state != .completed {
                // A call that is repeated under its name changes nothing.
                if let name = new.uuid, names.contains(name) { continue }
                let id = addition.transfer.id
                checker.added(id, for: new, wasRunning: running.contains(id))
            }
            checker.checkBound(of: Set(additions.compactMap(\.newcomer?.queue)), formerly: queues)
            return additions
        }
    }

    func claim(
        upTo limit: Int,
        only: TransferIDSet?,
        heldBack: HeldBack,
        beside others: [RunningCount],
        recordsSending: Bool,
        for owner: OwnerID,
        at now: Instant
    ) async throws(StoreError) -> [Transfer] {
        try await write("claim") { () throws(StoreError) in
            let claimed = try await base.claim(
                upTo: limit,
                only: only,
                heldBack: heldBack,
                beside: others,
                recordsSending: recordsSending,
                for: owner,
                at: now
            )
            for transfer in claimed {
                checker.deadlines.begins(transfer, at: now)
                world.trace.note("claimed", process.number, transfer.id.rawValue)
                checker.claimed(transfer, by: process)
            }
            checker.checkRoom(for: claimed)
            return claimed
        }
    }

    func record(
        _ progress: WorkProgress,
        for claim: Claim,
        durability: Durability,
        at now: Instant
    ) async throws(StoreError) {
        try await owning(claim, progress) { () throws(StoreError) in
            try await write("record", of: claim.transfer) { () throws(StoreError) in
                try await base.record(progress, for: claim, durability: durability, at: now)
                checker.recorded(progress, for: claim, by: process)
            }
        }
    }

    func settle(
        _ claim: Claim,
        as settlement: Settlement,
        at now: Instant
    ) async throws(StoreError) -> Transfer {
        try await owning(claim, settlement.progress) { () throws(StoreError) in
            try await write("settle", of: claim.transfer) { () throws(StoreError) in
                let known = settlement.state == .completed ? checker.rows : []
                let transfer = try await base.settle(claim, as: settlement, at: now)
                // Its own record may replace one of them.
                checker.forgot(known.filter(transfer.confirms).map(\.id))
                world.trace.note(
                    "settled",
                    process.number,
                    claim.transfer.rawValue,
                    "\(transfer.state.name) \(settlement.failure?.message ?? "")"
                )
                checker.settled(transfer, claim, by: process)
                return transfer
            }
        }
    }

    /// A write by an owner. Once it learns that it is no longer the owner, it must change nothing.
    private func owning<Value: Sendable>(
        _ claim: Claim,
        _ progress: WorkProgress,
        _ body: () async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        do {
            return try await body()
        } catch {
            if case .claimLost = error { checker.fenced(progress, by: process) }
            throw error
        }
    }

    // MARK: Steering

    func ask(
        _ wish: Wish,
        of id: TransferID,
        holder: OwnerID?,
        at now: Instant
    ) async throws(StoreError) -> Transfer {
        try await write("ask", of: id) { () throws(StoreError) in
            let transfer = try await base.ask(wish, of: id, holder: holder, at: now)
            if case .cancel = wish { checker.unwanted(id) }
            if transfer.state == .cancelled, let claim = transfer.claim { checker.held(claim, by: process) }
            return transfer
        }
    }

    func pauseHeld(
        _ ids: [TransferID],
        by owner: OwnerID,
        at now: Instant
    ) async throws(StoreError) -> [Transfer] {
        try await write("pause held") { () throws(StoreError) in
            try await base.pauseHeld(ids, by: owner, at: now)
        }
    }

    func letGo(_ ids: [TransferID], by owner: OwnerID) async throws(StoreError) {
        try await write("let go") { () throws(StoreError) in
            try await base.letGo(ids, by: owner)
        }
    }

    func takeUp(
        _ ids: [TransferID],
        holder: OwnerID?,
        at now: Instant
    ) async throws(StoreError) -> [Transfer] {
        try await write("take up") { () throws(StoreError) in
            try await base.takeUp(ids, holder: holder, at: now)
        }
    }

    func resolve(
        _ id: TransferID,
        as outcome: RequestOutcome,
        at now: Instant
    ) async throws(StoreError) -> Transfer {
        try await write("resolve", of: id) { () throws(StoreError) in
            let transfer = try await base.resolve(id, as: outcome, at: now)
            world.trace.count(
                outcome == .arrived ? .resolvedAsArrived : .resolvedAsNotArrived,
                id.rawValue
            )
            checker.resolved(id, as: outcome)
            return transfer
        }
    }

    func requeue(
        _ id: TransferID,
        holder: OwnerID?,
        at now: Instant
    ) async throws(StoreError) -> Transfer {
        try await write("requeue", of: id) { () throws(StoreError) in
            let transfer = try await base.requeue(id, holder: holder, at: now)
            checker.deadlines.queued(transfer, at: now)
            return transfer
        }
    }

    func endWait(
        of id: TransferID,
        for condition: WaitCondition,
        holder: OwnerID?,
        at now: Instant
    ) async throws(StoreError) -> Transfer? {
        try await write("end wait", of: id) { () throws(StoreError) in
            try await base.endWait(of: id, for: condition, holder: holder, at: now)
        }
    }

    func failOverdue(at now: Instant) async throws(StoreError) -> [Transfer] {
        try await write("fail overdue") { () throws(StoreError) in try await base.failOverdue(at: now) }
    }

    func takeResults(
        of type: TransferType,
        upTo limit: Int,
        for owner: OwnerID,
        at now: Instant
    ) async throws(StoreError) -> [ResultInHand] {
        try await write("take results") { () throws(StoreError) in
            let results = try await base.takeResults(of: type, upTo: limit, for: owner, at: now)
            checker.results.taken(results, of: type, by: process)
            return results
        }
    }

    func settle(_ result: UnhandledResult, as fate: UnhandledResult.Fate) async throws(StoreError) {
        try await write("settle result", of: result.transfer) { () throws(StoreError) in
            let isItsEnd = checker.look { image in
                image.results[result.transfer] == result
                    && image.rows[result.transfer]?.transfer.state.isFinal == true
            }
            try await base.settle(result, as: fate)
            if isItsEnd, fate == .handled { checker.results.noted(result.transfer) }
        }
    }

    func edit(
        _ id: TransferID,
        _ edit: TransferEdit,
        at now: Instant
    ) async throws(StoreError) -> Transfer {
        try await write("edit", of: id) { () throws(StoreError) in
            let transfer = try await base.edit(id, edit, at: now)
            if let url = edit.url { checker.calls.readdressed(id, to: url) }
            return transfer
        }
    }

    func edit(
        queue name: String,
        _ edit: QueueEdit,
        at now: Instant
    ) async throws(StoreError) -> TransferQueue {
        try await write("edit queue") { () throws(StoreError) in
            let queue = try await base.edit(queue: name, edit, at: now)
            checker.changed(queue)
            return queue
        }
    }

    func settleResidues(of ids: [TransferID], as fate: ResidueFate) async throws(StoreError) {
        try await write("note removal") { () throws(StoreError) in
            if fate == .removed {
                checker.copies.checkRemoval(of: checker.rows.filter { ids.contains($0.id) })
            }
            try await base.settleResidues(of: ids, as: fate)
        }
    }

    func remove(queue name: String) async throws(StoreError) -> Bool {
        try await write("remove queue") { () throws(StoreError) in
            let wasChanged = try await base.remove(queue: name)
            checker.changed(TransferQueue(name))
            return wasChanged
        }
    }

    func forget(_ ids: [TransferID]) async throws(StoreError) {
        try await write("forget") { () throws(StoreError) in
            try await base.forget(ids)
            checker.forgot(ids)
        }
    }

    func forgetRefused(_ ids: [TransferID]) async throws(StoreError) -> [TransferID] {
        try await write("forget refused") { () throws(StoreError) in
            let forgotten = try await base.forgetRefused(ids)
            checker.forgot(forgotten)
            return forgotten
        }
    }

    func prune(
        _ retention: Retention,
        upTo limit: Int,
        at now: Instant
    ) async throws(StoreError) -> [TransferID] {
        try await write("prune") { () throws(StoreError) in
            let forgotten = try await base.prune(retention, upTo: limit, at: now)
            checker.forgot(forgotten)
            // A later request for the same finds the file, and no one knows any more whose it is.
            if !forgotten.isEmpty { checker.expectClashes() }
            return forgotten
        }
    }

    func remember(
        _ traits: ServerTraits,
        of server: Origin,
        at now: Instant
    ) async throws(StoreError) {
        try await write("remember") { () throws(StoreError) in
            try await base.remember(traits, of: server, at: now)
        }
    }
}

extension Addition {
    /// The transfer, if it is new or was queued anew.
    fileprivate var newcomer: Transfer? {
        switch self {
        case .added(let transfer), .revived(let transfer): transfer
        case .attached: nil
        }
    }
}
