import FerryCore
import GRDB
import Synchronization

/// Detects that a newer Ferry has changed the tables of an open store.
///
/// SQLite counts schema changes. The check reads that number inside a transaction, and a migration takes the
/// write lock like every transaction. So Ferry never writes to tables that it does not know.
final class SchemaWatch: Sendable {
    private let path: String
    private let version: Mutex<Int64>

    /// Treats the current schema as the known one.
    init(_ db: Database, path: String) throws {
        self.path = path
        version = Mutex(try Self.version(db))
    }

    /// Checks that the schema is still known.
    ///
    /// - Throws: ``StoreError/newer(path:)`` once a newer Ferry has changed the schema, and on every later
    ///   call.
    func check(_ db: Database) throws {
        let latest = try Self.version(db)
        guard version.withLock({ $0 != latest }) else { return }
        try StoreSchema.requireKnown(db, path: path)
        // A tool such as VACUUM changes the number too.
        version.withLock { $0 = latest }
    }

    private static func version(_ db: Database) throws -> Int64 {
        // Read in each transaction.
        try BareStatement("PRAGMA schema_version", on: db).integer() ?? 0
    }
}
