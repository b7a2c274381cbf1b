/// What the twelfth migration adds: transfers that may be what kills the processes that run them.
extension StoreSchema {
    static let suspects = """
        -- How many attempts in a row ended with the death of their process, as the checkpoint says as well.
        ALTER TABLE transfer ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;
        -- Those that are run alone. There are few of them.
        CREATE INDEX transfer_suspect ON transfer (id) WHERE deaths >= 2 AND runnable = 1
        """
}
