import FerryCore
import GRDB

/// Queues that never hold more transfers than they have slots.
extension StoreTransaction {
    /// The unfinished transfers of a queue, without those that were asked to end. If a changed queue has many more
    /// transfers than slots, each call returns a portion.
    func asked(in queue: TransferQueue) throws -> [AskedTransfer] {
        let cursor = try Row.fetchCursor(
            db.cachedStatement(sql: Self.asked),
            arguments: [queue.name, min(queue.slots, Self.mostSlots) + Self.portion]
        )
        var asked: [AskedTransfer] = []
        while let row = try cursor.next() {
            let wish = try row.decode(String?.self, atIndex: 2).flatMap(Wish.init(name:))
            guard wish?.isCancel != true else { continue }
            let id = TransferID(rawValue: try row.decode(Int64.self, atIndex: 0))
            asked.append(AskedTransfer(id, asked: try row.decode(Int64.self, atIndex: 1)))
        }
        return asked
    }

    /// A queue with more slots counts as unlimited.
    private static let mostSlots = 1_000_000

    static let asked = """
        SELECT id, coalesce(asked, lined), wish FROM transfer INDEXED BY transfer_strict
        WHERE queue = ? AND \(StoreSchema.isInStrictLine) ORDER BY place, id LIMIT ?
        """

    /// Records when a transfer was last asked for.
    func noteAsked(_ id: TransferID, at moment: Int64) throws {
        let statement = try db.cachedStatement(sql: "UPDATE transfer SET asked = ? WHERE id = ?")
        try statement.execute(arguments: [moment, id.rawValue])
    }
}

extension StoreView {
    /// The transfers that no owner holds, and whose residue is removed by others than the canceller.
    func residues(for remover: ResidueRemover, after last: TransferID?, limit: Int) throws -> [TransferID] {
        let statement = try db.cachedStatement(sql: Self.residues)
        return try Int64.fetchAll(
            statement,
            arguments: [remover.rawValue, last?.rawValue ?? .min, limit]
        ).map(TransferID.init(rawValue:))
    }

    /// Transfers that an owner holds are not in `ended`. The second condition is that of the index.
    private static let residues = """
        SELECT id FROM ended INDEXED BY ended_residue WHERE residue = ? AND residue > 1 AND id > ? ORDER BY id LIMIT ?
        """
}
