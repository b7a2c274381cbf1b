import GRDB

/// The tables of a store, and how a store of an older Ferry becomes one of this Ferry.
///
/// Times are milliseconds since the Unix epoch. Names are the words that the tool and the code use. A migration that has shipped
/// is never changed; the next one is added below it. Each has to change a table or an index, by which a Ferry that runs
/// meanwhile notices it (`SchemaWatch`).
enum StoreSchema {
    /// Marks an SQLite file as a store of Ferry's: "Fery" in ASCII, at offset 68 of the header.
    static let applicationID: Int32 = 0x4665_7279

    /// Every migration, in order.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration(first, foreignKeyChecks: .immediate) { db in
            try db.execute(sql: owners)
            try db.execute(sql: transfers)
            try db.execute(sql: transferIndexes)
            try db.execute(sql: attempts)
        }
        migrator.registerMigration(second, foreignKeyChecks: .immediate) { db in
            try db.execute(sql: servers)
        }
        migrator.registerMigration(third, foreignKeyChecks: .immediate) { db in
            for statements in [queues, lines, heads] { try db.execute(sql: statements) }
        }
        migrator.registerMigration(fourth, foreignKeyChecks: .immediate) { db in
            try db.execute(sql: dependencies)
        }
        migrator.registerMigration(fifth, foreignKeyChecks: .immediate) { db in
            for statements in [tallies, scaleIndexes] { try db.execute(sql: statements) }
        }
        migrator.registerMigration(sixth, foreignKeyChecks: .immediate) { db in
            try db.execute(sql: windows)
        }
        migrator.registerMigration(seventh, foreignKeyChecks: .immediate) { db in
            try db.execute(sql: mending)
        }
        migrator.registerMigration(eighth, foreignKeyChecks: .immediate) { db in
            try db.execute(sql: delays)
        }
        migrator.registerMigration(ninth, foreignKeyChecks: .immediate) { db in
            try db.execute(sql: sharing)
        }
        migrator.registerMigration(tenth, foreignKeyChecks: .immediate) { db in
            try db.execute(sql: seats)
        }
        migrator.registerMigration(identities, foreignKeyChecks: .immediate) { db in
            try digestIdentities(db)
        }
        migrator.registerMigration(twelfth, foreignKeyChecks: .immediate) { db in
            try db.execute(sql: suspects)
        }
        return migrator
    }

    /// The names of the states that a transfer may be in.
    static let states = ["queued", "active", "waiting", "paused", "completed", "failed", "cancelled"]

    /// The first schema. Every store has it.
    private static let first = "1 transfers"

    /// Whether the tables can be read that the store should have by now; the statements fail when they cannot.
    static func probe(_ db: Database) throws {
        for table in ["owner", "transfer", "attempt"] { try read(table, of: db) }
        // A store of an older Ferry gets it when it is opened.
        let applied = try migrator.appliedIdentifiers(db)
        if applied.contains(second) { try read("server", of: db) }
        if applied.contains(third) { for table in ["queue", "turn", "head"] { try read(table, of: db) } }
        if applied.contains(fourth) { try read("dependency", of: db) }
        if applied.contains(fifth) { try read("tally", of: db) }
        if applied.contains(sixth) {
            _ = try Row.fetchOne(db, sql: "SELECT time_window FROM transfer LIMIT 1")
        }
    }

    private static func read(_ table: String, of db: Database) throws {
        _ = try Int.fetchOne(db, sql: "SELECT 1 FROM \(table) LIMIT 1")
    }

    private static let second = "2 servers"

    private static let third = "3 queues"

    private static let fourth = "4 dependencies"

    private static let fifth = "5 scale"

    private static let sixth = "6 windows"

    private static let seventh = "7 mending"

    private static let eighth = "8 delays"

    private static let ninth = "9 sharing"
    private static let tenth = "10 seats"

    private static let identities = "11 identities"

    private static let twelfth = "12 suspects"

    /// The processes that run transfers. A row lives from `join` to `remove`.
    private static let owners = """
        CREATE TABLE owner (
            -- Never used twice, so that an old claim cannot be mistaken for a new owner's.
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            -- The process number, which the kernel hands out again:
            pid INTEGER NOT NULL,
            -- so the start time, in the kernel's unit (the bits of an unsigned number), tells two apart,
            start_time INTEGER NOT NULL,
            -- and the boot tells whether either can still be there.
            boot TEXT NOT NULL,
            -- When it joined.
            joined INTEGER NOT NULL
        ) STRICT
        """

    /// The transfers. What is searched, ordered, counted or fenced by has a column; the rest is JSON.
    private static let transfers = """
        CREATE TABLE transfer (
            -- Handed out in the order of adding; AUTOINCREMENT keeps a forgotten number from coming back.
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            -- What it does: 'download'.
            kind TEXT NOT NULL,
            -- The named line that it stands in.
            queue TEXT NOT NULL,
            -- Higher runs first.
            priority INTEGER NOT NULL,
            -- The host of the URL's origin, for limits per host.
            host TEXT NOT NULL,
            -- The whole URL, secrets included: it is why the file is 0600.
            url TEXT NOT NULL,
            -- The destination: a directory and perhaps a name in it,
            directory TEXT,
            name TEXT,
            -- or a stream, in which case there is no directory.
            stream TEXT,
            -- The options of the specification, as JSON; NULL for the plain ones that RowCodec spells out.
            options TEXT,
            -- A digest of URL and destination; see transfer_identity.
            identity TEXT NOT NULL,
            -- The state by its name.
            state TEXT NOT NULL CHECK (state IN
                ('queued', 'active', 'waiting', 'paused', 'completed', 'failed', 'cancelled')),
            -- What a waiting one waits for, by its name,
            condition TEXT CHECK ((condition IS NULL) = (state <> 'waiting')),
            -- when that ends by itself,
            wake_at INTEGER CHECK (wake_at IS NULL OR state = 'waiting'),
            -- and how many bytes must be free for 'diskSpace'.
            needed INTEGER,
            -- Why a failed one failed, as JSON.
            failure TEXT CHECK ((failure IS NULL) = (state <> 'failed')),
            -- 1 when a claim may take it: queued, or waiting and seen by a claim to be due. It lets one index
            -- give the next to run, however many wait; whether it is still due is asked again.
            runnable INTEGER NOT NULL,
            -- Who holds it. An active one always has an owner (I4).
            owner INTEGER REFERENCES owner (id) CHECK (owner IS NOT NULL OR state <> 'active'),
            -- The latest token that was given out; grows with every change of hands and is never taken back.
            token INTEGER NOT NULL DEFAULT 0,
            -- Attempts that have begun, as the transfer counts them.
            attempts INTEGER NOT NULL DEFAULT 0,
            -- What its owner has been asked for and has not yet done, by its name.
            wish TEXT,
            -- How the latest attempt failed, as JSON.
            latest_failure TEXT,
            -- The explanation of the latest resumption or restart.
            note TEXT,
            -- The small parts of the checkpoint, as JSON; NULL for one of which nothing is known yet.
            checkpoint TEXT,
            -- The segment map in its compact form; NULL for one of which nothing is known yet.
            segments BLOB,
            -- When it was added, when its row last changed, and when it became final.
            added INTEGER NOT NULL,
            updated INTEGER NOT NULL,
            finished INTEGER
        ) STRICT
        """

    private static let transferIndexes = """
        -- No two transfers that can still run are the same one. Those that are over do not count, so that a
        -- file can be fetched again.
        CREATE UNIQUE INDEX transfer_identity ON transfer (identity)
            WHERE state NOT IN ('completed', 'cancelled');
        -- What was fetched before, so that the same line again need not fetch it once more.
        CREATE INDEX transfer_completed ON transfer (identity, id) WHERE state = 'completed';
        -- The next to claim, among the free ones and among those that the claiming owner holds: what somebody
        -- else holds is never stepped over.
        CREATE INDEX transfer_runnable ON transfer (owner, priority DESC, id) WHERE runnable = 1;
        -- The waits that end by themselves, earliest first; apart by whether a claim has seen them end.
        CREATE INDEX transfer_wake ON transfer (runnable, wake_at) WHERE wake_at IS NOT NULL;
        -- What an owner that has stopped or died leaves behind.
        CREATE INDEX transfer_owner ON transfer (owner) WHERE owner IS NOT NULL;
        -- Counting and listing by state.
        CREATE INDEX transfer_state ON transfer (state, id)
        """

    /// The attempts that failed, for `show`. At most the latest 100 of each transfer stay.
    private static let attempts = """
        CREATE TABLE attempt (
            transfer INTEGER NOT NULL REFERENCES transfer (id) ON DELETE CASCADE,
            -- Counts up from 1 within the transfer.
            number INTEGER NOT NULL,
            -- When it ended.
            ended INTEGER NOT NULL,
            -- How it ended, as JSON.
            failure TEXT NOT NULL,
            -- How many bytes the transfer had by then.
            received INTEGER NOT NULL,
            PRIMARY KEY (transfer, number)
        ) STRICT, WITHOUT ROWID
        """

    /// What servers have been found to do, whichever transfer found it out.
    private static let servers = """
        CREATE TABLE server (
            -- Scheme, host and port.
            origin TEXT PRIMARY KEY,
            -- What it does, as JSON.
            traits TEXT NOT NULL,
            -- When that was found; what is too old is forgotten.
            found INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX server_found ON server (found)
        """
}
