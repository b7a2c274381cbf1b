import FerryCore
import GRDB

extension StoreTransaction {
    /// Adds transfers, revives failed ones and finds those that are there.
    func add(_ transfers: [NewTransfer], holder: OwnerID?, at now: Instant) throws -> [Addition] {
        requirePower()
        if let holder { try requireOwner(holder) }
        return try transfers.map { try add($0, holder: holder, at: now) }
    }

    private func add(_ new: NewTransfer, holder: OwnerID?, at now: Instant) throws -> Addition {
        let request = try StoredRequest(new.specification, codec: codec)
        if let id = try insert(new, request, holder: holder, at: now) {
            var transfer = Transfer(id: id, adding: new, at: now)
            transfer.claim = holder.map { Claim(transfer: id, owner: $0, token: 1) }
            return .added(transfer)
        }
        guard var existing = try row(withIdentity: request.identity) else {
            throw StoreError.corrupt(
                path: path,
                "the index transfer_identity knows a transfer that is not there"
            )
        }
        let former = existing.transfer
        let reunion = try existing.transfer.meet(new, holder: holder, token: existing.nextToken, at: now)
        if existing.transfer != former { try write(existing, [.standing, .request]) }
        return Addition(existing.transfer, reunion)
    }

    /// Inserts a row; `nil` when an unfinished or failed transfer has its identity.
    private func insert(
        _ new: NewTransfer,
        _ request: StoredRequest,
        holder: OwnerID?,
        at now: Instant
    ) throws -> TransferID? {
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO transfer (kind, queue, priority, host, url, directory, name, stream, options, identity,
                    state, runnable, owner, token, added, updated)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'queued', 1, ?, ?, ?, ?)
                ON CONFLICT (identity) WHERE state NOT IN ('completed', 'cancelled') DO NOTHING
                """
        )
        try statement.execute(arguments: [
            TransferKind.download.rawValue, new.queue, new.priority, request.host, request.url,
            request.directory, request.name, request.stream, request.options, request.identity,
            holder?.rawValue, holder == nil ? 0 : 1, now.milliseconds, now.milliseconds,
        ])
        return db.changesCount == 1 ? TransferID(rawValue: db.lastInsertedRowID) : nil
    }

    /// The transfer that has an identity and is neither completed nor cancelled.
    func row(withIdentity identity: String) throws -> TransferRow? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(TransferRow.columns) FROM transfer
                WHERE identity = ? AND state NOT IN ('completed', 'cancelled')
                """
        )
        let cursor = try Row.fetchCursor(statement, arguments: [identity])
        return try cursor.next().map { try TransferRow($0, path: path, codec: codec) }
    }
}
