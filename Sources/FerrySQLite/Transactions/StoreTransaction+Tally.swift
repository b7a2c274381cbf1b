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
        for (state, change) in tally.sorted(by: { $0.key < $1.key }) where change != 0 {
            try db.cachedStatement(sql: Self.tallying).execute(arguments: [change, state])
            if db.changesCount == 0 {
                try db.cachedStatement(sql: Self.firstTally).execute(arguments: [state, change])
            }
            // Whatever changed a count has changed a transfer, of which those are told who watch.
            invisibleChanges += 1
        }
        tally.removeAll(keepingCapacity: true)
    }

    private static let tallying = "UPDATE tally SET count = count + ? WHERE state = ?"

    private static let firstTally = "INSERT INTO tally (state, count) VALUES (?, ?)"
}
