import FerryCore
import GRDB

extension StoreTransaction {
    /// Adds an owner.
    func join(_ process: ProcessIdentity, at now: Instant) throws -> OwnerID {
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO owner (pid, start_time, boot, joined, namespace, lock_file, seat)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """
        )
        try statement.execute(arguments: [
            process.pid, Int64(bitPattern: process.startTime), process.boot.rawValue, now.milliseconds,
            Int64(bitPattern: process.namespace), process.seat.map { Int64(bitPattern: $0.file) },
            process.seat?.place,
        ])
        return OwnerID(rawValue: db.lastInsertedRowID)
    }

    /// Changes how an owner proves that it lives.
    func renew(_ owner: OwnerID, as process: ProcessIdentity) throws {
        let statement = try db.cachedStatement(sql: "UPDATE owner SET lock_file = ?, seat = ? WHERE id = ?")
        try statement.execute(arguments: [
            process.seat.map { Int64(bitPattern: $0.file) }, process.seat?.place, owner.rawValue,
        ])
    }

    /// Frees some of an owner's transfers, and removes the owner when those are all.
    ///
    /// - Returns: the freed transfers; fewer than `limit` when the owner is removed.
    func remove(
        _ owner: OwnerID,
        upTo limit: Int,
        after end: OwnerEnd = .died,
        isAlone: Bool = false,
        at now: Instant
    ) throws -> [TransferID] {
        let statement = try db.cachedStatement(
            sql: "SELECT id FROM transfer WHERE owner = ? ORDER BY id LIMIT ?"
        )
        let held = try Int64.fetchAll(statement, arguments: [owner.rawValue, limit])
            .map(TransferID.init(rawValue:))
        for id in held {
            guard var row = try readableRow(id) else {
                try setAside(id)
                continue
            }
            row.transfer.lostOwner(end, isAlone: isAlone, at: now)
            try write(&row, .standing)
        }
        guard held.count < limit else { return held }
        let removal = try db.cachedStatement(sql: "DELETE FROM owner WHERE id = ?")
        try removal.execute(arguments: [owner.rawValue])
        return held
    }

    /// Frees some of the transfers that owners hold, and removes owners that then hold nothing.
    func takeOver(_ ids: [TransferID], from owners: Set<OwnerID>, at now: Instant) throws -> [TransferID] {
        var freed: [TransferID] = []
        var former: Set<OwnerID> = []
        for id in Set(ids).sorted() {
            guard var row = try undamagedRow(id), let owner = row.transfer.claim?.owner,
                owners.contains(owner)
            else { continue }
            row.transfer.takenOver(at: now)
            try write(&row, .standing)
            freed.append(id)
            former.insert(owner)
        }
        let removal = try db.cachedStatement(
            sql: "DELETE FROM owner WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM transfer WHERE owner = ?1)"
        )
        for owner in former { try removal.execute(arguments: [owner.rawValue]) }
        return freed
    }
}
