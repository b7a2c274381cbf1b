import FerryCore
import GRDB

/// The first transfer of each line is kept in the table `head`, so that a claim does not step over every
/// transfer of a long line. Each change to a line is noted; the end of a write looks up the new first.
extension StoreTransaction {
    /// Notes that the first transfer of a line may have changed.
    func touch(_ line: HeadKey?) {
        if let line { touchedLines.insert(line) }
    }

    /// Records the first transfer of each touched line.
    func recordHeads() throws {
        guard !touchedLines.isEmpty else { return }
        for line in touchedLines { try recordHead(of: line) }
        touchedLines.removeAll(keepingCapacity: true)
    }

    private func recordHead(of line: HeadKey) throws {
        let first = try db.cachedStatement(sql: line.owner == 0 ? Self.firstFree : Self.firstHeld)
        let arguments: StatementArguments =
            line.owner == 0 ? [line.queue, line.host] : [line.queue, line.host, line.owner]
        let cursor = try Row.fetchCursor(first, arguments: arguments)
        let found = try cursor.next().map { row in
            (try row.decode(Int64.self, atIndex: 0), try row.decode(Int64.self, atIndex: 1))
        }
        let count = db.totalChangesCount
        if let (id, place) = found {
            try db.cachedStatement(sql: Self.putHead).execute(arguments: [
                line.queue, line.owner, line.host, place, id,
            ])
        } else {
            try db.cachedStatement(sql: Self.removeHead).execute(arguments: [
                line.queue, line.owner, line.host,
            ])
        }
        // The change to a transfer that moved a head already notifies the watchers.
        invisibleChanges += db.totalChangesCount - count
    }

    static let firstFree = """
        SELECT id, place FROM transfer
        WHERE runnable = 1 AND queue = ?1 AND owner IS NULL AND host = ?2 ORDER BY place, id LIMIT 1
        """

    static let firstHeld = """
        SELECT id, place FROM transfer
        WHERE runnable = 1 AND queue = ?1 AND owner = ?3 AND host = ?2 ORDER BY place, id LIMIT 1
        """

    private static let putHead = """
        INSERT INTO head (queue, owner, host, place, transfer) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (queue, owner, host) DO UPDATE SET place = excluded.place, transfer = excluded.transfer
            WHERE place <> excluded.place OR transfer <> excluded.transfer
        """

    private static let removeHead = "DELETE FROM head WHERE queue = ? AND owner = ? AND host = ?"
}
