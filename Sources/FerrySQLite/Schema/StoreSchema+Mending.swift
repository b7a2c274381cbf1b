/// What the seventh migration changes: what is derived from the transfers is made anew.
///
/// A Ferry that does not know of `head` and `tally` goes on without them when a newer one adds them while it runs; from
/// this one on it stops, see `SchemaWatch`.
extension StoreSchema {
    /// Without a check of the number: it cannot make a wrong count right, but keeps every transaction from being written.
    static let mending = """
        DROP TABLE tally;
        CREATE TABLE tally (
            state TEXT PRIMARY KEY,
            count INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        INSERT INTO tally (state, count) SELECT state, count(*) FROM transfer GROUP BY state;
        DELETE FROM head;
        INSERT INTO head (queue, owner, host, place, transfer)
            SELECT queue, ifnull(owner, 0), host, place, id FROM (
                SELECT queue, owner, host, place, id,
                    row_number() OVER (PARTITION BY queue, owner, host ORDER BY place, id) AS position
                FROM transfer WHERE runnable = 1
            ) WHERE position = 1
        """
}
