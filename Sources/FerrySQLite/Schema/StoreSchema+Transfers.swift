/// The transfers and what belongs to each of them.
extension StoreSchema {
    /// Values used to search, order, count or fence have a column; the rest is JSON.
    static let transfers = """
        CREATE TABLE transfer (
            -- Handed out in the order of adding; AUTOINCREMENT keeps a forgotten number from coming back.
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            -- What it does: 'download' or 'request'.
            kind TEXT NOT NULL,
            -- Its name among the transfers of all stores,
            uuid BLOB NOT NULL,
            -- and the one that the application gave it.
            tag TEXT,
            -- The named line that it stands in.
            queue TEXT NOT NULL,
            -- Higher runs first.
            priority INTEGER NOT NULL,
            -- The host of the URL's origin, for limits per host.
            host TEXT NOT NULL,
            -- The whole URL, secrets included: it is why the file is 0600.
            url TEXT NOT NULL,
            -- The destination: a directory and perhaps a name in it,
            directory TEXT,
            name TEXT,
            -- or a stream, in which case there is no directory.
            stream TEXT,
            -- The options of a download, NULL for the plain ones that RowCodec spells out, or a whole request; as JSON.
            options TEXT,
            -- A digest of URL and destination (StoredIdentity); NULL for what is never the same as another one.
            identity BLOB,
            -- The state by its name.
            state TEXT NOT NULL CHECK (\(isState)),
            -- What a waiting one waits for, by its name,
            condition TEXT CHECK ((condition IS NULL) = (state <> 'waiting')),
            -- when that ends by itself,
            wake_at INTEGER CHECK (wake_at IS NULL OR state = 'waiting'),
            -- and how many bytes must be free for 'diskSpace'.
            needed INTEGER,
            -- Why a failed one failed, as JSON.
            failure TEXT CHECK ((failure IS NULL) = (state <> 'failed')),
            -- 1 when a claim may take it: queued, or waiting and seen by a claim to be due. It lets one index
            -- give the next to run, however many wait; whether it is still due is asked again.
            runnable INTEGER NOT NULL,
            -- Who holds it. An active one always has an owner (I4).
            owner INTEGER CHECK (owner IS NOT NULL OR state <> 'active'),
            -- The latest token that was given out; grows with every change of hands and is never taken back.
            token INTEGER NOT NULL DEFAULT 0,
            -- Attempts that have begun, as the transfer counts them.
            attempts INTEGER NOT NULL DEFAULT 0,
            -- What its owner has been asked for and has not yet done, by its name.
            wish TEXT,
            -- How the latest attempt failed, as JSON.
            latest_failure TEXT,
            -- The explanation of the latest resumption or restart.
            note TEXT,
            -- The progress of a request, or the small parts of that of a download, as JSON; NULL where nothing is known yet.
            checkpoint TEXT,
            -- The segment map in its compact form; NULL for one of which nothing is known yet.
            segments BLOB,
            -- When it was added, when its row last changed, and when it became final.
            added INTEGER NOT NULL,
            updated INTEGER NOT NULL,
            finished INTEGER,
            -- Since when it counts as waiting, where that is not when it was added, as the clock had gone back;
            lined INTEGER,
            -- and a moment before all others for one that goes before all that wait.
            front INTEGER,
            -- When it was asked for last, in a queue that also cancels what waits; later than all others there.
            asked INTEGER,
            -- The order of claims, as LinePlace decides it.
            place INTEGER GENERATED ALWAYS AS (
                max(-1152921504606846976, min(1152921504606846976, coalesce(front, lined, added)))
                    - max(-1000000000, min(1000000000, priority)) * 3600000
            ) VIRTUAL,
            -- When it may run, which is in the options as well; NULL for at any time.
            time_window TEXT,
            -- 1 when any process that runs the queue is to run it, should the one that holds it be stopped.
            for_queue INTEGER NOT NULL DEFAULT 1,
            -- The ledger of its attempts: the number of those in a row that ended with the death of their process,
            deaths INTEGER NOT NULL DEFAULT 0,
            -- the most bytes that any had, and the bytes at the latest death,
            best_received INTEGER NOT NULL DEFAULT 0,
            received_at_death INTEGER NOT NULL DEFAULT 0,
            -- the number of those that ended because the name of the host does not exist,
            unknown_hosts INTEGER NOT NULL DEFAULT 0,
            -- and 1 when it is paused only because its owner was stopped, with the time of its next try.
            is_left INTEGER NOT NULL DEFAULT 0,
            left_retry_at INTEGER,
            -- 1 while a cancelled one has still something to be removed, such as a part file; 2 where it gave way to another
            -- one, so that any process is to remove that.
            residue INTEGER NOT NULL DEFAULT 0,
            -- 0 in a fair queue. In a strict one 1 where a failed transfer holds those behind it, 2 where they fail with it.
            -- 3 in a queue that also cancels what waits.
            strict INTEGER NOT NULL DEFAULT 0,
            -- Of a completed one short digests of the path of its file and of what that was held against, to find it by.
            saved_path INTEGER,
            saved_digest INTEGER
        ) STRICT
        """

    static let transferIndexes = """
        -- The transfers that are the same one. One of them at most is not over (StoreTransaction.checkTwin); the others
        -- have failed, were fetched before, or were cancelled. The state is no part of it, so that an end costs it nothing.
        CREATE INDEX transfer_identity ON transfer (identity) WHERE identity IS NOT NULL;
        -- Names that the application made before it added them; and those that it may have given to several.
        CREATE UNIQUE INDEX transfer_uuid ON transfer (uuid);
        CREATE INDEX transfer_tag ON transfer (tag, id) WHERE tag IS NOT NULL;
        -- Finished files, by where they are and by what they hold.
        CREATE INDEX transfer_saved_path ON transfer (saved_path, id) WHERE saved_path IS NOT NULL;
        CREATE INDEX transfer_saved_digest ON transfer (saved_digest, id) WHERE saved_digest IS NOT NULL;
        -- What can run, apart by queue, by who holds it, and by host: each such part is a line of its own.
        CREATE INDEX transfer_line ON transfer (queue, owner, host, place, id) WHERE runnable = 1;
        -- The lines of strict queues, and what is not over in those that also cancel what waits. Transfers of other queues
        -- cost it nothing.
        CREATE INDEX transfer_strict ON transfer (queue, place, id) WHERE \(isInStrictLine);
        -- What runs, for the slots of queues and hosts.
        CREATE INDEX transfer_active ON transfer (queue, host, state) WHERE state = 'active';
        -- What could run and has a window, so that all of those are found that have the same one when it closes.
        CREATE INDEX transfer_window ON transfer (time_window, queue, owner, host, state)
            WHERE runnable = 1 AND time_window IS NOT NULL;
        -- What is run alone, as it may be what kills the processes that run it. There are few of them.
        CREATE INDEX transfer_suspect ON transfer (id) WHERE deaths >= 2 AND runnable = 1;
        -- The waits that end by themselves, earliest first; apart by whether a claim has seen them end, and by what they
        -- wait for, since a great many may wait for a window that is far off.
        CREATE INDEX transfer_wake ON transfer (runnable, condition, wake_at) WHERE wake_at IS NOT NULL;
        -- The same, by when they were noted: none of them lies ahead unless the clock went back.
        CREATE INDEX transfer_noted ON transfer (runnable, condition, updated) WHERE wake_at IS NOT NULL;
        -- What waits for one condition, so that those that wait for another one are not read.
        CREATE INDEX transfer_condition ON transfer (condition, id) WHERE condition IS NOT NULL;
        -- What an owner that has stopped or died leaves behind.
        CREATE INDEX transfer_owner ON transfer (owner) WHERE owner IS NOT NULL;
        -- Counting and listing by state.
        CREATE INDEX transfer_state ON transfer (state, id);
        -- What gave way and has left a part file.
        CREATE INDEX transfer_residue ON transfer (id) WHERE residue = 2;
        -- What is over, oldest first, to be forgotten one day.
        CREATE INDEX transfer_finished ON transfer (finished, id) WHERE \(isForgettable)
        """

    /// Whether the name of a state is valid. For a list of more than two names, SQLite would build a table at
    /// each change of a row, which costs more than the change.
    private static let isState = states.map { "state = '\($0)'" }.joined(separator: " OR ")

    /// The transfers that are not over. SQLite uses an index only for a statement with exactly these words.
    /// They are not a list, for the reason given at ``isState``.
    static let isLiving = "state <> 'completed' AND state <> 'cancelled' AND state <> 'failed'"

    /// The transfers in the line of a strict queue, as `TransferQueue.keepsInLine` defines.
    static let isInStrictLine =
        "strict > 0 AND state NOT IN ('completed', 'cancelled') AND (strict = 1 OR state <> 'failed')"

    /// The final transfers that may be forgotten. A cancelled one that still has a part file may not: nothing
    /// else tells whose file that is.
    static let isForgettable = "(state = 'completed' OR (state = 'cancelled' AND residue = 0))"

    /// The application's payload. It may be large, and is not rewritten when the transfer changes.
    static let payloads = """
        CREATE TABLE payload (
            transfer INTEGER PRIMARY KEY REFERENCES transfer (id) ON DELETE CASCADE,
            bytes BLOB NOT NULL
        ) STRICT
        """

    /// The failed attempts, for `show`. Up to the latest 100 of each transfer are kept.
    static let attempts = """
        CREATE TABLE attempt (
            transfer INTEGER NOT NULL REFERENCES transfer (id) ON DELETE CASCADE,
            -- Counts up from 1 within the transfer.
            number INTEGER NOT NULL,
            -- When it ended.
            ended INTEGER NOT NULL,
            -- How it ended, as JSON.
            failure TEXT NOT NULL,
            -- How many bytes the transfer had by then.
            received INTEGER NOT NULL,
            PRIMARY KEY (transfer, number)
        ) STRICT, WITHOUT ROWID
        """

    /// What each transfer still waits for. A row is deleted when that transfer completes.
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
