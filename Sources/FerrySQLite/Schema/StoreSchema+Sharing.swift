/// What the ninth migration adds: who is to run a transfer that a process holds for itself.
extension StoreSchema {
    static let sharing = """
        -- 1 when any process that runs the queue is to run it, should the one that holds it be stopped.
        ALTER TABLE transfer ADD COLUMN for_queue INTEGER NOT NULL DEFAULT 1
        """
}
