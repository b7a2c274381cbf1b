/// Data that belongs to one transfer and is read only on request, or when the transfer runs.
extension StoreSchema {
    /// The progress of each transfer, which an attempt writes often. A transfer that has not begun has no row.
    static let progress = """
        CREATE TABLE progress (
            transfer INTEGER PRIMARY KEY,
            -- The progress of a request without the body of the response, or the small parts of that of a download, as JSON; NULL where nothing is known yet.
            details TEXT,
            -- The segment map in its compact form; NULL for one of which nothing is known yet.
            segments BLOB,
            -- The body of the response; NULL for an empty one.
            response_body BLOB
        ) STRICT
        """

    /// The application's payload. It may be large, and is not rewritten when the transfer changes.
    static let payloads = """
        CREATE TABLE payload (
            transfer INTEGER PRIMARY KEY REFERENCES work (id) ON DELETE CASCADE,
            bytes BLOB NOT NULL
        ) STRICT
        """

    /// The failed attempts, for `show`. Up to the latest 100 of each transfer are kept.
    static let attempts = """
        CREATE TABLE attempt (
            transfer INTEGER NOT NULL REFERENCES work (id) ON DELETE CASCADE,
            -- Counts up from 1 within the transfer.
            number INTEGER NOT NULL,
            -- When it started, and when it ended.
            started INTEGER NOT NULL,
            ended INTEGER NOT NULL,
            -- How it ended, as JSON.
            failure TEXT NOT NULL,
            -- How many bytes the transfer had by then.
            received INTEGER NOT NULL,
            PRIMARY KEY (transfer, number)
        ) STRICT, WITHOUT ROWID
        """

    /// What each transfer still waits for. A row is deleted when that transfer completes.
    static let dependencies = """
        CREATE TABLE dependency (
            -- The one that waits
            transfer INTEGER NOT NULL REFERENCES work (id) ON DELETE CASCADE,
            -- for this one. It may have been forgotten, in which case it will never be completed: its number is not used
            -- again.
            needs INTEGER NOT NULL,
            PRIMARY KEY (transfer, needs)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX dependency_needs ON dependency (needs, transfer)
        """
}
