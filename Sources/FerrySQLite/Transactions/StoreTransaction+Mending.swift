import FerryCore
import GRDB

extension StoreTransaction {
    /// Puts right what stands in the way of transfers and is none itself: rows of owners and queues that cannot be read.
    ///
    /// - Returns: what was wrong and what became of it, in words.
    func mendRecords() throws -> [String] {
        let view = StoreView(db, path: path, codec: codec)
        let owners = try view.damagedOwners().map { damaged in
            try free(damaged.id)
            return "\(damaged.problem); what it ran is queued again"
        }
        let queues = try view.damagedQueues().map { damaged in
            try replace(StoreView.unreadable(damaged.name))
            return "\(damaged.problem); it has its usual settings again, and is paused: "
                + "`ferry queue resume \(damaged.name)` lets it start"
        }
        return owners + queues
    }

    /// Removes an owner of which nothing is known. If it lives, it is fenced off (I4).
    private func free(_ owner: OwnerID) throws {
        let statement = try db.cachedStatement(sql: "SELECT id FROM transfer WHERE owner = ?")
        for id in try Int64.fetchAll(statement, arguments: [owner.rawValue]).map(TransferID.init(rawValue:)) {
            guard var row = try readableRow(id) else {
                try setAside(id)
                continue
            }
            row.transfer.lostOwner(.left, isAlone: false, at: row.transfer.updated)
            try write(&row, .standing)
        }
        try db.cachedStatement(sql: "DELETE FROM owner WHERE id = ?").execute(arguments: [owner.rawValue])
    }
}
