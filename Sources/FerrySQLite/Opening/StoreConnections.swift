import FerryCore
import Foundation
import GRDB

/// The connections of one open store: one that writes, one that reads, and one that notices what others write.
///
/// Each has a serial queue of its own, on which it may block.
struct StoreConnections: Sendable {
    /// How long a connection waits for a foreign program that keeps the database locked.
    static let busyTimeoutMilliseconds = 10_000

    /// Writes, under the write lock.
    let writer: DatabaseQueue
    /// Reads, and never waits for a writer.
    let reader: DatabaseQueue
    /// Only asks whether something has changed, so that no long read delays it.
    let watcher: DatabaseQueue
    /// Notices a newer Ferry.
    let schema: SchemaWatch
    /// What was wrong with the derived tables and is right now, in words.
    let mended: [String]

    /// Opens the connections. Called under the write lock: the first connection to a database whose last user
    /// died recovers its log.
    init(_ files: StoreFiles) throws {
        writer = try DatabaseQueue(path: files.database, configuration: Self.writing)
        try writer.inDatabase { db in
            let mode = try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
            guard mode == "wal" else {
                throw StoreError.unavailable(
                    path: files.database,
                    "its file system has no shared memory for SQLite"
                )
            }
        }
        try writer.read { try StoreSchema.requireKnown($0, path: files.database) }
        if try !writer.read({ try StoreSchema.migrator.hasCompletedMigrations($0) }) {
            try StoreSchema.migrator.migrate(writer)
        }
        schema = try writer.read { try SchemaWatch($0, path: files.database) }
        mended = try Self.mend(writer)
        reader = try DatabaseQueue(path: files.database, configuration: Self.reading)
        watcher = try DatabaseQueue(path: files.database, configuration: Self.reading)
        for connection in [reader, watcher] { try connection.read { try StoreSchema.probe($0) } }
    }

    /// Closes the connections, the writing one last. Called under the write lock: the last connection to a
    /// database copies the log into it and removes the log.
    func close() throws {
        try watcher.close()
        try reader.close()
        try writer.close()
    }

    /// Makes the derived tables anew when they seem to be wrong.
    private static func mend(_ writer: DatabaseQueue) throws -> [String] {
        do {
            if try writer.read({ try DerivedTables(db: $0).seemRight() }) { return [] }
            return try writer.write { try DerivedTables(db: $0).mend() }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            // Who meets the damage is told of it. What is whole can still be had.
            return []
        }
    }

    /// How the writing connection is set up. What it deletes is overwritten: it may be a secret.
    static var writing: Configuration {
        var configuration = Configuration()
        configuration.label = "ferry.store.writer"
        configuration.busyMode = .timeout(Double(busyTimeoutMilliseconds) / 1000)
        configuration.prepareDatabase { db in
            try db.execute(
                sql: """
                    PRAGMA wal_autocheckpoint = 0;
                    PRAGMA secure_delete = ON;
                    PRAGMA cache_size = -8192;
                    PRAGMA synchronous = FULL
                    """
            )
        }
        return configuration
    }

    /// How a reading connection is set up.
    static var reading: Configuration {
        var configuration = Configuration()
        configuration.label = "ferry.store.reader"
        configuration.readonly = true
        configuration.busyMode = .timeout(Double(busyTimeoutMilliseconds) / 1000)
        return configuration
    }
}
