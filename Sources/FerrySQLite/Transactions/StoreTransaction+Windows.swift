import FerryCore
import GRDB

/// Time windows that have closed while transfers stood in line.
extension StoreTransaction {
    /// Lets all that could run, and is outside of its time window, wait for that to open.
    ///
    /// Those with the same window are looked at and written together, and each of them once for each time that its window
    /// closes, so a claim passes over none of them, however many there are.
    func closeWindows(at now: Instant) throws {
        let next = try db.cachedStatement(sql: Self.nextWindow)
        var last = try String.fetchOne(db.cachedStatement(sql: Self.firstWindow))
        while let text = last {
            if let opens = opening(of: text, after: now) { try close(text, until: opens, at: now) }
            last = try String.fetchOne(next, arguments: [text])
        }
        try recordHeads()
    }

    /// When a window opens that is closed now. One that cannot be read closes nothing: its rows are damaged, of which
    /// those are told who read them.
    private func opening(of text: String, after now: Instant) -> Instant? {
        let window: TimeWindow
        do {
            window = try TimeWindow(parsing: text)
        } catch {
            return nil
        }
        return window.opening(after: now, in: localTime)
    }

    private func close(_ window: String, until opens: Instant, at now: Instant) throws {
        let horizon = now.advanced(by: WaitCondition.farthestRetry)
        let ready: StatementArguments = [now.milliseconds, horizon.milliseconds, window]
        let cursor = try Row.fetchCursor(db.cachedStatement(sql: Self.linesOfWindow), arguments: ready)
        while let row = try cursor.next() {
            touch(try HeadKey(row))
            let state = try row.decode(String.self, atIndex: 3)
            let count = try row.decode(Int.self, atIndex: 4)
            guard state != Self.waiting else { continue }
            tally[state, default: 0] -= count
            tally[Self.waiting, default: 0] += count
        }
        let statement = try db.cachedStatement(sql: Self.closing)
        try statement.execute(arguments: ready + [opens.milliseconds])
    }

    private static let waiting = "waiting"

    static let firstWindow =
        "SELECT min(time_window) FROM transfer WHERE runnable = 1 AND time_window IS NOT NULL"

    static let nextWindow = "SELECT min(time_window) FROM transfer WHERE runnable = 1 AND time_window > ?"

    static let linesOfWindow = """
        SELECT queue, owner, host, state, count(*) FROM transfer
        WHERE runnable = 1 AND time_window = ?3 AND \(StoredLines.isDue) GROUP BY queue, owner, host, state
        """

    static let closing = """
        UPDATE transfer SET state = 'waiting', condition = 'window', wake_at = ?4, runnable = 0, front = NULL,
            updated = ?1
        WHERE runnable = 1 AND time_window = ?3 AND \(StoredLines.isDue)
        """
}
