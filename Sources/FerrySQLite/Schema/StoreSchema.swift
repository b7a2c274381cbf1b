import FerryCore
import GRDB

/// The tables of a store.
///
/// Times are milliseconds since the Unix epoch. Names are the words that the tool and the code use. Once a schema has been
/// released it is never changed: a migration below it adds what is new, and changes a table or an index at least, by which a
/// Ferry that runs meanwhile notices it (`SchemaWatch`).
enum StoreSchema {
    /// Marks an SQLite file as a store of Ferry's: "Fery" in ASCII, at offset 68 of the header.
    static let applicationID: Int32 = 0x4665_7279

    /// The names of the states that a transfer may be in.
    static let states = ["queued", "active", "waiting", "paused", "completed", "failed", "cancelled"]

    /// Every migration, in order.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration(first, foreignKeyChecks: .immediate) { db in
            for statements in [
                owners, work, numbers, transfers, transferIndexes, ended, progress, payloads, attempts,
                dependencies,
                queues, turns, heads, tallies, servers,
            ] {
                try db.execute(sql: statements)
            }
        }
        return migrator
    }

    private static let first = "store 2"

    /// By these a store is known that was made before any Ferry was released.
    private static let unreleased: Set = ["1 transfers", "store 1"]

    /// Fails for a store whose tables are not those that this Ferry knows.
    ///
    /// - Throws: ``StoreError/newer(path:)`` or ``StoreError/unreleased(path:)``.
    static func requireKnown(_ db: Database, path: String) throws {
        if try !migrator.appliedIdentifiers(db).isDisjoint(with: unreleased) {
            throw StoreError.unreleased(path: path)
        }
        if try migrator.hasBeenSuperseded(db) { throw StoreError.newer(path: path) }
    }

    /// Whether the tables can be read that every store has; the statements fail when they cannot.
    static func probe(_ db: Database) throws {
        for table in [
            "owner", "work", "number", "transfer", "ended", "progress", "payload", "attempt", "dependency",
            "queue",
            "turn", "head", "tally", "server",
        ] {
            _ = try Int.fetchOne(db, sql: "SELECT 1 FROM \(table) LIMIT 1")
        }
    }
}
