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
                owners, work, numbers, transfers, transferIndexes, ended, progress, payloads, results,
                attempts, dependencies, queues, turns, heads, tallies, servers,
                TreeSchema.trees, TreeSchema.nodes, TreeSchema.marks, TreeSchema.nodeTransfers,
            ] {
                try db.execute(sql: statements)
            }
        }
        migrator.registerMigration(cache, foreignKeyChecks: .immediate) { db in
            for statements in [CacheSchema.pools, CacheSchema.entries, CacheSchema.retains] {
                try db.execute(sql: statements)
            }
        }
        migrator.registerMigration(failures, foreignKeyChecks: .immediate) { db in
            try db.execute(sql: emptyFailures)
        }
        migrator.registerMigration(named, foreignKeyChecks: .immediate) { db in
            try db.execute(sql: namedQueues)
        }
        migrator.registerMigration(entryNodes, foreignKeyChecks: .immediate) { db in
            try db.execute(sql: CacheSchema.nodes)
        }
        return migrator
    }

    /// Adds the pools to a store that has none.
    private static let cache = "cache 1"

    /// Adds the index of failed transfers without a byte to a store that has none.
    private static let failures = "failures 1"

    /// Adds the index of named queues to a store that has none.
    private static let named = "queues 1"

    /// Adds the nodes of entries to a store that has none.
    private static let entryNodes = "cache 2"

    private static let first = "store 10"

    /// The migrations of stores that were made before Ferry's first release.
    private static let unreleased: Set = [
        "1 transfers", "store 1", "store 2", "store 3", "store 4", "store 5", "store 6", "store 7",
        "store 8", "store 9",
    ]

    /// Checks that this Ferry knows the tables of a store, and can read those that every store has. Changes nothing.
    ///
    /// - Returns: whether the store has had all migrations.
    /// - Throws: as ``requireKnown(_:path:)``; ``StoreError/corrupt(path:_:)`` when a table is missing; SQLite's error when
    ///   one cannot be read.
    static func requireUsable(_ db: Database, path: String) throws -> Bool {
        do {
            let isCurrent = try requireKnown(db, path: path)
            _ = try Int.fetchOne(db, sql: probe)
            return isCurrent
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            throw StoreError.corrupt(path: path, error.message ?? "its tables are not those of a store")
        }
    }

    /// Throws for a store whose tables this Ferry does not know.
    ///
    /// - Returns: whether the store has had all migrations.
    /// - Throws: ``StoreError/newer(path:)`` or ``StoreError/unreleased(path:)``.
    @discardableResult
    static func requireKnown(_ db: Database, path: String) throws -> Bool {
        let migrator = migrator
        let applied = try migrator.appliedIdentifiers(db)
        if !applied.isDisjoint(with: unreleased) { throw StoreError.unreleased(path: path) }
        if !applied.isSubset(of: migrator.migrations) { throw StoreError.newer(path: path) }
        return migrator.migrations.allSatisfy(applied.contains)
    }

    /// The tables that every store has.
    private static let tables = [
        "owner", "work", "number", "transfer", "ended", "progress", "payload", "result", "attempt",
        "dependency", "queue", "turn", "head", "tally", "server", "tree", "node", "mark", "node_transfer",
    ]

    /// Reads each of them, in one statement: to compile many takes longer than to run them.
    private static let probe =
        "SELECT " + tables.map { "(SELECT 1 FROM \($0) LIMIT 1)" }.joined(separator: ", ")
}

/// The processes that run transfers, and the servers that they talk to.
extension StoreSchema {
    /// A row lives from `join` to `remove`.
    static let owners = """
        CREATE TABLE owner (
            -- Never used twice, so that the claim of a former owner is not taken for one of a new owner.
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            -- The process number. The kernel uses it again for later processes.
            pid INTEGER NOT NULL,
            -- When the process started, in the kernel's unit (the bits of an unsigned number). Tells it from a later
            -- process with the same number.
            start_time INTEGER NOT NULL,
            -- The boot in which the process started. No process survives its boot.
            boot TEXT NOT NULL,
            -- When it joined.
            joined INTEGER NOT NULL,
            -- The PID namespace of the process number; 0 if it is unknown.
            namespace INTEGER NOT NULL DEFAULT 0,
            -- The file of locks (the bits of an unsigned number), and the byte that the owner has locked in it; NULL if
            -- the file system has no such locks.
            lock_file INTEGER,
            seat INTEGER
        ) STRICT
        """

    /// The traits of servers, no matter which transfer found them.
    static let servers = """
        CREATE TABLE server (
            -- Scheme, host and port.
            origin TEXT PRIMARY KEY,
            -- Its traits, as JSON.
            traits TEXT NOT NULL,
            -- When they were found. Traits that are too old are forgotten.
            found INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX server_found ON server (found)
        """
}
