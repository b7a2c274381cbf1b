/// What the fifth migration adds: what would otherwise grow with the number of transfers.
extension StoreSchema {
    /// How many transfers are in each state. Whatever changes a state changes it in the same transaction.
    static let tallies = """
        CREATE TABLE tally (
            state TEXT PRIMARY KEY,
            count INTEGER NOT NULL CHECK (count >= 0)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO tally (state, count) SELECT state, count(*) FROM transfer GROUP BY state
        """

    /// What of the transfers that are over may be forgotten: a cancelled one that still has a part file may not, since
    /// nobody would know whose that file is.
    static let isForgettable =
        "(state = 'completed' OR (state = 'cancelled' AND ifnull(instr(checkpoint, '\"part\":'), 0) = 0))"

    static let scaleIndexes = """
        -- What is over, oldest first, to be forgotten one day.
        CREATE INDEX transfer_finished ON transfer (finished, id) WHERE \(isForgettable);
        -- What waits for one condition, so that those that wait for another one are not read.
        CREATE INDEX transfer_condition ON transfer (condition, id) WHERE condition IS NOT NULL
        """
}
