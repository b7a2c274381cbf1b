import FerryCore
import GRDB

/// The ends of transfers that no handler has handled yet, in the table `result`.
struct StoredResults: ResultRows {
    private let db: Database
    private let codec: RowCodec

    init(_ db: Database, codec: RowCodec) {
        (self.db, self.codec) = (db, codec)
    }

    func result(of id: TransferID) throws -> UnhandledResult? {
        let statement = try BareStatement(Self.one, on: db)
        return try statement.firstMap({ $0.add(id.rawValue) }, codec: codec, Self.result)
    }

    func put(_ result: UnhandledResult) throws {
        try BareStatement(Self.insertion, on: db).execute { values in
            values.add(result.transfer.rawValue)
            values.add(result.type.text)
            values.add(result.ended.milliseconds)
            values.add(result.owner?.rawValue)
            values.add(result.failures)
            values.add(result.due.milliseconds)
        }
    }

    func deleteResult(of id: TransferID) throws {
        try BareStatement("DELETE FROM result WHERE transfer = ?", on: db).execute { $0.add(id.rawValue) }
    }

    func dueResults(of type: TransferType, upTo limit: Int, at now: Instant) throws -> [UnhandledResult] {
        var results: [UnhandledResult] = []
        let farthest = now.advanced(by: UnhandledResult.farthest)
        for (sql, moment) in [(Self.due, now), (Self.incredible, farthest)] {
            try BareStatement(sql, on: db).forEach(
                { values in
                    values.add(type.text)
                    values.add(moment.milliseconds)
                    values.add(limit - results.count)
                },
                codec: codec
            ) { row in
                if let result = try Self.result(row) { results.append(result) }
            }
        }
        return results
    }

    func freeResults(of owner: OwnerID) throws {
        let statement = try db.cachedStatement(sql: "UPDATE result SET owner = NULL WHERE owner = ?")
        try statement.execute(arguments: [owner.rawValue])
    }

    /// Frees the results of owners that another program has removed.
    func freeOrphans() throws {
        try db.cachedStatement(sql: Self.orphans).execute()
    }

    /// When a result of one of these types can be taken in hand.
    func next(of types: [TransferType], at now: Instant) throws -> Instant? {
        let first = try db.cachedStatement(sql: Self.first)
        let last = try db.cachedStatement(sql: Self.last)
        var next: Instant?
        for type in types {
            guard let due = try Int64.fetchOne(first, arguments: [type.text]) else { continue }
            let latest = try Int64.fetchOne(last, arguments: [type.text]) ?? due
            let farthest = now.advanced(by: UnhandledResult.farthest)
            let moment = latest > farthest.milliseconds ? now : Instant(milliseconds: due)
            next = min(next ?? moment, moment)
        }
        return next
    }

    /// Reads a row; `nil` for one without a valid type, which only another program leaves.
    private static func result(_ row: ColumnReader<Int>) throws -> UnhandledResult? {
        let text = try row.text(1)
        let type: TransferType
        do throws(TransferTag.Invalid) {
            type = try TransferType(text)
        } catch {
            return nil
        }
        var result = UnhandledResult(
            of: TransferID(rawValue: try row.integer(0)),
            type,
            ended: Instant(milliseconds: try row.integer(2))
        )
        result.owner = try row.optionalInteger(3).map { OwnerID(rawValue: $0) }
        result.failures = Int(max(0, min(try row.integer(4), Int64(Int32.max))))
        result.due = Instant(milliseconds: try row.integer(5))
        return result
    }

    private static let columns = "SELECT transfer, type, ended, owner, failures, due FROM result"

    private static let one = columns + " WHERE transfer = ?"

    private static let insertion = """
        INSERT OR REPLACE INTO result (transfer, type, ended, owner, failures, due) VALUES (?, ?, ?, ?, ?, ?)
        """

    private static let due =
        columns + " WHERE owner IS NULL AND type = ? AND due <= ? ORDER BY due, transfer LIMIT ?"

    /// Results that a wrong clock has put off for too long.
    private static let incredible =
        columns + " WHERE owner IS NULL AND type = ? AND due > ? ORDER BY due, transfer LIMIT ?"

    private static let first = "SELECT due FROM result WHERE owner IS NULL AND type = ? ORDER BY due LIMIT 1"

    private static let last =
        "SELECT due FROM result WHERE owner IS NULL AND type = ? ORDER BY due DESC LIMIT 1"

    private static let orphans = """
        UPDATE result SET owner = NULL
        WHERE owner IS NOT NULL AND NOT EXISTS (SELECT 1 FROM owner WHERE owner.id = result.owner)
        """
}
