import FerryCore
import GRDB

extension StoreTransaction {
    /// Adds an owner.
    func join(_ process: ProcessIdentity, at now: Instant) throws -> OwnerID {
        let statement = try db.cachedStatement(
            sql: "INSERT INTO owner (pid, start_time, boot, joined) VALUES (?, ?, ?, ?)"
        )
        try statement.execute(arguments: [
            process.pid, Int64(bitPattern: process.startTime), process.boot.rawValue, now.milliseconds,
        ])
        return OwnerID(rawValue: db.lastInsertedRowID)
    }

    /// Removes an owner and frees what it held.
    func remove(_ owner: OwnerID, at now: Instant) throws -> [TransferID] {
        let statement = try db.cachedStatement(sql: "SELECT id FROM transfer WHERE owner = ? ORDER BY id")
        let held = try Int64.fetchAll(statement, arguments: [owner.rawValue]).map(TransferID.init(rawValue:))
        for id in held {
            guard var row = try readableRow(id) else {
                try setAside(id)
                continue
            }
            row.transfer.lostOwner(at: now)
            try write(&row, [.standing, .progress])
        }
        let removal = try db.cachedStatement(sql: "DELETE FROM owner WHERE id = ?")
        try removal.execute(arguments: [owner.rawValue])
        return held
    }
}
