/// The processes that run transfers, and the servers that they talk to.
extension StoreSchema {
    /// A row lives from `join` to `remove`.
    static let owners = """
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
            joined INTEGER NOT NULL,
            -- The PID namespace that the process number is of; 0 when it is not known.
            namespace INTEGER NOT NULL DEFAULT 0,
            -- The file of locks in which it holds a seat (the bits of an unsigned number), and the byte that it has locked
            -- there; NULL where the file system has no such locks.
            lock_file INTEGER,
            seat INTEGER
        ) STRICT
        """

    /// The traits of servers, no matter which transfer found them.
    static let servers = """
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
