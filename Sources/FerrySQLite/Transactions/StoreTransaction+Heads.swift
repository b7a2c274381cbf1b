import FerryCore
import GRDB

/// The first of each line is kept beside the transfers, so that a claim that passes over a long line does not step over
/// each of its transfers. Whatever changes a line notes that, and at the end of a write the first is looked up anew.
extension StoreTransaction {
    /// Notes that another transfer may be the first of a line now.
    func touch(_ line: HeadKey?) {
        if let line { touchedLines.insert(line) }
    }

    /// Records who is the first of each line that was touched.
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
                if line.owner != 0 { values.add(line.owner) }
            },
            codec: codec
        ) { (try $0.integer(0), try $0.integer(1)) }
        let count = db.totalChangesCount
        try BareStatement(found == nil ? Self.removeHead : Self.putHead, on: db).execute { values in
            values.add(line.queue)
            values.add(line.owner)
            values.add(line.host)
            guard let (id, place) = found else { return }
            values.add(place)
            values.add(id)
        }
        // Whatever moved a head has changed a transfer, of which those are told who watch.
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
