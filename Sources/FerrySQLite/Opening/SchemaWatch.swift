import FerryCore
import GRDB
import Synchronization

/// Notices that a newer Ferry has changed the tables of a store that is open.
///
/// SQLite counts the changes of a schema. As that number is asked for inside a transaction, and a migration takes the
/// write lock as every transaction does, nothing is written to tables that are not those that this Ferry knows.
final class SchemaWatch: Sendable {
    private let path: String
    private let version: Mutex<Int64>

    /// Takes the schema as it is now for the one that is known.
    init(_ db: Database, path: String) throws {
        self.path = path
        version = Mutex(try Self.version(db))
    }

    /// Looks whether the schema is still known.
    ///
    /// - Throws: ``StoreError/newer(path:)``, now and at every later time, when a newer Ferry has changed it.
    func check(_ db: Database) throws {
        let latest = try Self.version(db)
        guard version.withLock({ $0 != latest }) else { return }
        try StoreSchema.requireKnown(db, path: path)
        // A program that tidies up changes the number as well.
        version.withLock { $0 = latest }
    }

    private static func version(_ db: Database) throws -> Int64 {
        try Int64.fetchOne(db.cachedStatement(sql: "PRAGMA schema_version")) ?? 0
    }
}
