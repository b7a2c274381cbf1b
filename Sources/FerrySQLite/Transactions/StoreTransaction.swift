import FerryCore
import GRDB

/// One caller's write on the writing connection. It may run again when its commit is repeated.
///
/// It lives on the writer's queue only.
final class StoreTransaction: TransferRows {
    /// The writing connection, inside a transaction.
    let db: Database
    /// The path of the database, for errors.
    let path: String
    /// Encodes and decodes the parts of rows.
    let codec: RowCodec
    /// The local time by which time windows open and close.
    let localTime: LocalTime
    /// The durability that the commit needs, as known so far.
    private(set) var durability: Durability = .process
    /// Row changes that readers cannot see. They do not notify watchers.
    var invisibleChanges = 0
    /// Owners known to exist, because each row read looks up its owner.
    var joined: [OwnerID] = []
    /// What the ends of transfers may change elsewhere.
    let ties: TransferTies
    /// The lines whose first transfer may have changed.
    var touchedLines: Set<HeadKey> = []
    /// The latest number given to a transfer in this transaction.
    var latestNumber: Int64?
    /// The net number of transfers that entered each state.
    var tally: [TransferState.Name: Int] = [:]
    /// Whether a changed row had an unknown state, so that all rows must be counted again.
    var isTallyInDoubt = false

    /// Creates a transaction on the writing connection.
    init(_ db: Database, path: String, codec: RowCodec, localTime: LocalTime) {
        self.db = db
        self.path = path
        self.codec = codec
        self.localTime = localTime
        ties = TransferTies(db, codec: codec)
    }

    /// Requires the commit to survive power loss.
    func requirePower() {
        durability = .power
    }

    /// The store with the changes so far.
    var view: StoreView { StoreView(db, path: path, codec: codec) }

    /// The ends of transfers that are not handled yet.
    var results: StoredResults { StoredResults(db, codec: codec) }

    /// The nodes of trees.
    var nodes: StoredNodes { StoredNodes(db, codec: codec, ties: ties) }

    /// The pools.
    var cache: StoredPools { StoredPools(db, codec: codec, ties: ties) }

    /// The row of a transfer, or `nil`.
    func row(_ id: TransferID) throws -> TransferRow? {
        try view.row(id).map(freed)
    }

    /// The row of a claimed transfer. Reads the request again only if it was changed.
    func claimedRow(_ id: TransferID) throws -> TransferRow? {
        guard let known = codec.work(of: id) else { return try row(id) }
        let row = try BareStatement(TransferRow.place, on: db).transfer(
            { values in
                values.add(id.rawValue)
                values.add(known.revision)
            },
            codec: codec,
            known: known
        )
        // The request of a final transfer was stored again without its secrets.
        guard let row, !row.transfer.state.isFinal else { return try self.row(id) }
        return try freed(row)
    }

    /// Frees a row whose owner does not exist, or that runs without an owner. Only another program leaves such a row,
    /// and it can be neither written nor run.
    func freed(_ row: TransferRow) throws -> TransferRow {
        let isOrphan =
            try row.transfer.claim.map { try !hasJoined($0.owner) } ?? (row.transfer.state == .active)
        guard isOrphan else { return row }
        var row = row
        row.transfer.lostOwner(.left, isAlone: false, at: row.transfer.updated)
        return row
    }

    /// The result of `read`; `nil` for a damaged row, which is noted.
    func unlessDamaged(_ id: TransferID, _ read: () throws -> TransferRow?) throws -> TransferRow? {
        try codec.damage.reading(id, read)
    }

    /// Sets a damaged row aside: frees it, and pauses it unless it has ended. Reads of the row report the damage, and
    /// engines still run the others. The row of a newer Ferry stays unchanged.
    func setAside(_ id: TransferID) throws {
        guard try view.isOfKnownKind(id) else { return }
        let former = try db.cachedStatement(
            sql: "SELECT state, \(StoreSchema.isLiving) FROM transfer WHERE id = ?"
        )
        if let row = try Row.fetchOne(former, arguments: [id.rawValue]),
            try row.decode(Bool.self, atIndex: 1)
        {
            noteState(from: stateName(reading: try row.decode(String.self, atIndex: 0)), to: .paused)
        }
        let line = try db.cachedStatement(sql: "SELECT \(HeadKey.columns) FROM transfer WHERE id = ?")
        let cursor = try Row.fetchCursor(line, arguments: [id.rawValue])
        touch(try cursor.next().map(HeadKey.init))
        let statement = try db.cachedStatement(
            sql: """
                UPDATE transfer SET state = CASE WHEN \(StoreSchema.isLiving) THEN 'paused' ELSE state END,
                    condition = NULL, wake_at = NULL, failure = CASE WHEN state = 'failed' THEN failure END,
                    owner = NULL, runnable = 0
                WHERE id = ?
                """
        )
        try statement.execute(arguments: [id.rawValue])
    }

    /// Whether an owner has joined and not been removed.
    func hasJoined(_ owner: OwnerID) throws -> Bool {
        if joined.contains(owner) { return true }
        let statement = try BareStatement("SELECT 1 FROM owner WHERE id = ?", on: db)
        guard try statement.integer({ $0.add(owner.rawValue) }) != nil else { return false }
        joined.append(owner)
        return true
    }
}
