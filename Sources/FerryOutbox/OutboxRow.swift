import Ferry
import FoundationEssentials
import GRDB

/// A row of the table that waits to be taken over. Any program may have written it, so nothing in it is trusted.
struct OutboxRow {
    /// The maximum number of rows that are taken over together.
    static let batch = 200
    /// The number of bytes of work after which no more rows join a batch.
    static let batchBytes = 4 << 20

    /// Its number. The table never uses a number twice.
    let id: Int64
    /// The UUID as it is written.
    let uuidText: String
    /// When a drain first began to take it over, and how long ago that is; `nil` if none did.
    let begun: (moment: Instant, age: Duration)?
    private let values: [String: DatabaseValue]

    /// Whether any row waits.
    static func areAny(in db: Database) throws -> Bool {
        try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM ferry_outbox WHERE refused IS NULL)")
            ?? false
    }

    /// The next rows in the order of insertion, marked as begun. The mark survives power loss, and so does the transaction
    /// that inserted the row: SQLite's log is synced as a whole.
    ///
    /// Without this, a power cut could take back a transaction whose work was already done, because a `DatabasePool`
    /// does not sync its commits.
    static func begin(in db: Database) throws -> [OutboxRow] {
        let full = 2
        let usual = try Int.fetchOne(db, sql: "PRAGMA synchronous") ?? full
        if usual < full { try db.execute(sql: "PRAGMA synchronous = \(full)") }
        var rows: [OutboxRow] = []
        let result = Result {
            try db.inTransaction(.immediate) {
                rows = try next(in: db)
                let marks = try db.cachedStatement(
                    sql: "UPDATE ferry_outbox SET taken = CAST(strftime('%s', 'now') AS INTEGER) WHERE id = ?"
                )
                for row in rows where row.begun == nil { try marks.execute(arguments: [row.id]) }
                return .commit
            }
        }
        if usual < full { try db.execute(sql: "PRAGMA synchronous = \(usual)") }
        try result.get()
        return rows
    }

    /// The next rows in the order of insertion.
    static func next(in db: Database) throws -> [OutboxRow] {
        var rows: [OutboxRow] = []
        var bytes = 0
        let cursor = try Row.fetchCursor(
            db.cachedStatement(sql: Self.open),
            arguments: [OutboxForm.longest, TransferPayload.largest, batch]
        )
        while bytes < batchBytes, let row = try cursor.next() {
            let waiting = OutboxRow(row)
            bytes += waiting.work?.utf8.count ?? 0
            rows.append(waiting)
        }
        return rows
    }

    /// What is too long is not read into memory.
    private static let open = """
        SELECT id, uuid, version, kind, queue, priority, comes_after, type, tag,
            CASE WHEN length(work) <= ?1 THEN work END AS work,
            CASE WHEN length(payload) <= ?2 THEN payload END AS payload,
            payload IS NOT NULL AS has_payload, taken, CAST(strftime('%s', 'now') AS INTEGER) AS now
        FROM ferry_outbox WHERE refused IS NULL ORDER BY id LIMIT ?3
        """

    private init(_ row: Row) {
        id = row["id"]
        values = Dictionary(uniqueKeysWithValues: row.map { ($0.0, $0.1) })
        uuidText = values["uuid"].flatMap(String.fromDatabaseValue) ?? ""
        let now: Int64 = row["now"]
        begun = values["taken"].flatMap(Int64.fromDatabaseValue).map { taken in
            // A number that is no moment counts as long ago.
            let taken = max(0, min(taken, now))
            return (Instant(seconds: taken), .seconds(now - taken))
        }
    }

    private func text(_ column: String) -> String? { values[column].flatMap(String.fromDatabaseValue) }
    private func number(_ column: String) -> Int? { values[column].flatMap(Int.fromDatabaseValue) }
    private var work: String? { text("work") }

    /// Its UUID.
    func uuid() throws(OutboxForm.Refusal) -> TransferUUID {
        guard let uuid = TransferUUID(uuidText) else {
            throw OutboxForm.Refusal("The UUID does not have the form of a UUID.")
        }
        return uuid
    }

    /// What must complete before it starts.
    func others() throws(OutboxForm.Refusal) -> [TransferUUID] {
        var others: [TransferUUID] = []
        for word in (text("comes_after") ?? "").split(separator: " ") {
            guard let other = TransferUUID(String(word)) else {
                throw OutboxForm.Refusal("It comes after something that does not have the form of a UUID.")
            }
            others.append(other)
        }
        return others
    }

    /// The transfer to add, without what it comes after.
    func transfer() throws(OutboxForm.Refusal) -> NewTransfer {
        guard let version = number("version"), (1...OutboxForm.version).contains(version) else {
            throw OutboxForm.Refusal(
                "Its version is not one that this Ferry reads (up to \(OutboxForm.version))."
            )
        }
        guard let work else {
            throw OutboxForm.Refusal("The work has more than \(OutboxForm.longest) bytes.")
        }
        guard let kind = text("kind").flatMap(TransferKind.init(rawValue:)) else {
            throw OutboxForm.Refusal("Its kind is neither \"request\" nor \"download\" nor \"upload\".")
        }
        var new = try OutboxForm.transfer(kind, work)
        new.uuid = try uuid()
        new.queue = text("queue") ?? NewTransfer.defaultQueue
        new.priority = number("priority") ?? 0
        new.type = try name("type", TransferType.init(_:))
        new.tag = try name("tag", TransferTag.init(_:))
        new.payload = try payload()
        return new
    }

    private func name<Name>(
        _ column: String,
        _ read: (String) throws(TransferTag.Invalid) -> Name
    ) throws(OutboxForm.Refusal) -> Name? {
        guard let text = text(column) else { return nil }
        do throws(TransferTag.Invalid) {
            return try read(text)
        } catch {
            throw OutboxForm.Refusal("Its \(column) cannot be used. \(error)")
        }
    }

    private func payload() throws(OutboxForm.Refusal) -> TransferPayload? {
        guard number("has_payload") != 0 else { return nil }
        guard let bytes = values["payload"].flatMap(Data.fromDatabaseValue),
            let payload = TransferPayload(Array(bytes))
        else {
            throw OutboxForm.Refusal("The payload has more than \(TransferPayload.largest) bytes.")
        }
        return payload
    }
}
