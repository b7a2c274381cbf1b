import FerryCore
import GRDB

/// The numbers of transfers. A transaction stores the latest number once.
extension StoreTransaction {
    /// A number that no transfer has had.
    func newNumber() throws -> TransferID {
        let latest = try latestNumber ?? Int64.fetchOne(db.cachedStatement(sql: Self.latest)) ?? 0
        guard latest < .max else { throw StoreError.corrupt(path: path, "its numbers are used up") }
        latestNumber = latest + 1
        return TransferID(rawValue: latest + 1)
    }

    /// The number of the transfer with a UUID.
    func number(of uuid: TransferUUID) throws -> TransferID? { try view.number(of: uuid) }

    /// Stores the latest number.
    func recordNumber() throws {
        guard let latestNumber else { return }
        let statement = try BareStatement("INSERT OR REPLACE INTO number (id, latest) VALUES (1, ?)", on: db)
        try statement.execute { $0.add(latestNumber) }
        invisibleChanges += 1
    }

    /// The latest number, even if another program has made the stored one too low.
    private static let latest = """
        SELECT max(ifnull((SELECT latest FROM number), 0), ifnull((SELECT id FROM work ORDER BY id DESC LIMIT 1), 0))
        """
}
