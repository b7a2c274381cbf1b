import FerryCore
import GRDB

/// Queues that never hold more transfers than they have slots.
extension StoreTransaction {
    /// A transfer was asked for, perhaps once more: in a queue that also cancels what waits it is the latest from now on, and
    /// those asked for longest ago give way to it.
    func noteAsked(_ transfer: Transfer, in queue: TransferQueue, at now: Instant) throws {
        guard queue.overflow == .cancelOldestAlsoWaiting, !transfer.state.isFinal else { return }
        let others = try asked(in: queue).filter { $0.id != transfer.id }
        let statement = try db.cachedStatement(sql: "UPDATE transfer SET asked = ? WHERE id = ?")
        let moment = AskedTransfer.moment(after: others, at: now)
        try statement.execute(arguments: [moment, transfer.id.rawValue])
        guard case .front(let displaced) = queue.admission(beside: others) else { return }
        try displace(displaced, in: queue, for: transfer, at: now)
    }

    /// As ``noteAsked(_:in:at:)``, for a transfer of any queue.
    func noteAsked(_ transfer: Transfer, at now: Instant) throws {
        let view = StoreView(db, path: path, codec: codec)
        try noteAsked(transfer, in: view.queue(named: transfer.queue), at: now)
    }

    /// What is not over in a queue, without what is asked to be cancelled. A queue that was changed while many more stood in it
    /// comes to its slots a portion at a time.
    private func asked(in queue: TransferQueue) throws -> [AskedTransfer] {
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

    /// A queue with more slots than that is as good as without a bound.
    private static let mostSlots = 1_000_000

    static let asked = """
        SELECT id, coalesce(asked, lined, added), wish FROM transfer INDEXED BY transfer_strict
        WHERE queue = ? AND \(StoreSchema.isInStrictLine) ORDER BY place, id LIMIT ?
        """

    /// Notes that nothing is left any more of transfers that gave way.
    func noteResidueRemoved(of ids: [TransferID]) throws {
        for id in ids {
            guard var row = try undamagedRow(id), row.transfer.displacement != nil, row.transfer.claim == nil
            else { continue }
            row.transfer.noteResidueRemoved()
            try write(&row, .standing)
        }
    }
}

extension StoreView {
    /// The transfers that gave way, are held by no owner, and have left a part file.
    func displacedResidues(limit: Int) throws -> [TransferID] {
        let statement = try db.cachedStatement(sql: Self.residues)
        return try Int64.fetchAll(statement, arguments: [limit]).map(TransferID.init(rawValue:))
    }

    private static let residues = """
        SELECT id FROM transfer INDEXED BY transfer_residue WHERE residue = 2 AND owner IS NULL ORDER BY id LIMIT ?
        """
}
