import FerryCore
import GRDB

/// How many transfers are in each state is kept beside them, as a million rows take too long to count. The changes of a
/// transaction are summed up and written at its end.
extension StoreTransaction {
    /// Notes that a transfer passes from one state to another; `nil` stands for one that is not there.
    func noteState(from former: String?, to latest: String?) {
        guard former != latest else { return }
        if let former { tally[former, default: 0] -= 1 }
        if let latest { tally[latest, default: 0] += 1 }
    }

    /// Writes down how many have come to each state, or gone from it.
    func recordTally() throws {
        let before = db.totalChangesCount
        for (state, change) in tally.sorted(by: { $0.key < $1.key }) where change != 0 {
            try db.cachedStatement(sql: Self.tallying).execute(arguments: [change, state])
            guard db.changesCount == 0 else { continue }
            guard change > 0, try !isTallied(state) else {
                // More have gone than there were said to be, so the count was wrong before.
                try DerivedTables(db: db).recount()
                break
            }
            try db.cachedStatement(sql: Self.firstTally).execute(arguments: [state, change])
        }
        // Whatever changed a count has changed a transfer, of which those are told who watch.
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
