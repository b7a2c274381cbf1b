/// Data that belongs to one transfer and is read only on request, or when the transfer runs.
extension StoreSchema {
    /// The progress of each transfer, which an attempt writes often. A transfer that has not begun has no row.
    static let progress = """
        CREATE TABLE progress (
            transfer INTEGER PRIMARY KEY,
            -- The progress of a request without the body of its response, or the small parts of the progress of a
            -- download, as JSON; NULL while nothing is known.
            details TEXT,
            -- The segment map in its compact form; NULL while nothing is known.
            segments BLOB,
            -- The body of the response; NULL if it is empty.
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

    /// The ends of transfers with a type that no handler has handled yet.
    static let results = """
        CREATE TABLE result (
            transfer INTEGER PRIMARY KEY REFERENCES work (id) ON DELETE CASCADE,
            -- As in `work`.
            type TEXT NOT NULL,
            -- When the transfer ended, which tells this end from a later one.
            ended INTEGER NOT NULL,
            -- The owner whose handler has it in hand; NULL if no owner does.
            owner INTEGER,
            -- Number of times that a handler has thrown.
            failures INTEGER NOT NULL DEFAULT 0,
            -- When it is handed out at the earliest; 0 for at once.
            due INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        -- Those to hand out, by type.
        CREATE INDEX result_due ON result (type, due, transfer) WHERE owner IS NULL;
        -- Those of one owner, for when it stops or dies.
        CREATE INDEX result_owner ON result (owner) WHERE owner IS NOT NULL
        """

    /// The failed attempts, for `show`. Up to the latest 100 of each transfer are kept.
    static let attempts = """
        CREATE TABLE attempt (
            transfer INTEGER NOT NULL REFERENCES work (id) ON DELETE CASCADE,
            -- Counts from 1 within the transfer.
            number INTEGER NOT NULL,
            -- When it started and ended.
            started INTEGER NOT NULL,
            ended INTEGER NOT NULL,
            -- How it ended, as JSON.
            failure TEXT NOT NULL,
            -- The bytes that the transfer had when it ended.
            received INTEGER NOT NULL,
            PRIMARY KEY (transfer, number)
        ) STRICT, WITHOUT ROWID
        """

    /// What each transfer still waits for. A row is deleted when that transfer completes.
    static let dependencies = """
        CREATE TABLE dependency (
            -- The transfer that waits.
            transfer INTEGER NOT NULL REFERENCES work (id) ON DELETE CASCADE,
            -- The transfer that it waits for. If that one was forgotten, it will never complete: no number is used twice.
            needs INTEGER NOT NULL,
            PRIMARY KEY (transfer, needs)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX dependency_needs ON dependency (needs, transfer)
        """
}
