import FerryCore
import GRDB

/// The number of transfers in each state is kept in a table, because counting a million rows takes too long.
/// A transaction sums up its changes and writes them at its end.
extension StoreTransaction {
    /// Notes the change of a transfer's state; `nil` stands for no transfer.
    func noteState(from former: TransferState.Name?, to latest: TransferState.Name?) {
        guard former != latest else { return }
        if let former { tally[former, default: 0] -= 1 }
        if let latest { tally[latest, default: 0] += 1 }
    }

    /// The state that the word in a row names.
    ///
    /// Only another program writes an unknown word. Such a row is damaged and counts as paused, and all states are
    /// counted again.
    func stateName(reading word: String) -> TransferState.Name {
        if let name = TransferState.Name(rawValue: word) { return name }
        isTallyInDoubt = true
        return .paused
    }

    /// Writes the summed changes of the counts.
    func recordTally() throws {
        let before = db.totalChangesCount
        if try !addTally() { try DerivedTables(db: db).recount() }
        // The change to a transfer that changed a count already notifies the watchers.
        invisibleChanges += db.totalChangesCount - before
        tally.removeAll(keepingCapacity: true)
        isTallyInDoubt = false
    }

    /// Adds the summed changes; returns `false` when the counts were already wrong.
    private func addTally() throws -> Bool {
        guard !isTallyInDoubt else { return false }
        for state in TransferState.Name.allCases {
            guard let change = tally[state], change != 0 else { continue }
            try BareStatement(Self.tallying, on: db).execute { values in
                values.add(change)
                values.add(state.rawValue)
            }
            guard db.changesCount == 0 else { continue }
            // Either the count is missing, or it is wrong and would fall below 0.
            guard change > 0, try !isTallied(state) else { return false }
            try db.cachedStatement(sql: Self.firstTally).execute(arguments: [state.rawValue, change])
        }
        return true
    }

    private func isTallied(_ state: TransferState.Name) throws -> Bool {
        let statement = try db.cachedStatement(sql: "SELECT 1 FROM tally WHERE state = ?")
        return try Int.fetchOne(statement, arguments: [state.rawValue]) != nil
    }

    private static let tallying =
        "UPDATE tally SET count = count + ?1 WHERE state = ?2 AND count + ?1 >= 0"

    private static let firstTally = "INSERT INTO tally (state, count) VALUES (?, ?)"
}
