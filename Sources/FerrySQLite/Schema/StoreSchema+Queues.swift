/// The queues, and derived tables that save a claim from reading many transfers.
extension StoreSchema {
    /// The queues that were ever changed; any other is as `TransferQueue` creates it.
    static let queues = """
        CREATE TABLE queue (
            name TEXT PRIMARY KEY,
            -- Maximum transfers that run at once; 0 for no limit.
            slots INTEGER NOT NULL CHECK (slots >= 0),
            -- What happens when it is full.
            overflow TEXT NOT NULL CHECK (overflow IN ('wait', 'cancelOldest', 'cancelOldestAlsoWaiting')),
            -- The order in which its transfers run.
            line_order TEXT NOT NULL CHECK (line_order IN ('fair', 'strict')),
            -- What a failed transfer of a strict queue means for those behind it.
            on_failure TEXT NOT NULL CHECK (on_failure IN ('hold', 'fail')),
            -- The three columns above as one number, which each of its transfers has, too: see `transfer.strict`.
            strict INTEGER GENERATED ALWAYS AS (
                CASE WHEN line_order = 'strict' THEN CASE WHEN on_failure = 'hold' THEN 1 ELSE 2 END
                    WHEN overflow = 'cancelOldestAlsoWaiting' THEN 3 ELSE 0 END
            ) VIRTUAL,
            -- Maximum transfers that run at once to one host; 0 for no limit.
            per_host INTEGER NOT NULL CHECK (per_host >= 0),
            -- 1 if no transfer of it may start.
            is_paused INTEGER NOT NULL,
            -- In bytes per second; NULL for no limit.
            rate_limit INTEGER,
            -- Queues with a higher number are served first.
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
            -- The owner that holds the transfers of this line; 0 if no owner does.
            owner INTEGER NOT NULL,
            host TEXT NOT NULL,
            -- 1 if its transfers also run in the background.
            runs_in_background INTEGER NOT NULL,
            -- The place and the number of its first transfer.
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
