import FerryCore
import GRDB

/// The numbers of transfers. The latest one is written once for all that a transaction adds.
extension StoreTransaction {
    /// A number that no transfer has had.
    func newNumber() throws -> TransferID {
        let latest = try latestNumber ?? Int64.fetchOne(db.cachedStatement(sql: Self.latest)) ?? 0
        guard latest < .max else { throw StoreError.corrupt(path: path, "its numbers are used up") }
        latestNumber = latest + 1
        return TransferID(rawValue: latest + 1)
    }

    /// Writes down the latest number that was given.
    func recordNumber() throws {
        guard let latestNumber else { return }
        let statement = try BareStatement("INSERT OR REPLACE INTO number (id, latest) VALUES (1, ?)", on: db)
        try statement.execute { $0.add(latestNumber) }
        invisibleChanges += 1
    }

    /// The number that is noted, unless another program has made it too low.
    private static let latest = """
        SELECT max(ifnull((SELECT latest FROM number), 0), ifnull((SELECT id FROM work ORDER BY id DESC LIMIT 1), 0))
        """
}
