import FerryCore
import GRDB

extension StoreTransaction {
    /// Requests a pause or an end.
    func ask(_ wish: Wish, of id: TransferID, holder: OwnerID?, at now: Instant) throws -> Transfer {
        if let holder { try requireOwner(holder) }
        var row = try existingRow(id)
        try row.transfer.ask(wish, holder: holder, token: row.nextToken, at: now)
        try write(&row, .standing)
        return row.transfer
    }

    /// The row of a transfer; `nil` if it does not exist or is damaged.
    func undamagedRow(_ id: TransferID) throws -> TransferRow? {
        try codec.damage.reading(id) { try row(id) }
    }

    /// Pauses transfers that an owner holds but does not run.
    func pauseHeld(_ ids: [TransferID], by owner: OwnerID, at now: Instant) throws -> [Transfer] {
        try ids.compactMap { id in
            guard var row = try undamagedRow(id), row.transfer.pauseHeld(by: owner, at: now) else {
                return nil
            }
            try write(&row, .standing)
            return row.transfer
        }
    }

    /// Frees transfers that an owner holds but does not run.
    func letGo(_ ids: [TransferID], by owner: OwnerID) throws {
        for id in ids {
            guard var row = try undamagedRow(id), row.transfer.letGo(by: owner) else { continue }
            try write(&row, .standing)
        }
    }

    /// Queues transfers that an owner only left.
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
        try noteAsked(row.transfer, at: now)
        return row.transfer
    }

    /// Queues a transfer that waits for exactly that condition.
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

    /// Changes the request of a transfer.
    func edit(_ id: TransferID, _ edit: TransferEdit, at now: Instant) throws -> Transfer {
        var row = try existingRow(id)
        try row.transfer.apply(edit, at: now)
        try write(&row, [.standing, .request])
        if edit.queue != nil { try noteAsked(row.transfer, at: now) }
        return row.transfer
    }

    /// Forgets final transfers, all or none.
    func forget(_ ids: [TransferID]) throws {
        for id in Set(ids).sorted() {
            guard let row = try readableRow(id) else {
                // A damaged row cannot run, and a user wants it gone.
                try delete(id, in: try stateName(of: id) ?? "")
                continue
            }
            guard row.transfer.state.isFinal else {
                throw StoreError.notPossible(
                    id,
                    "Transfer \(id) is \(row.transfer.state.name), and not finished.",
                    [.cancel]
                )
            }
            try delete(id, in: row.transfer.state.name)
        }
    }

    /// Deletes a row and everything that belongs to it.
    func delete(_ id: TransferID, in state: String) throws {
        try BareStatement("DELETE FROM transfer WHERE id = ?", on: db).execute { $0.add(id.rawValue) }
        noteState(from: state, to: nil)
    }
}
