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
