import FerryCore
import GRDB

/// The content of a store at one moment, for one caller's read.
///
/// It lives on the reader's queue only.
struct StoreView {
    /// The reading connection, inside a transaction.
    let db: Database
    /// The path of the database, for errors.
    let path: String
    /// Encodes and decodes the parts of rows.
    let codec: RowCodec

    /// Creates a view on the reading connection.
    init(_ db: Database, path: String, codec: RowCodec) {
        self.db = db
        self.path = path
        self.codec = codec
    }

    /// The nodes of trees.
    var nodes: StoredNodes { StoredNodes(db, codec: codec) }

    /// The pools.
    var cache: StoredPools { StoredPools(db, codec: codec) }

    /// One transfer.
    func transfer(_ id: TransferID) throws -> Transfer? { try row(id)?.transfer }

    /// The row of a transfer, or `nil`.
    func row(_ id: TransferID) throws -> TransferRow? {
        try row(id, by: TransferRow.fromTransfer) ?? row(id, by: TransferRow.fromEnded)
    }

    /// The row of a transfer that a statement finds by its number, or `nil`.
    func row(_ id: TransferID, by sql: String) throws -> TransferRow? {
        try BareStatement(sql, on: db).transfer({ $0.add(id.rawValue) }, codec: codec)
    }

    /// One of many transfers; `nil` for a damaged one as well.
    func readableTransfer(_ id: TransferID) throws -> Transfer? {
        try codec.damage.reading(id) { try transfer(id) }
    }

    /// The damage of a row; `nil` for an intact or missing row.
    func damage(of id: TransferID) throws -> DamagedTransfer? {
        do {
            _ = try transfer(id)
            return nil
        } catch let error as StoreError {
            guard let damaged = DamagedTransfer(id, error) else { throw error }
            return damaged
        }
    }

    /// Whether this Ferry knows what a transfer does.
    func isOfKnownKind(_ id: TransferID) throws -> Bool {
        try BareStatement("SELECT \(StoreSchema.isOfKnownKind("?1"))", on: db).first(
            { $0.add(id.rawValue) },
            codec: codec
        ) { try $0.integer(0) != 0 } ?? true
    }

    /// The latest completed transfer with the same work.
    func completed(like work: Work) throws -> Transfer? {
        try StoredIdentity.completed(work).flatMap { try completed(identity: $0) }
    }

    /// The latest completed transfer with an identity, unless it is `known`.
    ///
    /// Runs for each added transfer, so it reads the row only if it is not `known`.
    func completed(identity: StoredIdentity, besides known: TransferID? = nil) throws -> Transfer? {
        let latest = try BareStatement(Self.latestCompleted, on: db).first(
            { $0.add(identity) },
            codec: codec
        ) { TransferID(rawValue: try $0.integer(0)) }
        guard let latest, latest != known else { return nil }
        return try readableTransfer(latest)
    }

    /// The failed attempts of a transfer, oldest first.
    func attempts(of id: TransferID) throws -> [Attempt] {
        let statement = try db.cachedStatement(
            sql: "SELECT started, ended, failure, received FROM attempt WHERE transfer = ? ORDER BY number"
        )
        let cursor = try Row.fetchCursor(statement, arguments: [id.rawValue])
        var attempts: [Attempt] = []
        do {
            while let row = try cursor.next() {
                let reader = ColumnReader<Int>(row: row, codec: codec)
                attempts.append(
                    Attempt(
                        started: Instant(milliseconds: try reader.integer(0)),
                        ended: Instant(milliseconds: try reader.integer(1)),
                        failure: try reader.json(2, TransferFailure.self),
                        received: try reader.integer(3)
                    )
                )
            }
        } catch let error as RowDamage {
            throw StoreError.damagedTransfer(id, "of an attempt: \(error)")
        }
        return attempts
    }

    /// The number of transfers in each state.
    func counts() throws -> [TransferState.Name: Int] {
        let cursor = try Row.fetchCursor(db, sql: "SELECT state, count FROM tally WHERE count > 0")
        var counts: [TransferState.Name: Int] = [:]
        while let row = try cursor.next() {
            // An unknown word is a fault, which the next opening mends.
            guard let state = TransferState.Name(rawValue: try row.decode(String.self, atIndex: 0)) else {
                continue
            }
            counts[state] = try row.decode(Int.self, atIndex: 1)
        }
        return counts
    }

    /// The earliest moment later than `moment` at which a waiting transfer becomes claimable by `owner`.
    func nextWakeTime(for owner: OwnerID, after moment: Instant) throws -> Instant? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT wake_at FROM transfer
                WHERE runnable = ? AND condition = ? AND wake_at IS NOT NULL AND wake_at > ?
                    AND (owner IS NULL OR owner = ?) AND \(StoreSchema.isOfKnownKind("transfer.id"))
                ORDER BY wake_at LIMIT 1
                """
        )
        var moments: [Int64] = []
        for (condition, _) in StoreTransaction.timedWaits {
            moments += try [0, 1].compactMap { runnable in
                try Int64.fetchOne(
                    statement,
                    arguments: [runnable, condition.rawValue, moment.milliseconds, owner.rawValue]
                )
            }
        }
        return moments.min().map { Instant(milliseconds: $0) }
    }
}
