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
        /// The UUID of the transfer that posts its record.
        var record: String
        /// What has become of it: `nil` until its record has arrived, or either transfer has failed.
        var outcome: String?
    }

    /// The type of the transfers that post records.
    static let recordType: TransferType = "photo.record"

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
                table.column("record", .text).notNull().unique()
                table.column("outcome", .text)
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

    /// Takes photos that are not in the journal yet, each with its upload and its record.
    func take(photosIn folder: String, _ engine: TransferEngine) async throws {
        let known = Set(try await entries().map(\.photo))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        for name in names where name.hasSuffix(".jpg") && !known.contains(name) {
            let file = try await engine.pin("\(folder)/\(name)")
            let (uploadID, recordID) = (TransferUUID(), TransferUUID())
            let upload = try RequestSpecification(
                method: .put,
                url: HTTPURL(parsing: "\(server)/photos/\(name)"),
                body: StoredBody(file)
            )
            let record = try record(of: name, uploadedBy: uploadID, recordID)
            try await database.write { [outbox] db in
                try outbox.add(NewTransfer(upload, uuid: uploadID), in: db)
                try outbox.add(
                    NewTransfer(record, afterUUIDs: [uploadID], type: Self.recordType, uuid: recordID),
                    in: db
                )
                try Entry(photo: name, upload: "\(uploadID)", record: "\(recordID)").insert(db)
            }
            print("\(name): taken")
        }
    }

    /// The record of a photo. It has the ID that the server gives when the photo is uploaded.
    private func record(
        of name: String,
        uploadedBy upload: TransferUUID,
        _ uuid: TransferUUID
    ) throws -> RequestSpecification {
        var record = try RequestSpecification(
            method: .post,
            url: HTTPURL(parsing: "\(server)/records"),
            body: StoredBody(JSONEncoder().encode(["photo": "{photo-id}", "name": name])),
            key: IdempotencyKey(value: "\"\(uuid)\"")
        )
        record.exchange.headers = [HeaderField(name: "Content-Type", value: "application/json")]
        try record.insert("photo-id", from: upload, at: "/id")
        return record
    }

    /// Notes what has become of a record. It may be called twice for one.
    func note(_ record: Transfer) async throws {
        let outcome =
            switch record.state {
            case .completed: "done"
            case .failed(let failure): failure.message
            default: "cancelled"
            }
        try await database.write { db in
            let entry = try Entry.filter(Column("record") == "\(record.uuid)").fetchOne(db)
            guard var entry, entry.outcome == nil else { return }
            entry.outcome = outcome
            try entry.update(db)
            print("\(entry.photo): \(outcome)")
        }
    }

    /// Returns when the outcome of each photo is known.
    func waitForOutcomes() async throws {
        let open = ValueObservation.tracking { try Entry.filter(Column("outcome") == nil).fetchCount($0) }
        for try await count in open.values(in: database) where count == 0 { return }
    }
}
