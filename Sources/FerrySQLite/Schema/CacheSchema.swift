/// The pools of the managed cache.
enum CacheSchema {
    /// The pools that were ever changed; any other is as `CacheSettings` creates it.
    static let pools = """
        CREATE TABLE pool (
            name TEXT PRIMARY KEY,
            -- The absolute path of its directory; NULL for the usual one.
            directory TEXT,
            -- Maximum bytes of entries that may be evicted; NULL for no limit.
            max_bytes INTEGER,
            -- After which time without a use an entry may be evicted, in milliseconds; NULL for no limit.
            max_age INTEGER,
            -- How long entries are served without asking, in milliseconds; NULL for always.
            fresh_for INTEGER
        ) STRICT, WITHOUT ROWID
        """

    /// The entries of all pools.
    static let entries = """
        CREATE TABLE entry (
            -- Never used twice: a process may act on an entry that another one has deleted meanwhile.
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            pool TEXT NOT NULL,
            -- The name of its file: the SHA-256 digest of its key.
            name TEXT NOT NULL,
            -- What a person is shown for its key, without secrets.
            label TEXT NOT NULL,
            -- The application's label for what it is.
            kind TEXT,
            mode TEXT NOT NULL,
            -- How long it is fresh: 0 as its pool says, a positive number of milliseconds, or a negative number for always.
            expiry INTEGER NOT NULL,
            -- When it was last used.
            used INTEGER NOT NULL,
            -- When it was downloaded or last confirmed.
            checked INTEGER NOT NULL,
            -- 'expected', 'absent' or 'file'.
            content TEXT NOT NULL,
            -- 1 if it is to be deleted.
            is_leaving INTEGER NOT NULL,
            -- The transfer that brings it or its next version.
            transfer INTEGER,
            -- The length of its file, and the number of its inode (the bits of an unsigned number).
            bytes INTEGER NOT NULL,
            inode INTEGER,
            -- Its file and the version that it has, as JSON.
            version TEXT,
            -- The file that is about to take the place of its own, as JSON.
            coming TEXT,
            -- The transfer that it waits for, and what becomes of it when that has completed: 'cached' or 'removed'.
            awaited INTEGER,
            fate TEXT
        ) STRICT;
        CREATE UNIQUE INDEX entry_name ON entry (pool, name);
        -- What may be evicted, the least recently used first.
        CREATE INDEX entry_use ON entry (pool, used, id)
            WHERE mode = 'cached' AND content <> 'expected' AND is_leaving = 0 AND transfer IS NULL;
        -- The sizes of a pool.
        CREATE INDEX entry_size ON entry (pool, mode, bytes) WHERE content <> 'expected' AND is_leaving = 0;
        CREATE INDEX entry_leaving ON entry (id) WHERE is_leaving = 1;
        CREATE INDEX entry_expected ON entry (pool) WHERE transfer IS NOT NULL OR content = 'expected';
        CREATE INDEX entry_awaited ON entry (awaited) WHERE awaited IS NOT NULL;
        CREATE INDEX entry_inode ON entry (inode) WHERE inode IS NOT NULL
        """

    /// What owners retain.
    static let retains = """
        CREATE TABLE retain (
            entry INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
            owner INTEGER NOT NULL,
            count INTEGER NOT NULL,
            PRIMARY KEY (entry, owner)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX retain_owner ON retain (owner)
        """

    /// The nodes of trees whose downloads have brought entries.
    static let nodes = """
        CREATE TABLE node_entry (
            node INTEGER NOT NULL,
            entry INTEGER NOT NULL,
            PRIMARY KEY (node, entry)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX node_entry_entry ON node_entry (entry)
        """
}
