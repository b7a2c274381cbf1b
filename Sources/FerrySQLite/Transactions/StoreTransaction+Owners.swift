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
        let owner = OwnerID(rawValue: db.lastInsertedRowID)
        try results.freeOrphans()
        return owner
    }

    /// Changes how an owner proves that it is alive.
    func renew(_ owner: OwnerID, as process: ProcessIdentity) throws {
        let statement = try db.cachedStatement(sql: "UPDATE owner SET lock_file = ?, seat = ? WHERE id = ?")
        try statement.execute(arguments: [
            process.seat.map { Int64(bitPattern: $0.file) }, process.seat?.place, owner.rawValue,
        ])
    }

    /// Some of the transfers that an owner holds, in order. Transfers of an unknown kind are left to the newer Ferry
    /// that knows them.
    func held(by owner: OwnerID, upTo limit: Int) throws -> [TransferID] {
        let statement = try db.cachedStatement(sql: Self.held)
        return try Int64.fetchAll(statement, arguments: [owner.rawValue, limit]).map(
            TransferID.init(rawValue:)
        )
    }

    /// Forgets an owner.
    func delete(_ owner: OwnerID) throws {
        joined.removeAll { $0 == owner }
        try results.freeResults(of: owner)
        try cache.freeRetains(of: owner)
        let removal = try db.cachedStatement(sql: "DELETE FROM owner WHERE id = ?")
        try removal.execute(arguments: [owner.rawValue])
    }

    static let held = """
        SELECT id FROM transfer WHERE owner = ? AND \(StoreSchema.isOfKnownKind("transfer.id")) ORDER BY id LIMIT ?
        """
}
