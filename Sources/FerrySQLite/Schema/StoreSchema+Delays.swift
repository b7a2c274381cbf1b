/// What the eighth migration adds: waits that a clock which went back would make longer.
extension StoreSchema {
    static let delays = """
        -- The waits that end by themselves, by when they were noted: none of them lies ahead unless the clock went back.
        CREATE INDEX transfer_noted ON transfer (runnable, condition, updated) WHERE wake_at IS NOT NULL
        """
}
