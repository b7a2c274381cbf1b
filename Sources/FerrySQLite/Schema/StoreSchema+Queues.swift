import FerryCore

/// What the third migration adds: queues, and what lets a claim find the first of each without stepping over the others.
extension StoreSchema {
    /// The queues that were ever changed; any other is as `TransferQueue` makes it.
    static let queues = """
        CREATE TABLE queue (
            name TEXT PRIMARY KEY,
            -- How many of it run at once, 0 for no bound,
            slots INTEGER NOT NULL CHECK (slots >= 0),
            -- and what happens when it is full.
            overflow TEXT NOT NULL CHECK (overflow IN ('wait', 'cancelOldest')),
            -- How many may run to one host, 0 for no bound.
            per_host INTEGER NOT NULL CHECK (per_host >= 0),
            -- 1 when none of it may start.
            is_paused INTEGER NOT NULL,
            -- In bytes a second; NULL for no limit.
            rate_limit INTEGER,
            -- Higher is served first.
            priority INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        -- When queues that compete were served last, in microseconds, so that they take turns.
        CREATE TABLE turn (
            queue TEXT PRIMARY KEY,
            moment INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """

    /// The order of claims, as `LinePlace` decides it.
    static let lines = """
        -- Since when a transfer counts as waiting, where that is not when it was added, as the clock had gone back;
        ALTER TABLE transfer ADD COLUMN lined INTEGER;
        -- and a moment before all others for one that goes before all that wait.
        ALTER TABLE transfer ADD COLUMN front INTEGER;
        ALTER TABLE transfer ADD COLUMN place INTEGER GENERATED ALWAYS AS (
            max(-1152921504606846976, min(1152921504606846976, coalesce(front, lined, added)))
                - max(-1000000000, min(1000000000, priority)) * 3600000
        ) VIRTUAL;
        DROP INDEX transfer_runnable;
        -- What can run, apart by queue, by who holds it, and by host: each such part is a line of its own.
        CREATE INDEX transfer_line ON transfer (queue, owner, host, place, id) WHERE runnable = 1;
        -- What runs, for the slots of queues and hosts.
        CREATE INDEX transfer_active ON transfer (queue, host, state) WHERE state = 'active'
        """

    /// The first of each line.
    static let heads = """
        CREATE TABLE head (
            queue TEXT NOT NULL,
            -- Who holds the line; 0 for nobody.
            owner INTEGER NOT NULL,
            host TEXT NOT NULL,
            -- The first of it: its place and its number.
            place INTEGER NOT NULL,
            transfer INTEGER NOT NULL,
            PRIMARY KEY (queue, owner, host)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX head_order ON head (queue, owner, place, transfer);
        INSERT INTO head (queue, owner, host, place, transfer)
            SELECT queue, ifnull(owner, 0), host, place, id FROM (
                SELECT queue, owner, host, place, id,
                    row_number() OVER (PARTITION BY queue, owner, host ORDER BY place, id) AS position
                FROM transfer WHERE runnable = 1
            ) WHERE position = 1
        """
}
