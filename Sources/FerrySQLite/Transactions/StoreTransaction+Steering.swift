import FerryCore
import GRDB

extension StoreTransaction {
    /// Asks for a pause or an end.
    func ask(_ wish: Wish, of id: TransferID, holder: OwnerID?, at now: Instant) throws -> Transfer {
        if let holder { try requireOwner(holder) }
        var row = try existingRow(id)
        try row.transfer.ask(wish, holder: holder, token: row.nextToken, at: now)
        try write(&row, .standing)
        return row.transfer
    }

    /// The row of a transfer that may not exist; `nil` when it is damaged, too.
    func undamagedRow(_ id: TransferID) throws -> TransferRow? {
        try codec.damage.reading(id) { try row(id) }
    }

    /// Pauses what an owner holds and does not run.
    func pauseHeld(_ ids: [TransferID], by owner: OwnerID, at now: Instant) throws -> [Transfer] {
        try ids.compactMap { id in
            guard var row = try undamagedRow(id), row.transfer.pauseHeld(by: owner, at: now) else {
                return nil
            }
            try write(&row, .standing)
            return row.transfer
        }
    }

    /// Frees what an owner holds and does not run.
    func letGo(_ ids: [TransferID], by owner: OwnerID) throws {
        for id in ids {
            guard var row = try undamagedRow(id), row.transfer.letGo(by: owner) else { continue }
            try write(&row, .standing)
        }
    }

    /// Queues what an owner only left.
    func takeUp(_ ids: [TransferID], holder: OwnerID?, at now: Instant) throws -> [Transfer] {
        if let holder { try requireOwner(holder) }
        return try ids.compactMap { id in
            guard var row = try undamagedRow(id),
                row.transfer.takeUp(holder: holder, token: row.nextToken, at: now)
            else { return nil }
            do {
                try checkDependencies(of: row.transfer, adding: [])
            } catch StoreError.notPossible {
                return nil
            }
            try write(&row, .standing)
            return row.transfer
        }
    }

    /// Queues a transfer again.
    func requeue(_ id: TransferID, holder: OwnerID?, at now: Instant) throws -> Transfer {
        if let holder { try requireOwner(holder) }
        var row = try existingRow(id)
        try row.transfer.requeue(holder: holder, token: row.nextToken, at: now)
        try checkDependencies(of: row.transfer, adding: [])
        try write(&row, .standing)
        return row.transfer
    }

    /// Queues a transfer that waits for just that condition.
    func endWait(
        of id: TransferID,
        for condition: WaitCondition,
        holder: OwnerID?,
        at now: Instant
    ) throws -> Transfer? {
        guard var row = try undamagedRow(id), row.transfer.endWait(for: condition, holder: holder, at: now)
        else {
            return nil
        }
        try write(&row, .standing)
        return row.transfer
    }

    /// Changes what a transfer is asked to do.
    func edit(_ id: TransferID, _ edit: TransferEdit, at now: Instant) throws -> Transfer {
        var row = try existingRow(id)
        try row.transfer.apply(edit, at: now)
        try write(&row, [.standing, .request])
        return row.transfer
    }

    /// Forgets final transfers, all or none.
    func forget(_ ids: [TransferID]) throws {
        for id in Set(ids).sorted() {
            guard let row = try readableRow(id) else {
                // Nobody can run it, and a person wants it gone.
                try delete(id, in: try stateName(of: id) ?? "")
                continue
            }
            guard row.transfer.state.isFinal else {
                throw StoreError.notPossible(
                    id,
                    "Transfer \(id) is \(row.transfer.state.name) and not over yet. Cancel it first."
                )
            }
            try delete(id, in: row.transfer.state.name)
        }
    }

    private static let removals = [
        "DELETE FROM transfer WHERE id = ?", "DELETE FROM ended WHERE id = ?",
        "DELETE FROM progress WHERE transfer = ?", "DELETE FROM work WHERE id = ?",
    ]

    /// Removes a row with all that belongs to it.
    func delete(_ id: TransferID, in state: String) throws {
        for sql in Self.removals { try BareStatement(sql, on: db).execute { $0.add(id.rawValue) } }
        noteState(from: state, to: nil)
    }
}
