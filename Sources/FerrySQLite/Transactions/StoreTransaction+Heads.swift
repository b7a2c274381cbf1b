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
        let first = try BareStatement(line.owner == 0 ? Self.firstFree : Self.firstHeld, on: db)
        let found = try first.first(
            { values in
                values.add(line.queue)
                values.add(line.host)
                values.add(line.runsInBackground)
                if line.owner != 0 { values.add(line.owner) }
            },
            codec: codec
        ) { (try $0.integer(0), try $0.integer(1)) }
        let count = db.totalChangesCount
        try BareStatement(found == nil ? Self.removeHead : Self.putHead, on: db).execute { values in
            values.add(line.queue)
            values.add(line.owner)
            values.add(line.host)
            values.add(line.runsInBackground)
            guard let (id, place) = found else { return }
            values.add(place)
            values.add(id)
        }
        // The change to a transfer that moved a head already notifies the watchers.
        invisibleChanges += db.totalChangesCount - count
    }

    static let firstFree = """
        SELECT id, place FROM transfer
        WHERE runnable = 1 AND queue = ?1 AND owner IS NULL AND host = ?2 AND runs_in_background = ?3
        ORDER BY place, id LIMIT 1
        """

    static let firstHeld = """
        SELECT id, place FROM transfer
        WHERE runnable = 1 AND queue = ?1 AND owner = ?4 AND host = ?2 AND runs_in_background = ?3
        ORDER BY place, id LIMIT 1
        """

    private static let putHead = """
        INSERT INTO head (queue, owner, host, runs_in_background, place, transfer) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (queue, owner, host, runs_in_background) DO UPDATE SET place = excluded.place, transfer = excluded.transfer
            WHERE place <> excluded.place OR transfer <> excluded.transfer
        """

    private static let removeHead =
        "DELETE FROM head WHERE queue = ? AND owner = ? AND host = ? AND runs_in_background = ?"
}
