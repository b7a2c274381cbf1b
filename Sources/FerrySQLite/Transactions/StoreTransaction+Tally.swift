import FerryCore
import GRDB

/// The number of transfers in each state is kept in a table, because counting a million rows takes too long.
/// A transaction sums up its changes and writes them at its end.
extension StoreTransaction {
    /// Notes the change of a transfer's state; `nil` stands for no transfer.
    func noteState(from former: String?, to latest: String?) {
        guard former != latest else { return }
        if let former { tally[former, default: 0] -= 1 }
        if let latest { tally[latest, default: 0] += 1 }
    }

    /// Writes the summed changes of the counts.
    func recordTally() throws {
        let before = db.totalChangesCount
        for (state, change) in tally.sorted(by: { $0.key < $1.key }) where change != 0 {
            try BareStatement(Self.tallying, on: db).execute { values in
                values.add(change)
                values.add(state)
            }
            guard db.changesCount == 0 else { continue }
            guard change > 0, try !isTallied(state) else {
                // More have left the state than it counted, so the count was already wrong.
                try DerivedTables(db: db).recount()
                break
            }
            try db.cachedStatement(sql: Self.firstTally).execute(arguments: [state, change])
        }
        // The change to a transfer that changed a count already notifies the watchers.
        invisibleChanges += db.totalChangesCount - before
        tally.removeAll(keepingCapacity: true)
    }

    private func isTallied(_ state: String) throws -> Bool {
        let statement = try db.cachedStatement(sql: "SELECT 1 FROM tally WHERE state = ?")
        return try Int.fetchOne(statement, arguments: [state]) != nil
    }

    private static let tallying =
        "UPDATE tally SET count = count + ?1 WHERE state = ?2 AND count + ?1 >= 0"

    private static let firstTally = "INSERT INTO tally (state, count) VALUES (?, ?)"
}
