/// What a person or an engine asks of transfers.
extension TransferRows {
    /// Requests a pause or an end.
    package func ask(_ wish: Wish, of id: TransferID, holder: OwnerID?, at now: Instant) throws -> Transfer {
        try requireOwner(holder)
        var row = try existingRow(id)
        try row.transfer.ask(wish, holder: holder, token: row.nextToken, at: now)
        return try write(row)
    }

    /// Pauses transfers that an owner holds but does not run.
    package func pauseHeld(
        _ ids: [TransferID],
        by owner: OwnerID,
        at now: Instant
    ) throws -> [Transfer] {
        try change(ids) { $0.transfer.pauseHeld(by: owner, at: now) }
    }

    /// Frees transfers that an owner holds but does not run.
    package func letGo(_ ids: [TransferID], by owner: OwnerID) throws {
        _ = try change(ids) { $0.transfer.letGo(by: owner) }
    }

    /// Queues transfers that are paused only because their owner stopped.
    package func takeUp(_ ids: [TransferID], holder: OwnerID?, at now: Instant) throws -> [Transfer] {
        try requireOwner(holder)
        return try change(ids) { row in
            guard row.transfer.takeUp(holder: holder, token: row.nextToken, at: now) else { return false }
            do {
                try checkDependencies(of: row, adding: [])
            } catch StoreError.notPossible {
                return false
            }
            return true
        }
    }

    /// Queues a transfer again.
    package func requeue(_ id: TransferID, holder: OwnerID?, at now: Instant) throws -> Transfer {
        try requireOwner(holder)
        var row = try existingRow(id)
        try row.transfer.requeue(holder: holder, token: row.nextToken, at: now)
        try checkDependencies(of: row, adding: [])
        let transfer = try write(row)
        try noteAsked(transfer, at: now)
        return transfer
    }

    /// Settles what became of a request of unknown outcome.
    package func resolve(_ id: TransferID, as outcome: RequestOutcome, at now: Instant) throws -> Transfer {
        var row = try existingRow(id)
        try row.transfer.resolve(outcome, at: now)
        try checkDependencies(of: row, adding: [])
        let transfer = try write(row)
        if outcome == .notArrived { try noteAsked(transfer, at: now) }
        return transfer
    }

    /// Queues a transfer that waits for exactly that condition.
    package func endWait(
        of id: TransferID,
        for condition: WaitCondition,
        holder: OwnerID?,
        at now: Instant
    ) throws -> Transfer? {
        try change([id]) { $0.transfer.endWait(for: condition, holder: holder, at: now) }.first
    }

    /// Fails transfers whose deadline has passed. Writes the others as well: what another program has changed in their
    /// rows is corrected then.
    ///
    /// - Returns: those that failed.
    package func failOverdue(_ ids: [TransferID], at now: Instant) throws -> [Transfer] {
        try ids.compactMap { id in
            guard var row = try undamagedRow(id) else { return nil }
            guard row.transfer.heedDeadline(at: now) else {
                try store(row)
                return nil
            }
            return try write(row)
        }
    }

    /// Changes the request of a transfer.
    package func edit(_ id: TransferID, _ edit: TransferEdit, at now: Instant) throws -> Transfer {
        var (row, edit) = (try existingRow(id), edit)
        if let after = edit.after { edit.after = try awaited(after) }
        let former = row.transfer.dependencies
        try row.transfer.apply(edit, at: now)
        if edit.after != nil {
            try checkDependencies(of: row, adding: row.transfer.dependencies.filter { !former.contains($0) })
        }
        let transfer = try write(row, request: true)
        if edit.queue != nil { try noteAsked(transfer, at: now) }
        return transfer
    }

    /// Forgets final transfers, all or none.
    package func forget(_ ids: [TransferID]) throws {
        for id in Set(ids).sorted() {
            let transfer: Transfer
            do {
                transfer = try existingRow(id).transfer
            } catch StoreError.damagedTransfer {
                // It cannot run, and a person wants it gone.
                try delete(id)
                continue
            }
            guard transfer.state.isFinal else {
                throw StoreError.notPossible(
                    id,
                    "Transfer \(id) is \(transfer.state.name), and not finished.",
                    [.cancel]
                )
            }
            // Without the row, no one could name what the server holds.
            guard transfer.residue != .upload else {
                throw StoreError.notPossible(
                    id,
                    "\(transfer.work.url.hostAndPort) still holds what it has received of transfer \(id). The next engine removes that.",
                    [.leaveAtServer]
                )
            }
            try delete(id)
        }
    }

    /// Forgets those of some downloads that were refused for their names and that nothing else needs.
    ///
    /// - Returns: the forgotten transfers.
    package func forgetRefused(_ ids: [TransferID]) throws -> [TransferID] {
        try Set(ids).sorted().filter { id in
            guard let transfer = try undamagedRow(id)?.transfer, transfer.isRefusedForItsName,
                try !isNeeded(transfer)
            else { return false }
            try delete(id)
            return true
        }
    }

    /// Whether a failed transfer is more than news to the command that has run it.
    private func isNeeded(_ transfer: Transfer) throws -> Bool {
        if transfer.isForQueue || transfer.type != nil { return true }
        return try queue(named: transfer.queue).keepsInLine(transfer.state)
            || !dependents(of: transfer.id).isEmpty
    }

    /// Changes some transfers, and writes those that changed. Skips damaged ones.
    ///
    /// - Parameter isChanged: changes a row, and returns whether it must be written.
    private func change(
        _ ids: [TransferID],
        _ isChanged: (inout Stored) throws -> Bool
    ) throws -> [Transfer] {
        try ids.compactMap { id in
            guard var row = try undamagedRow(id), try isChanged(&row) else { return nil }
            return try write(row)
        }
    }
}
