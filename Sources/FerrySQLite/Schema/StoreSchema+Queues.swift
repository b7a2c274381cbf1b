/// The queues, and derived tables that save a claim from reading many transfers.
extension StoreSchema {
    /// The queues that were ever changed; any other is as `TransferQueue` creates it.
    static let queues = """
        CREATE TABLE queue (
            name TEXT PRIMARY KEY,
            -- How many of it run at once, 0 for no bound,
            slots INTEGER NOT NULL CHECK (slots >= 0),
            -- and what happens when it is full.
            overflow TEXT NOT NULL CHECK (overflow IN ('wait', 'cancelOldest', 'cancelOldestAlsoWaiting')),
            -- In which order its transfers run,
            line_order TEXT NOT NULL CHECK (line_order IN ('fair', 'strict')),
            -- and what a failed one of a strict queue means for those behind it;
            on_failure TEXT NOT NULL CHECK (on_failure IN ('hold', 'fail')),
            -- both as one number, which its transfers have as well: 3 for a fair queue that also cancels what waits.
            strict INTEGER GENERATED ALWAYS AS (
                CASE WHEN line_order = 'strict' THEN CASE WHEN on_failure = 'hold' THEN 1 ELSE 2 END
                    WHEN overflow = 'cancelOldestAlsoWaiting' THEN 3 ELSE 0 END
            ) VIRTUAL,
            -- How many may run to one host, 0 for no bound.
            per_host INTEGER NOT NULL CHECK (per_host >= 0),
            -- 1 when none of it may start.
            is_paused INTEGER NOT NULL,
            -- In bytes a second; NULL for no limit.
            rate_limit INTEGER,
            -- Higher is served first.
            priority INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """

    /// When competing queues were last served, in microseconds, so that they take turns.
    static let turns = """
        CREATE TABLE turn (
            queue TEXT PRIMARY KEY,
            moment INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """

    /// The first transfer of each line, so that a claim finds it without stepping over others.
    static let heads = """
        CREATE TABLE head (
            queue TEXT NOT NULL,
            -- Who holds the line; 0 when it is free.
            owner INTEGER NOT NULL,
            host TEXT NOT NULL,
            -- 1 when it runs in the background as well.
            runs_in_background INTEGER NOT NULL,
            -- The first of it: its place and its number.
            place INTEGER NOT NULL,
            transfer INTEGER NOT NULL,
            PRIMARY KEY (queue, owner, host, runs_in_background)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX head_order ON head (queue, owner, place, transfer)
        """

    /// The number of transfers in each state, updated in the same transaction as the state. The column has no CHECK: a CHECK
    /// repairs no wrong count, but makes every transaction fail.
    static let tallies = """
        CREATE TABLE tally (
            state TEXT PRIMARY KEY,
            count INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """
}
