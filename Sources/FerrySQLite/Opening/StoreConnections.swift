import Dispatch
import FerryCore
import Foundation
import GRDB
import GRDBSQLite
import Synchronization

/// The connections of one open store: a writer and a reader. A watcher that detects the writes of others is opened later
/// (``ChangeWatch``).
///
/// Each has its own serial queue, on which it may block.
struct StoreConnections: Sendable {
    /// How long a connection waits for another program that keeps the database locked.
    static let busyTimeoutMilliseconds = 10_000

    /// Writes, under the write lock.
    let writer: DatabaseQueue
    /// Reads, and never waits for a writer.
    let reader: DatabaseQueue
    /// Detects a newer Ferry.
    let schema: SchemaWatch
    /// What was wrong with the derived tables and has been repaired, in words.
    let mended: [String]

    /// Opens the connections. Called under the write lock: the first connection to a database whose last user
    /// died recovers its log.
    init(_ files: StoreFiles) throws {
        let writer = try DatabaseQueue(path: files.database, configuration: Self.writing)
        let isCurrent = try writer.inDatabase { db in
            // Nothing is changed before it is known that this Ferry can use the store.
            let isCurrent = try StoreSchema.requireUsable(db, path: files.database)
            let mode = try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
            guard mode == "wal" else {
                throw StoreError.unavailable(
                    path: files.database,
                    "its file system has no shared memory for SQLite"
                )
            }
            return isCurrent
        }
        if !isCurrent { try StoreSchema.migrator.migrate(writer) }
        schema = try writer.inDatabase { try SchemaWatch($0, path: files.database) }
        let opening = ReaderOpening(files)
        let mended = Result { try Self.mend(writer) }
        // Also after a failure: no connection may be closed when the lock is free again.
        reader = try opening.wait()
        self.writer = writer
        self.mended = try mended.get()
    }

    /// Closes the connections, the writing one last. Called under the write lock: the last connection to a
    /// database copies the log into it and removes the log.
    func close() throws {
        try reader.close()
        try writer.close()
    }

    /// Rebuilds the derived tables when they seem to be wrong.
    private static func mend(_ writer: DatabaseQueue) throws -> [String] {
        do {
            if try writer.read({ try DerivedTables(db: $0).seemRight() }) { return [] }
            return try writer.write { try DerivedTables(db: $0).mend() }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            // The caller that reads the damaged part gets the error. Everything intact stays readable.
            return []
        }
    }

    /// The configuration of the writing connection. It overwrites deleted data, which may be a secret.
    static var writing: Configuration {
        var configuration = Self.configuration("ferry.store.writer")
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

    /// The configuration of a reading connection.
    static var reading: Configuration {
        var configuration = Self.configuration("ferry.store.reader")
        configuration.readonly = true
        return configuration
    }

    /// What both connections have in common.
    private static func configuration(_ label: String) -> Configuration {
        var configuration = Configuration()
        configuration.label = label
        configuration.busyMode = .timeout(Double(busyTimeoutMilliseconds) / 1000)
        configuration.prepareDatabase { removeAuthorizer(of: $0) }
        return configuration
    }

    /// Has SQLite compile statements without asking GRDB about each table and column.
    ///
    /// GRDB learns in this way what a statement reads and changes. It needs that only for observers of transactions, for its
    /// cache of the schema, and to suspend a database. A store has none of these.
    private static func removeAuthorizer(of db: Database) {
        _ = sqlite3_set_authorizer(db.sqliteConnection, nil, nil)
    }
}

/// Opens the reading connection on a thread of its own, because reading the schema takes as long as the look at the derived
/// tables meanwhile.
private final class ReaderOpening: Sendable {
    private let queue = DispatchQueue(label: "ferry.store.reader.opening")
    private let result = Mutex<Result<DatabaseQueue, any Error>?>(nil)

    /// Begins.
    init(_ files: StoreFiles) {
        queue.async { [self] in
            let opened = Result {
                try DatabaseQueue(path: files.database, configuration: StoreConnections.reading)
            }
            result.withLock { $0 = opened }
        }
    }

    /// Waits for the connection.
    func wait() throws -> DatabaseQueue {
        queue.sync {}
        guard let result = result.withLock({ $0 }) else {
            preconditionFailure("a serial queue runs its work in order")
        }
        return try result.get()
    }
}
