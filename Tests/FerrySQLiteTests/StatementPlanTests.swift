import FerryCore
import FerryTesting
import GRDB
import GRDBSQLite
import Synchronization
import Testing

@testable import FerrySQLite

/// Every statement that a store makes finds its rows by an index, and reads no more of it than it is asked for.
struct StatementPlanTests {
    /// By what the tables that grow with the number of transfers may be read.
    private static let bounded: Set = [
        // One row of it, or what belongs to one transfer, or to one that another one waits for.
        "transfer INTEGER PRIMARY KEY (rowid=?)", "work INTEGER PRIMARY KEY (rowid=?)",
        "ended INTEGER PRIMARY KEY (rowid=?)", "progress INTEGER PRIMARY KEY (rowid=?)",
        "transfer_state (state=? AND id=? AND rowid=?)", "work_identity (identity=?)", "work_uuid (uuid=?)",
        "ended_saved_path (saved_path=?)",
        "ended_saved_digest (saved_digest=?)",
        "attempt PRIMARY KEY (transfer=?)",
        "attempt PRIMARY KEY (transfer=? AND number<?)", "dependency PRIMARY KEY (transfer=?)",
        "dependency_needs (needs=?)",
        "head PRIMARY KEY (queue=? AND owner=? AND host=? AND runs_in_background=?)",
        // What has become due, and the windows that there are.
        "transfer_window (time_window>?)", "transfer_window",
        "transfer_deadline (not_after>? AND not_after<?)", "transfer_deadline (not_after>?)",
        "transfer_wake (runnable=? AND condition=? AND wake_at>?)",
        "transfer_wake (runnable=? AND condition=? AND wake_at>? AND wake_at<?)",
        "transfer_noted (runnable=? AND condition=? AND updated>?)",
        // The first, which ends the reading.
        "head_order", "head_order (queue>?)", "head_order (queue=?)", "transfer_owner (owner=?)",
        "transfer_owner (owner>?)", "transfer_owner",
        // As many as the queues have slots.
        "transfer_active (queue=?)", "transfer_active",
        // Downloads that failed long ago without a byte. They are forgotten, and the reading ends with the last one.
        "transfer_empty_failure (finished<?)",
        // As many as fail.
        "transfer_strict (queue=? AND place>?)",
        // Transfers that may have killed their process.
        "transfer_suspect",
        // One transfer that has a tag.
        "transfer_condition (condition=? AND id=? AND rowid=?)",
        // One node, its mark or its transfer, and whether it has a child, which ends the reading.
        "node INTEGER PRIMARY KEY (rowid=?)", "node_key (tree=? AND key=?)", "node_child (parent=?)",
        "mark PRIMARY KEY (tree=? AND node=?)", "node_transfer INTEGER PRIMARY KEY (rowid=?)",
        // One entry with its nodes and what retains it, the entries of a node, what an owner retains, and whether a pool
        // has an entry, which ends the reading.
        "entry INTEGER PRIMARY KEY (rowid=?)", "entry_name (pool=? AND name=?)",
        "node_entry PRIMARY KEY (node=?)", "node_entry_entry (entry=?)",
        "retain PRIMARY KEY (entry=?)", "retain PRIMARY KEY (entry=? AND owner=?)", "retain_owner (owner=?)",
        // As many as are being downloaded, and those that a clock has put ahead.
        "entry_expected (pool=?)", "entry_use (pool=? AND used>?)",
        // As many as wait for a transfer, and whether there are any, which ends the reading.
        "entry_awaited (awaited=?)", "entry_awaited (awaited>?)",
        // All of a pool: its size.
        "entry_size (pool=?)", "entry_size (pool=? AND mode=? AND bytes<?)", "entry_name",
        // As many as share a transfer, and whether there are any, which ends the reading.
        "node_transfer_transfer (transfer=?)", "node_transfer_transfer", "dependency_needs",
    ]

    /// By what they may be read where the statement says how many rows it takes.
    private static let paged: Set = [
        "transfer INTEGER PRIMARY KEY (rowid>?)", "transfer_condition (condition=? AND id>?)",
        "transfer_state (state=? AND id>?)", "ended_finished", "ended INTEGER PRIMARY KEY (rowid>?)",
        "ended_cancelled (id>?)",
        // The same from the newest to the oldest.
        "transfer INTEGER PRIMARY KEY (rowid<?)", "transfer_condition (condition=? AND id<?)",
        "transfer_state (state=? AND id<?)", "ended INTEGER PRIMARY KEY (rowid<?)", "ended_cancelled (id<?)",
        "work_tag (tag=? AND id<?)",
        "transfer_line (queue=? AND owner=? AND host=? AND runs_in_background=?)",
        "transfer_line (queue=? AND owner=? AND host=? AND runs_in_background=? AND place>?)",
        "head_order (queue=? AND owner=? AND (place,transfer)>(?,?))",
        "transfer_queue (queue=? AND rowid>?)", "transfer_queue (queue=? AND rowid<?)",
        // All in line, where that is few.
        "transfer_line",
        "transfer_line (queue=?)", "work", "work_tag (tag=?)", "work_tag (tag=? AND id>?)",
        "transfer_window (time_window=?)", "transfer_strict (queue=?)", "ended_residue (residue=? AND id>?)",
        "node_child (parent=? AND name>?)", "node_child (parent=? AND name=? AND rowid>?)",
        "mark PRIMARY KEY (tree=? AND node>?)",
        "entry INTEGER PRIMARY KEY (rowid>?)", "entry_use (pool=?)", "entry_leaving (id>?)", "entry_leaving",
        "entry_inode (inode=?)", "entry_inode (inode=? AND rowid>?)", "entry_name (pool=?)",
        "entry_size (pool=? AND mode=? AND bytes>?)",
    ]

    /// Those that look at all that is not over, when a queue becomes strict or fair.
    private static let whole: Set = [StoreTransaction.labelling]

    @Test func readsNoMoreOfATableThatGrowsThanItIsAskedFor() async throws {
        let directory = try StoreDirectory()
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let (made, exempt) = (StatementLog(), StatementLog())
        // What looks at everything is to look at everything.
        try await exempt.follow(store)
        _ = try await store.verify()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for behaviour in TransferStoreConformance.allCases {
                group.addTask {
                    let directory = try StoreDirectory()
                    try await TransferStoreConformance { [path = directory.path] in
                        let store = try await SQLiteTransferStore.open(directory: path)
                        try await made.follow(store)
                        return store
                    }.run(behaviour)
                }
            }
            try await group.waitForAll()
        }
        let statements = made.statements.subtracting(exempt.statements).filter { sql in
            ["SELECT", "INSERT", "UPDATE", "DELETE"].contains { sql.hasPrefix($0) }
        }
        #expect(statements.count > 50)
        for sql in statements.subtracting(Self.whole).sorted() {
            let reads = try await plan(of: sql, in: store).compactMap(Read.init)
            let allowed = sql.contains("LIMIT") ? Self.bounded.union(Self.paged) : Self.bounded
            let unbounded = reads.filter { !allowed.contains($0.bound) }
            #expect(unbounded.isEmpty, "\(unbounded) by \(sql)")
        }
        await store.close()
    }

    /// GRDB would be asked about each table and column. It would know then what a statement reads.
    @Test func compilesStatementsWithoutAskingGRDB() async throws {
        let directory = try StoreDirectory()
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        for connection in [store.connections.writer, store.connections.reader] {
            let read = try await connection.read { db in
                try db.makeStatement(sql: "SELECT id FROM transfer").databaseRegion.description
            }
            #expect(read == "empty")
        }
        await store.close()
    }

    @Test func compilesTheBeginAndTheEndOfAReadOnce() async throws {
        let directory = try StoreDirectory()
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        #expect(try await store.counts().isEmpty)
        let kept = try await store.connections.reader.unsafeRead { db in
            var texts: [String] = []
            var statement = sqlite3_next_stmt(db.sqliteConnection, nil)
            while let present = statement {
                texts.append(String(cString: sqlite3_sql(present)))
                statement = sqlite3_next_stmt(db.sqliteConnection, present)
            }
            return texts
        }
        #expect(Set(kept).isSuperset(of: ["BEGIN DEFERRED TRANSACTION", "COMMIT TRANSACTION"]), "\(kept)")
        await store.close()
    }

    private func plan(of sql: String, in store: SQLiteTransferStore) async throws -> [String] {
        try await store.connections.reader.read { db in
            let statement = try db.makeStatement(sql: "EXPLAIN QUERY PLAN " + sql)
            statement.setUncheckedArguments(StatementArguments())
            return try Row.fetchAll(statement).map { $0["detail"] as String }
        }
    }
}

/// How a statement reads a table that grows.
private struct Read: CustomStringConvertible {
    /// The index and how much of it, or the table without one.
    let bound: String
    let description: String

    /// Reads a line of a plan; `nil` for one that reads no such table.
    init?(_ line: String) {
        var words = line.split(separator: " ")
        guard words.count > 1, ["SEARCH", "SCAN"].contains(words.removeFirst()) else { return nil }
        let table = words.removeFirst()
        let aliases = ["own": "dependency", "other": "dependency", "child": "node", "above": "node"]
        let name = aliases[String(table)] ?? String(table)
        let growing: Set = [
            "transfer", "work", "ended", "progress", "attempt", "dependency", "head", "node", "mark",
            "node_transfer", "node_entry", "entry", "retain",
        ]
        guard growing.contains(name) else { return nil }
        words.removeAll { ["USING", "COVERING", "INDEX", "LEFT-JOIN"].contains($0) }
        if words.isEmpty || words.contains("PRIMARY") { words.insert(name[...], at: 0) }
        bound = words.joined(separator: " ")
        description = line
    }
}

/// The statements that the connections of stores have run.
private final class StatementLog: Sendable {
    private let noted = Mutex<Set<String>>([])

    var statements: Set<String> { noted.withLock { $0 } }

    /// Notes every statement that a store runs from now on.
    func follow(_ store: SQLiteTransferStore) async throws {
        for connection in [store.connections.writer, store.connections.reader] {
            try await connection.writeWithoutTransaction { db in
                db.trace(options: .statement) { event in
                    if case .statement(let statement) = event {
                        self.noted.withLock { _ = $0.insert(statement.sql) }
                    }
                }
            }
        }
    }
}
