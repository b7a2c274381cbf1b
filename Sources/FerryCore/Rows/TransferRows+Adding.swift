/// Adding transfers, and attaching those that are the same as existing ones.
extension TransferRows {
    /// Adds a transfer, or lets it meet the existing one with its UUID or its identity.
    ///
    /// - Parameters:
    ///   - names: gives a UUID to a transfer without one from the application.
    ///   - twin: finds the transfer that represents the identity of the new one.
    ///   - insert: stores a transfer with a new number.
    package func add(
        _ new: NewTransfer,
        named names: TransferUUIDSequence,
        holder: OwnerID?,
        at now: Instant,
        twin: () throws -> TransferID?,
        insert: (Transfer) throws -> Void
    ) throws -> Addition {
        if let known = try new.uuid.flatMap(number(of:)) {
            let transfer = try existingRow(known).transfer
            guard transfer.work.isRepeated(by: new.work, isOver: transfer.state.name.isOver) else {
                throw StoreError.otherTransferNamed(transfer.uuid, known)
            }
            return .attached(transfer)
        }
        var new = new
        let sources = try new.work.sources.map(source)
        new.after += try new.afterUUIDs.map(named) + sources.map(\.id)
        if new.replacesOrder {
            // One of them may have given way to a transfer of the same call.
            new.after = try new.after.filter { try stateName(of: $0)?.isFinal == false }
        } else if !new.after.isEmpty {
            new.after = try awaited(new.after)
        }
        if let twin = try twin() { return try meet(new, twin, holder: holder, at: now) }
        let id = try newNumber()
        new.uuid = new.uuid ?? names.uuid(of: id)
        // Under another name the copy would be taken for one that no transfer needs.
        guard new.hasNameOfCopy else {
            throw StoreError.notPossible(
                id,
                "Its body is a copy that was made for another UUID than that of the transfer. Nothing was added."
            )
        }
        var transfer = Transfer(id: id, adding: new, at: now)
        transfer.claim = holder.map { Claim(transfer: id, owner: $0, token: 1) }
        transfer.isForQueue = holder == nil
        if !new.after.isEmpty { transfer.comeAfter(new.after, at: now) }
        for source in sources where source.state == .completed {
            transfer.work.take(source.values(for: [transfer]))
        }
        if let giver = new.keptBy { try takePart(of: giver, for: &transfer) }
        transfer.heedWindow(at: now, in: localTime)
        if new.isPaused { transfer.obeyAtOnce(.pause, at: now) }
        try insert(transfer)
        try cache.expect(transfer)
        return .added(transfer)
    }

    /// Gives a new download the part file that a cancelled one has left, if that still has it. From then on
    /// only the new one knows of the file.
    private func takePart(of giver: TransferID, for transfer: inout Transfer) throws {
        guard var row = try undamagedRow(giver), KeptPart(of: row.transfer)?.begin(&transfer) == true else {
            return
        }
        row.transfer.settleResidue(as: .removed)
        // Its state was already final, so the transfers that come after it are not affected.
        try put(row, request: false)
    }

    /// The number of the transfer with a UUID.
    private func named(_ uuid: TransferUUID) throws -> TransferID {
        guard let id = try number(of: uuid) else { throw StoreError.noTransferNamed(uuid) }
        return id
    }

    /// The request with a UUID, whose response a new transfer needs.
    private func source(_ uuid: TransferUUID) throws -> Transfer {
        let transfer = try existingRow(named(uuid)).transfer
        guard transfer.work.hasResponse else {
            throw StoreError.notPossible(
                transfer.id,
                "Transfer \(transfer.id) is a \(transfer.kind.rawValue), which has no response to take a value from."
            )
        }
        return transfer
    }

    /// Gives transfers the tags and the payloads of the new requests.
    package func label(_ ids: [TransferID], as transfers: [NewTransfer]) throws -> [Transfer?] {
        try zip(ids, transfers).map { id, new in
            guard var transfer = try undamagedRow(id)?.transfer else { return nil }
            if transfer.takeLabels(of: new) { try putLabels(of: transfer) }
            return transfer
        }
    }

    /// Lets a request meet the existing transfer with the same identity.
    private func meet(
        _ new: NewTransfer,
        _ twin: TransferID,
        holder: OwnerID?,
        at now: Instant
    ) throws -> Addition {
        var row = try existingRow(twin)
        let former = row.transfer
        if new.replacesOrder { row.transfer.dropDependencies() }
        let reunion = try row.transfer.meet(new, holder: holder, token: row.nextToken, at: now)
        try checkDependencies(
            of: row,
            adding: row.transfer.dependencies.filter { !former.dependencies.contains($0) }
        )
        if row.transfer != former { row.transfer = try write(row, request: true) }
        try cache.expect(row.transfer)
        return Addition(row.transfer, reunion)
    }
}
