import FerryCore
import GRDB

/// Faults in readable rows: another program has changed one column and not the others.
extension StoreView {
    /// A fault of one transfer that can be repaired.
    struct Contradiction {
        /// Which transfer.
        var transfer: TransferID
        /// The repair that it needs.
        var kind: Kind
        /// What is wrong, in words.
        var problem: String
    }

    /// The repair of a contradiction.
    enum Kind {
        /// Write the row again; the state and the request decide.
        case columns
        /// Delete its dependencies.
        case dependentMissing
        /// Remove its other rows.
        case workMissing
        /// Pause it.
        case placeMissing
        /// Keep it as ended, and take it out of line.
        case overAndNot
        /// Queue it.
        case nothingAwaited
        /// Write its identity again.
        case identity
        /// Record its UUID again, or give it a new one.
        case uuid
    }

    /// Up to ``mostFaults`` contradictions, each transfer once per kind. Returns none if the pages themselves
    /// are damaged.
    func contradictions() throws -> [Contradiction] {
        do {
            return try readContradictions()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            return []
        }
    }

    private func readContradictions() throws -> [Contradiction] {
        var found: [Contradiction] = []
        var seen: [Kind: Set<TransferID>] = [:]
        func collect(_ sql: String, _ kind: Kind, _ problem: String) throws {
            let ids = try Int64.fetchAll(db, sql: sql + " LIMIT ?", arguments: [Self.mostFaults])
            for id in ids.map(TransferID.init(rawValue:)) where seen[kind, default: []].insert(id).inserted {
                found.append(
                    Contradiction(transfer: id, kind: kind, problem: "transfer \(id) \(problem)")
                )
            }
        }
        try collect(Self.withoutWork, .workMissing, "has a state, but nothing says what it is to do")
        try collect(Self.withoutPlace, .placeMissing, "has no state")
        try collect(Self.twofold, .overAndNot, "is recorded as ended and as unfinished")
        try collect(Self.orphans, .columns, "is held by an owner that does not exist")
        try collect(Self.misplaced, .columns, "has columns that contradict its state")
        try collect(
            Self.missingDependents,
            .dependentMissing,
            "does not exist, but is recorded as coming after others"
        )
        try collect(Self.vain, .nothingAwaited, "waits for other transfers, but all of them are completed")
        for fault in try misfiled() + misnamed()
        where seen[fault.kind, default: []].insert(fault.transfer).inserted {
            found.append(fault)
        }
        // Rows of a newer Ferry stay unchanged.
        return try found.prefix(Self.mostFaults).filter { try isOfKnownKind($0.transfer) }
    }

    /// Transfers with a column that differs from their request (``TransferRow/isMisfiled``), or with a wrong identity.
    private func misfiled() throws -> [Contradiction] {
        let cursor = try Row.fetchCursor(
            db,
            sql: TransferColumn.fromTransfer + " WHERE \(StoreSchema.isNotOver)"
        )
        var found: [Contradiction] = []
        while found.count < Self.mostFaults, let row = try cursor.next() {
            let reader = ColumnReader<TransferColumn>(row: row, codec: codec)
            // The search for damaged rows reports unreadable ones.
            guard case .success(let row) = Result(catching: { try TransferRow(reader) }) else { continue }
            if let fault = try misidentified(row.transfer) { found.append(fault) }
            guard row.isMisfiled else { continue }
            found.append(
                Contradiction(
                    transfer: row.transfer.id,
                    kind: .columns,
                    problem:
                        "transfer \(row.transfer.id) stands in the line of a wrong host, time window or deadline"
                )
            )
        }
        return found
    }

    private static let withoutWork = """
        SELECT id FROM transfer WHERE id NOT IN (SELECT id FROM work)
        UNION ALL SELECT id FROM ended WHERE id NOT IN (SELECT id FROM work)
        """

    private static let withoutPlace =
        "SELECT id FROM work WHERE id NOT IN (SELECT id FROM transfer) AND id NOT IN (SELECT id FROM ended)"

    private static let twofold = "SELECT id FROM transfer WHERE id IN (SELECT id FROM ended)"

    private static let orphans = """
        SELECT id FROM transfer WHERE (owner IS NOT NULL AND owner NOT IN (SELECT id FROM owner))
            OR (owner IS NULL AND state = 'active')
        """

    private static let misplaced = """
        SELECT id FROM transfer WHERE (wake_at IS NOT NULL AND ifnull(condition, '') NOT IN ('retry', 'window'))
            OR (condition IS NOT NULL AND state <> 'waiting') OR (failure IS NOT NULL AND state <> 'failed')
            OR (runnable <> (state = 'queued') AND ifnull(condition, '') NOT IN ('retry', 'window'))
        """

    private static let missingDependents =
        "SELECT DISTINCT transfer FROM dependency WHERE transfer NOT IN (SELECT id FROM work)"

    private static let vain = """
        SELECT id FROM transfer WHERE condition = 'dependency' AND state = 'waiting' AND attempts = 0 AND NOT EXISTS (
            SELECT 1 FROM dependency LEFT JOIN transfer AS other ON other.id = needs LEFT JOIN ended ON ended.id = needs
            WHERE dependency.transfer = transfer.id AND coalesce(other.state, ended.state) IS NOT 'completed'
        )
        """
}
