import Ferry
import FerryOutbox
import GRDB

/// The samples of the article about the outbox and of its symbols.
enum OutboxSamples {
    static func createTable(in database: DatabasePool) throws -> Outbox {
        let outbox = Outbox()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("purchases") { db in
            try db.execute(sql: "CREATE TABLE purchase (item INTEGER NOT NULL)")
            try outbox.createTable(in: db)
        }
        try migrator.migrate(database)
        return outbox
    }

    static func add(
        _ order: RequestSpecification,
        to outbox: Outbox,
        in database: DatabasePool
    ) async throws -> TransferUUID {
        let uuid = try await database.write { db in
            try db.execute(sql: "INSERT INTO purchase (item) VALUES (?)", arguments: [17])
            return try outbox.add(NewTransfer(order, tag: TransferTag("orders")), in: db)
        }
        return uuid
    }

    static func run(_ engine: TransferEngine, _ database: DatabasePool) async throws {
        let drain = OutboxDrain(from: database, into: engine)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await engine.run() }
            group.addTask { try await drain.run() }
            try await group.waitForAll()
        }
    }

    static func chain(
        _ photo: RequestSpecification,
        _ record: RequestSpecification,
        in outbox: Outbox,
        _ database: DatabasePool
    ) async throws {
        try await database.write { db in
            let upload = try outbox.add(NewTransfer(photo), in: db)
            try outbox.add(NewTransfer(record, afterUUIDs: [upload]), in: db)
        }
    }
}
