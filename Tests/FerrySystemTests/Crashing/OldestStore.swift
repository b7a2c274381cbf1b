import Foundation

/// A store as the first Ferry that had one left it: what every later Ferry must open without losing a row.
///
/// Never changed: it is what somebody may have.
enum OldestStore {
    /// The numbers of its transfers.
    static let numbers: Set<Int> = [7, 9]

    /// Makes it in the data directory of `harbour`.
    static func make(in harbour: Harbour) async throws {
        let script = harbour.root + "/oldest.sql"
        try sql.write(toFile: script, atomically: true, encoding: .utf8)
        try FileManager.default.createDirectory(
            atPath: harbour.data,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let code = """
            import sqlite3, sys
            store = sqlite3.connect(sys.argv[1])
            store.execute("PRAGMA journal_mode = WAL")
            store.executescript(open(sys.argv[2]).read())
            store.commit()
            store.close()
            """
        let made = try await harbour.launch(
            executable: try Tool.python.requiredPath(),
            ["-c", code, harbour.data + "/ferry.sqlite", script]
        ).outcome()
        guard made.status == 0 else { throw Overdue(what: "a store", after: .zero, said: made.errors) }
        chmod(harbour.data + "/ferry.sqlite", 0o600)
    }

    private static let sql = """
        PRAGMA application_id = 0x46657279;
        CREATE TABLE attempt (
            transfer INTEGER NOT NULL REFERENCES transfer (id) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            ended INTEGER NOT NULL,
            failure TEXT NOT NULL,
            received INTEGER NOT NULL,
            PRIMARY KEY (transfer, number)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
        INSERT INTO "grdb_migrations" VALUES('1 transfers');
        CREATE TABLE owner (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            pid INTEGER NOT NULL,
            start_time INTEGER NOT NULL,
            boot TEXT NOT NULL,
            joined INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE transfer (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            kind TEXT NOT NULL,
            queue TEXT NOT NULL,
            priority INTEGER NOT NULL,
            host TEXT NOT NULL,
            url TEXT NOT NULL,
            directory TEXT,
            name TEXT,
            stream TEXT,
            options TEXT,
            identity TEXT NOT NULL,
            state TEXT NOT NULL CHECK (state IN
                ('queued', 'active', 'waiting', 'paused', 'completed', 'failed', 'cancelled')),
            condition TEXT CHECK ((condition IS NULL) = (state <> 'waiting')),
            wake_at INTEGER CHECK (wake_at IS NULL OR state = 'waiting'),
            needed INTEGER,
            failure TEXT CHECK ((failure IS NULL) = (state <> 'failed')),
            runnable INTEGER NOT NULL,
            owner INTEGER REFERENCES owner (id) CHECK (owner IS NOT NULL OR state <> 'active'),
            token INTEGER NOT NULL DEFAULT 0,
            attempts INTEGER NOT NULL DEFAULT 0,
            wish TEXT,
            latest_failure TEXT,
            note TEXT,
            checkpoint TEXT,
            segments BLOB,
            added INTEGER NOT NULL,
            updated INTEGER NOT NULL,
            finished INTEGER
        ) STRICT;
        INSERT INTO transfer (id, kind, queue, priority, host, url, directory, name, identity, state, runnable, token,
            attempts, checkpoint, segments, added, updated, finished)
        VALUES (7, 'download', 'default', 0, 'old.example', 'http://old.example/a.bin', '/old', 'a.bin',
            'http://old.example/a.bin' || char(10) || 'file' || char(10) || '/old' || char(10) || 'a.bin',
            'completed', 0, 2, 1,
            '{"bestReceived":1200000,"name":"a.bin","part":{"boot":"b","identity":{"device":1,"inode":2},'
                || '"name":"a.bin.part"},"phase":"publishing","validator":{}}',
            X'0101809F49809F49809F49', 1700000000000, 1700000001000, 1700000001000);
        INSERT INTO transfer (id, kind, queue, priority, host, url, directory, identity, state, runnable, added, updated)
        VALUES (9, 'download', 'default', 0, 'old.example', 'http://old.example/b.bin', '/old',
            'http://old.example/b.bin' || char(10) || 'file' || char(10) || '/old' || char(10),
            'paused', 0, 1700000000000, 1700000001000);
        CREATE UNIQUE INDEX transfer_identity ON transfer (identity)
            WHERE state NOT IN ('completed', 'cancelled');
        CREATE INDEX transfer_completed ON transfer (identity, id) WHERE state = 'completed';
        CREATE INDEX transfer_runnable ON transfer (owner, priority DESC, id) WHERE runnable = 1;
        CREATE INDEX transfer_wake ON transfer (runnable, wake_at) WHERE wake_at IS NOT NULL;
        CREATE INDEX transfer_owner ON transfer (owner) WHERE owner IS NOT NULL;
        CREATE INDEX transfer_state ON transfer (state, id);
        INSERT INTO "sqlite_sequence" VALUES('owner',1);
        UPDATE sqlite_sequence SET seq = 9 WHERE name = 'transfer';
        """
}
