/// What the sixth migration adds: time windows.
extension StoreSchema {
    static let windows = """
        -- When it may run, which is in the options as well; NULL for at any time.
        ALTER TABLE transfer ADD COLUMN time_window TEXT;
        -- What could run and has a window, so that all of those are found that have the same one when it closes.
        CREATE INDEX transfer_window ON transfer (time_window, queue, owner, host, state)
            WHERE runnable = 1 AND time_window IS NOT NULL;
        -- The waits that end by themselves, earliest first; apart by whether a claim has seen them end, and by what they
        -- wait for, since a great many may wait for a window that is far off.
        DROP INDEX transfer_wake;
        CREATE INDEX transfer_wake ON transfer (runnable, condition, wake_at) WHERE wake_at IS NOT NULL
        """
}
