import Ferry
import FerryOutbox
import Foundation
import GRDB

/// The application's own data: which photos it has taken, and what has become of them.
///
/// Each change adds the work that follows from it in the same transaction. So there is no photo without an upload, no record
/// without a photo, and none of them twice.
struct Journal: Sendable {
    /// A photo in the journal.
    struct Entry: Codable, FetchableRecord, PersistableRecord, Sendable {
        static let databaseTableName = "entry"
        /// The name of the file.
        var photo: String
        /// The UUID of the transfer that uploads it.
        var upload: String
        /// The UUID of the transfer that posts its record; `nil` until the upload has completed.
        var record: String?
    }

    private let database: DatabasePool
    private let outbox = Outbox()
    private let server: String

    init(path: String, server: String) throws {
        self.server = server
        database = try DatabasePool(path: path)
        var migrator = DatabaseMigrator()
        migrator.registerMigration("journal") { [outbox] db in
            try db.create(table: "entry") { table in
                table.primaryKey("photo", .text)
                table.column("upload", .text).notNull()
                table.column("record", .text)
            }
            try outbox.createTable(in: db)
        }
        try migrator.migrate(database)
    }

    /// Takes the work of this journal over into the store of an engine.
    func drain(into engine: TransferEngine) -> OutboxDrain {
        OutboxDrain(from: database, into: engine) { print("Refused \($0.uuid): \($0.reason)") }
    }

    /// All entries, by the name of the photo.
    func entries() async throws -> [Entry] {
        try await database.read { try Entry.order(Column("photo")).fetchAll($0) }
    }

    /// Takes photos that are not in the journal yet, each with its upload.
    func take(photosIn folder: String, _ engine: TransferEngine) async throws {
        let known = Set(try await entries().map(\.photo))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        for name in names where name.hasSuffix(".jpg") && !known.contains(name) {
            let file = try await engine.pin("\(folder)/\(name)")
            let upload = try RequestSpecification(
                method: .put,
                url: HTTPURL(parsing: "\(server)/photos/\(name)"),
                body: StoredBody(file)
            )
            try await database.write { [outbox] db in
                let uuid = try outbox.add(upload, in: db, tag: TransferTag("uploads"))
                try Entry(photo: name, upload: "\(uuid)").insert(db)
            }
            print("\(name): taken")
        }
    }

    /// Adds the record of a photo that the server has under this ID, unless it was added before.
    func post(_ entry: Entry, photoID: String) async throws {
        let uuid = TransferUUID()
        var record = try RequestSpecification(
            method: .post,
            url: HTTPURL(parsing: "\(server)/records"),
            body: StoredBody(JSONEncoder().encode(["photo": photoID, "name": entry.photo])),
            key: IdempotencyKey(value: "\"\(uuid)\"")
        )
        record.exchange.headers = [HeaderField(name: "Content-Type", value: "application/json")]
        try await database.write { [outbox, record] db in
            var entry = try Entry.find(db, key: entry.photo)
            guard entry.record == nil else { return }
            entry.record = "\(uuid)"
            try entry.update(db)
            try outbox.add(record, in: db, tag: TransferTag("records"), uuid: uuid)
        }
    }
}
