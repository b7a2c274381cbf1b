/// What the fourth migration adds: the order between transfers.
extension StoreSchema {
    /// What each transfer still waits for. A row goes when that is completed.
    static let dependencies = """
        CREATE TABLE dependency (
            -- The one that waits
            transfer INTEGER NOT NULL REFERENCES transfer (id) ON DELETE CASCADE,
            -- for this one. It may have been forgotten, in which case it will never be completed: its number is not used
            -- again.
            needs INTEGER NOT NULL,
            PRIMARY KEY (transfer, needs)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX dependency_needs ON dependency (needs, transfer)
        """
}
