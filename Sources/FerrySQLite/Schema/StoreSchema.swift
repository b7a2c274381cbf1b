import FerryCore
import GRDB

/// The tables of a store.
///
/// Times are milliseconds since the Unix epoch. Names are the words of the tool and the code. A released
/// schema never changes. Instead a new migration is added below it. Each migration changes at least one table
/// or index, so that a running Ferry detects it (`SchemaWatch`).
enum StoreSchema {
    /// Marks an SQLite file as a Ferry store: "Fery" in ASCII, at offset 68 of the header.
    static let applicationID: Int32 = 0x4665_7279

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

    private static let first = "store 6"

    /// The migrations of stores that were made before Ferry's first release.
    private static let unreleased: Set = [
        "1 transfers", "store 1", "store 2", "store 3", "store 4", "store 5",
    ]

    /// Throws for a store whose tables this Ferry does not know.
    ///
    /// - Throws: ``StoreError/newer(path:)`` or ``StoreError/unreleased(path:)``.
    static func requireKnown(_ db: Database, path: String) throws {
        if try !migrator.appliedIdentifiers(db).isDisjoint(with: unreleased) {
            throw StoreError.unreleased(path: path)
        }
        if try migrator.hasBeenSuperseded(db) { throw StoreError.newer(path: path) }
    }

    /// Checks that the tables of every store can be read; throws when they cannot.
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
