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
