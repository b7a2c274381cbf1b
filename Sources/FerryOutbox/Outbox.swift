public import Ferry
import FoundationEssentials
public import GRDB

/// A table in the database of an application, from which an ``OutboxDrain`` takes work over into Ferry's store.
///
/// The application adds work in the same transaction as its own data. If the transaction is rolled back, there is no transfer.
/// Once it is committed, there is exactly one, even if the process is killed at any moment.
///
/// ```swift
/// let uuid = try await database.write { db in
///     try db.execute(sql: "INSERT INTO purchase (item) VALUES (?)", arguments: [17])
///     return try outbox.add(NewTransfer(order, tag: TransferTag("orders")), in: db)
/// }
/// ```
public struct Outbox: Sendable {
    /// Creates a value that stands for the table `ferry_outbox` of any database.
    public init() {}

    // MARK: The table

    /// Creates the table, if it does not exist. Call it in a migration of the application.
    public func createTable(in db: Database) throws {
        try db.execute(sql: Self.schema)
    }

    /// The table as SQL, so that programs in other languages can create and fill it.
    ///
    /// Ferry never changes the meaning of a column. `version` says how `work` is written.
    static let schema = """
        CREATE TABLE IF NOT EXISTS ferry_outbox (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            uuid TEXT NOT NULL UNIQUE COLLATE NOCASE,
            version INTEGER NOT NULL DEFAULT 1,
            kind TEXT NOT NULL,
            work TEXT NOT NULL,
            queue TEXT,
            priority INTEGER NOT NULL DEFAULT 0,
            comes_after TEXT,
            type TEXT,
            tag TEXT,
            payload BLOB,
            taken INTEGER,
            refused TEXT
        );
        CREATE INDEX IF NOT EXISTS ferry_outbox_open ON ferry_outbox (id) WHERE refused IS NULL;
        """

    // MARK: Adding

    /// Adds a transfer as part of the current transaction.
    ///
    /// If it is a download that already exists in the store, and has another UUID, that one takes the tag and the payload, and
    /// is not found by the UUID that this call returns.
    ///
    /// - Parameters:
    ///   - new: the transfer. It may come after work that was added to this table before, and after transfers of the store, by
    ///     their UUIDs (`NewTransfer.afterUUIDs`). If it has a UUID, a repeated call changes nothing,
    ///     as long as the row or the transfer is kept (`EngineConfiguration.retention`).
    ///   - db: the database, inside of `write`.
    /// - Returns: the UUID, by which `TransferAccess.find(uuid:)` finds the transfer once it was taken over.
    /// - Throws: `DatabaseError`; ``OutboxError``; `TransferQueue.Flaw` when no queue can have this name.
    @discardableResult
    public func add(_ new: NewTransfer, in db: Database) throws -> TransferUUID {
        guard new.after.isEmpty else { throw OutboxError.afterNumber }
        guard new.work.bodyCopy == nil else { throw OutboxError.copiedBody }
        let work = try OutboxForm.encoded(new.work)
        guard work.utf8.count <= OutboxForm.longest else { throw OutboxError.tooLong(bytes: work.utf8.count) }
        guard TransferQueue.isName(new.queue) else { throw TransferQueue.Flaw.name(new.queue) }
        let uuid = new.uuid ?? TransferUUID()
        let kind = new.work.kind.rawValue
        let earlier = try String.fetchOne(
            db,
            sql: "SELECT kind || work FROM ferry_outbox WHERE uuid = ?",
            arguments: [uuid.description]
        )
        if let earlier {
            guard earlier == kind + work else { throw OutboxError.otherWork(uuid) }
            return uuid
        }
        let others = new.afterUUIDs.map(\.description).joined(separator: " ")
        try db.execute(
            sql: """
                INSERT INTO ferry_outbox
                    (uuid, version, kind, work, queue, priority, comes_after, type, tag, payload)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                uuid.description, OutboxForm.version, kind, work, new.queue, new.priority,
                others.isEmpty ? nil : others, new.type?.text, new.tag?.text,
                new.payload.map { Data($0.bytes) },
            ]
        )
        return uuid
    }

    // MARK: Refused rows

    /// The rows that could not be taken over, oldest first. They stay in the table until you retry or remove them.
    public func refusals(in db: Database, limit: Int = 1_000) throws -> [OutboxRefusal] {
        let rows = try Row.fetchCursor(
            db,
            sql: "SELECT id, uuid, refused FROM ferry_outbox WHERE refused IS NOT NULL ORDER BY id LIMIT ?",
            arguments: [limit]
        )
        return try Array(rows.map { OutboxRefusal(id: $0[0], uuid: $0[1], reason: $0[2]) })
    }

    /// Lets all refused rows be taken over again, in order. Call it when the reason is gone, such as after an update.
    public func retryRefused(in db: Database) throws {
        try db.execute(sql: "UPDATE ferry_outbox SET refused = NULL, taken = NULL WHERE refused IS NOT NULL")
    }

    /// Removes a refused row for good.
    public func remove(_ refusal: OutboxRefusal, in db: Database) throws {
        try db.execute(
            sql: "DELETE FROM ferry_outbox WHERE id = ? AND refused IS NOT NULL",
            arguments: [refusal.id]
        )
    }
}

/// A row of an ``Outbox`` that was not taken over.
public struct OutboxRefusal: Hashable, Sendable, Identifiable {
    /// The number of the row.
    public let id: Int64
    /// The UUID as the row has it. It may be malformed, if another program wrote it.
    public let uuid: String
    /// Why, in a sentence for a person. It contains no secret.
    public let reason: String
}

/// Why work cannot be added to an ``Outbox``.
public enum OutboxError: Error, Hashable, Sendable {
    /// The table already has other work under this UUID.
    case otherWork(TransferUUID)
    /// The stored form of the work has this many bytes. Up to 4 MiB are possible.
    case tooLong(bytes: Int)
    /// The body is a copy (`TransferAccess.copyBody`). Ferry removes a copy whose transfer is not in its store.
    case copiedBody
    /// The work comes after a transfer by its number (`NewTransfer.after`). Only Ferry's store knows numbers.
    case afterNumber
}

extension OutboxError: CustomStringConvertible {
    /// The reason, in a sentence for a person.
    public var description: String {
        switch self {
        case .otherWork(let uuid): "The outbox already has other work under the UUID \(uuid)."
        case .tooLong(let bytes):
            "The work has \(bytes) bytes in its stored form; up to \(OutboxForm.longest) are possible."
        case .copiedBody:
            "A body that Ferry has copied cannot wait in an outbox. Write it to a file, and pin that."
        case .afterNumber:
            "An outbox knows no numbers of transfers. Name the earlier transfers by their UUIDs (afterUUIDs)."
        }
    }
}
