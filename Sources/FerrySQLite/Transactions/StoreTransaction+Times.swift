import FerryCore
import GRDB

/// Handles time windows that close while transfers are in line.
extension StoreTransaction {
    /// Makes runnable transfers outside their time window wait until it opens.
    ///
    /// Transfers with the same window are checked and written together, once for each closing of the window. So a claim
    /// never passes over them. One call moves up to ``portion`` of them, because all other writers wait meanwhile.
    ///
    /// - Returns: whether none are left.
    func closeWindows(at now: Instant) throws -> Bool {
        var rest = Self.portion
        let next = try db.cachedStatement(sql: Self.nextWindow)
        var last = try String.fetchOne(db.cachedStatement(sql: Self.firstWindow))
        while let text = last, rest > 0 {
            if let opens = opening(of: text, after: now) {
                rest -= try close(text, until: opens, upTo: rest, at: now)
            }
            last = try String.fetchOne(next, arguments: [text])
        }
        try recordHeads()
        return rest > 0
    }

    /// When a closed window opens again. An unreadable window closes nothing: its rows are damaged, and their
    /// readers report it.
    private func opening(of text: String, after now: Instant) -> Instant? {
        let window: TimeWindow
        do {
            window = try TimeWindow(parsing: text)
        } catch {
            return nil
        }
        return window.opening(after: now, in: localTime)
    }

    private func close(
        _ window: String,
        until opens: Instant,
        upTo limit: Int,
        at now: Instant
    ) throws -> Int {
        let horizon = now.advanced(by: WaitCondition.farthestRetry)
        let ready: StatementArguments = [now.milliseconds, horizon.milliseconds, window, limit]
        let cursor = try Row.fetchCursor(db.cachedStatement(sql: Self.linesOfWindow), arguments: ready)
        var count = 0
        while let row = try cursor.next() {
            touch(try HeadKey(row))
            noteState(from: stateName(reading: try row.decode(String.self, atIndex: 4)), to: .waiting)
            count += 1
        }
        guard count > 0 else { return 0 }
        let statement = try db.cachedStatement(sql: Self.closing)
        try statement.execute(arguments: ready + [opens.milliseconds])
        return count
    }

    static let firstWindow =
        "SELECT min(time_window) FROM transfer WHERE runnable = 1 AND time_window IS NOT NULL"

    static let nextWindow = "SELECT min(time_window) FROM transfer WHERE runnable = 1 AND time_window > ?"

    static let linesOfWindow = """
        SELECT \(HeadKey.columns), state FROM transfer WHERE \(isOutside)
        """

    private static let isOutside = """
        runnable = 1 AND time_window = ?3 AND \(StoredLines.isDue) ORDER BY queue, owner, host, state, id LIMIT ?4
        """

    static let closing = """
        UPDATE transfer SET state = 'waiting', condition = 'window', wake_at = ?5, runnable = 0, front = NULL,
            updated = ?1
        WHERE id IN (SELECT id FROM transfer WHERE \(isOutside))
        """
}

/// Handles deadlines that pass before a transfer is completed.
extension StoreTransaction {
    /// Fails transfers whose deadline has passed. One call fails up to ``portion`` of them, because all other writers
    /// wait meanwhile.
    func failOverdue(at now: Instant) throws -> (failed: [Transfer], areAny: Bool) {
        let statement = try db.cachedStatement(sql: Self.overdue)
        let ids = try Int64.fetchAll(statement, arguments: [now.milliseconds, Self.portion]).map(
            TransferID.init(rawValue:)
        )
        for id in ids {
            guard try undamagedRow(id) == nil else { continue }
            try setAside(id)
            // Otherwise it would be found again and again. A repair of the row restores the deadline.
            let removal = try db.cachedStatement(sql: "UPDATE transfer SET not_after = NULL WHERE id = ?")
            try removal.execute(arguments: [id.rawValue])
        }
        return (try failOverdue(ids, at: now), ids.count == Self.portion)
    }

    static let overdue = """
        SELECT id FROM transfer INDEXED BY transfer_deadline
        WHERE \(StoreSchema.hasDeadline) AND not_after <= ? AND \(StoreSchema.isOfKnownKind("transfer.id"))
        ORDER BY not_after, id LIMIT ?
        """
}

extension StoreView {
    /// The earliest deadline of the transfers that fail at theirs.
    func nextDeadline() throws -> Instant? {
        let statement = try db.cachedStatement(sql: Self.nextDeadline)
        return try Int64.fetchOne(statement).map(Instant.init(milliseconds:))
    }

    static let nextDeadline = """
        SELECT not_after FROM transfer INDEXED BY transfer_deadline
        WHERE \(StoreSchema.hasDeadline) AND \(StoreSchema.isOfKnownKind("transfer.id")) ORDER BY not_after LIMIT 1
        """
}
