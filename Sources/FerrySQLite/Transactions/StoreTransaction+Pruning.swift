import FerryCore
import GRDB

extension StoreTransaction {
    /// Forgets the oldest final transfers beyond the retention, and old downloads that failed without a byte.
    func prune(_ retention: Retention, upTo limit: Int, at now: Instant) throws -> [TransferID] {
        try forgetTurns()
        guard limit > 0, !retention.isUnbounded else { return [] }
        var forgotten: [TransferID] = []
        for (id, state) in try forgettable(retention, upTo: limit, at: now) {
            try delete(id, in: state)
            forgotten.append(id)
        }
        guard let horizon = retention.horizonOfEmptyFailures(at: now) else { return forgotten }
        let empty = try emptyFailures(until: horizon, upTo: limit - forgotten.count)
        for id in empty { try delete(id, in: .failed) }
        return forgotten + empty
    }

    /// Forgets the turns of queues with empty lines. A transfer added later began to wait after such a turn.
    private func forgetTurns() throws {
        let statement = try db.cachedStatement(
            sql: "DELETE FROM turn WHERE NOT EXISTS (SELECT 1 FROM head WHERE head.queue = turn.queue)"
        )
        try statement.execute()
        invisibleChanges += db.changesCount
    }

    /// The oldest transfers that may be forgotten. Reads no more rows than the limit.
    private func forgettable(
        _ retention: Retention,
        upTo limit: Int,
        at now: Instant
    ) throws -> [(id: TransferID, state: TransferState.Name)] {
        let counts = try view.counts()
        let excess = retention.excess(of: counts[.completed, default: 0] + counts[.cancelled, default: 0])
        let horizon = retention.horizon(at: now)?.milliseconds
        let oldest = try Row.fetchCursor(db.cachedStatement(sql: Self.oldest), arguments: [limit])
        var found: [(id: TransferID, state: TransferState.Name)] = []
        while let row = try oldest.next() {
            let finished = try row.decode(Int64?.self, atIndex: 2) ?? .max
            guard found.count < excess || horizon.map({ finished <= $0 }) == true else { break }
            let id = TransferID(rawValue: try row.decode(Int64.self, atIndex: 0))
            found.append((id, stateName(reading: try row.decode(String.self, atIndex: 1))))
        }
        return found
    }

    /// The oldest downloads that failed without a byte, and that nothing else needs. Each call also passes the index entries of
    /// old failed requests, and reads the few downloads with an empty part file.
    private func emptyFailures(until horizon: Instant, upTo limit: Int) throws -> [TransferID] {
        guard limit > 0 else { return [] }
        let statement = try db.cachedStatement(sql: Self.emptyFailures)
        let oldest = try Int64.fetchCursor(statement, arguments: [horizon.milliseconds])
        var found: [TransferID] = []
        while found.count < limit, let number = try oldest.next() {
            let id = TransferID(rawValue: number)
            if try view.readableTransfer(id)?.isEmptyFailure == true { found.append(id) }
        }
        return found
    }

    /// Removes a transfer with all that belongs to it.
    func delete(_ id: TransferID) throws { try delete(id, in: stateName(of: id)) }

    private func delete(_ id: TransferID, in state: TransferState.Name?) throws {
        for sql in Self.removals { try BareStatement(sql, on: db).execute { $0.add(id.rawValue) } }
        noteState(from: state, to: nil)
    }

    private static let removals = [
        "DELETE FROM transfer WHERE id = ?", "DELETE FROM ended WHERE id = ?",
        "DELETE FROM progress WHERE transfer = ?", "DELETE FROM work WHERE id = ?",
    ]

    static let oldest = """
        SELECT id, state, finished FROM ended INDEXED BY ended_finished WHERE \(StoreSchema.isForgettable)
            AND \(StoreSchema.isOfKnownKind("ended.id"))
        ORDER BY finished, id LIMIT ?
        """

    /// A failed transfer that others come after can be retried for them. One that holds a strict queue, belongs to a node or has
    /// an end that no handler has handled is needed, too.
    static let emptyFailures = """
        SELECT id FROM transfer INDEXED BY transfer_empty_failure
        WHERE \(StoreSchema.isWithoutBytes) AND finished <= ? AND owner IS NULL AND strict <> 1
            AND (SELECT kind FROM work WHERE work.id = transfer.id) = '\(TransferKind.download.rawValue)'
            AND NOT EXISTS (SELECT 1 FROM dependency WHERE dependency.needs = transfer.id)
            AND NOT EXISTS (SELECT 1 FROM node_transfer WHERE node_transfer.transfer = transfer.id)
            AND NOT EXISTS (SELECT 1 FROM result WHERE result.transfer = transfer.id)
        ORDER BY finished, id
        """
}
