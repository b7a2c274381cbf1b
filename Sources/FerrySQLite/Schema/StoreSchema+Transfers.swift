import FerryCore

/// The transfers. Requests and states are in separate tables: an attempt reads its request once, but states are searched,
/// counted and written all the time.
extension StoreSchema {
    /// The request of each transfer. Claims and settlements do not write it.
    static let work = """
        CREATE TABLE work (
            -- Handed out in the order of adding, and never again (`number`).
            id INTEGER PRIMARY KEY,
            -- What it does: the raw value of a TransferKind.
            kind TEXT NOT NULL,
            -- Its name among the transfers of all stores,
            uuid BLOB NOT NULL,
            -- 1 unless that contains the number of the transfer, as those do that a store makes (TransferUUIDSequence),
            is_given INTEGER NOT NULL,
            -- and the one that the application gave it.
            tag TEXT,
            -- The whole URL, secrets included: it is why the file is 0600.
            url TEXT NOT NULL,
            -- The destination: a directory and perhaps a name in it,
            directory TEXT,
            name TEXT,
            -- or a stream, in which case there is no directory.
            stream TEXT,
            -- The options of a download, NULL for the plain ones that RowCodec spells out, or a request without its body; as
            -- JSON.
            options TEXT,
            -- A short digest of URL and destination to search for, and a long one to compare (StoredIdentity); NULL for
            -- what is never the same as another one.
            identity INTEGER,
            digest BLOB,
            -- When it was added,
            added INTEGER NOT NULL,
            -- and since when it counts as waiting, where that is later, as the clock had gone back.
            lined INTEGER,
            -- The body of a request; NULL for an empty one. It may be large. It is the last column, so that reading another
            -- one never has to pass over it.
            body BLOB
        ) STRICT;
        -- The transfers that are the same one. One of them at most is not over (StoreTransaction.checkTwin); the others
        -- have failed, were fetched before, or were cancelled.
        CREATE INDEX work_identity ON work (identity) WHERE identity IS NOT NULL;
        -- Names that the application made before it added them; and those that it may have given to several.
        CREATE UNIQUE INDEX work_uuid ON work (uuid) WHERE is_given = 1;
        CREATE INDEX work_tag ON work (tag, id) WHERE tag IS NOT NULL
        """

    /// The latest number given to a transfer, so that no number is used twice. It is written once per transaction;
    /// AUTOINCREMENT would write it once per transfer.
    static let numbers = """
        CREATE TABLE number (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            latest INTEGER NOT NULL
        ) STRICT
        """

    /// The state of each transfer that is not in `ended`, with the columns for searching, ordering, counting and
    /// fencing. A cancelled transfer stays while an owner holds it. A failed one stays because it may be retried.
    static let transfers = """
        CREATE TABLE transfer (
            -- As in `work`.
            id INTEGER PRIMARY KEY,
            -- The named line that it stands in.
            queue TEXT NOT NULL,
            -- Higher runs first.
            priority INTEGER NOT NULL,
            -- The host of the URL's origin, for limits per host.
            host TEXT NOT NULL,
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
            -- When the latest of them started.
            attempt_started INTEGER,
            -- What its owner has been asked for and has not yet done, by its name.
            wish TEXT,
            -- How the latest attempt failed, as JSON.
            latest_failure TEXT,
            -- The number of changes to its row in `work`: a reader of that row sees whether it is still the same.
            revision INTEGER NOT NULL DEFAULT 0,
            -- When its row last changed, and when it failed or was cancelled.
            updated INTEGER NOT NULL,
            finished INTEGER,
            -- Since when it counts as waiting,
            lined INTEGER NOT NULL,
            -- and a moment before all others for one that goes before all that wait.
            front INTEGER,
            -- When it was asked for last, in a queue that also cancels what waits; later than all others there.
            asked INTEGER,
            -- The order of claims, as LinePlace decides it.
            place INTEGER GENERATED ALWAYS AS (
                max(-1152921504606846976, min(1152921504606846976, coalesce(front, lined)))
                    - max(-1000000000, min(1000000000, priority)) * 3600000
            ) VIRTUAL,
            -- When it may run, which is in the options as well; NULL for at any time.
            time_window TEXT,
            -- 1 when it also runs while its application is in the background, which is in the options as well.
            runs_in_background INTEGER NOT NULL DEFAULT 1,
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
            -- 0 in a fair queue. In a strict one 1 where a failed transfer holds those behind it, 2 where they fail with it.
            -- 3 in a queue that also cancels what waits.
            strict INTEGER NOT NULL DEFAULT 0
        ) STRICT
        """

    static let transferIndexes = """
        -- What can run, apart by queue, by who holds it, by host, and by whether it runs in the background: each such
        -- part is a line of its own.
        CREATE INDEX transfer_line ON transfer (queue, owner, host, runs_in_background, place, id) WHERE runnable = 1;
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
        -- Listing by state. What is queued is nearly all that there is, and what is active has an index already.
        CREATE INDEX transfer_state ON transfer (state, id) WHERE \(isInStateIndex)
        """

    /// The transfers that never run again: completed, or cancelled and held by no owner. The only later change to a row
    /// is the removal of a residue. Columns of `transfer` that are missing here are NULL or 0 for all of these.
    static let ended = """
        CREATE TABLE ended (
            -- As in `work`.
            id INTEGER PRIMARY KEY,
            -- The rest as in `transfer`.
            queue TEXT NOT NULL,
            priority INTEGER NOT NULL,
            state TEXT NOT NULL CHECK (state = 'completed' OR state = 'cancelled'),
            attempts INTEGER NOT NULL,
            attempt_started INTEGER,
            latest_failure TEXT,
            updated INTEGER NOT NULL,
            finished INTEGER,
            deaths INTEGER NOT NULL,
            best_received INTEGER NOT NULL,
            received_at_death INTEGER NOT NULL,
            unknown_hosts INTEGER NOT NULL,
            -- 1 while a cancelled one has still something to be removed, such as a part file; 2 where it gave way to another
            -- one, so that any process is to remove that (ResidueRemover).
            residue INTEGER NOT NULL,
            -- Of a completed one short digests of the path of its file and of what that was held against, to find it by.
            saved_path INTEGER,
            saved_digest INTEGER
        ) STRICT;
        -- Finished files, by where they are and by what they hold.
        CREATE INDEX ended_saved_path ON ended (saved_path, id) WHERE saved_path IS NOT NULL;
        CREATE INDEX ended_saved_digest ON ended (saved_digest, id) WHERE saved_digest IS NOT NULL;
        -- Oldest first, to be forgotten one day.
        CREATE INDEX ended_finished ON ended (finished, id) WHERE \(isForgettable);
        -- What gave way and has left a part file.
        CREATE INDEX ended_residue ON ended (id) WHERE residue = 2;
        -- Listing by state. Nearly all of them are completed.
        CREATE INDEX ended_cancelled ON ended (id) WHERE state = 'cancelled'
        """

    /// Whether the name of a state is valid. For a list of more than two names, SQLite would build a table at
    /// each change of a row, which costs more than the change.
    private static let isState = TransferState.Name.allCases.map { "state = '\($0)'" }.joined(
        separator: " OR "
    )

    /// Transfers whose state is not final. The condition is not a list, for the reason given at ``isState``.
    static let isLiving = isNone(TransferState.Name.allCases.filter(\.isFinal))

    /// Transfers that may run now or after a retry.
    static let isNotOver = isNone(TransferState.Name.allCases.filter(\.isOver))

    private static func isNone(_ states: [TransferState.Name]) -> String {
        states.map { "state <> '\($0)'" }.joined(separator: " AND ")
    }

    /// Transfers in the index of states. SQLite uses the index only if a statement contains exactly these words.
    static let isInStateIndex = "state <> 'queued' AND state <> 'active'"

    /// The transfers in the line of a strict queue, as `TransferQueue.keepsInLine` defines.
    static let isInStrictLine =
        "strict > 0 AND state NOT IN ('completed', 'cancelled') AND (strict = 1 OR state <> 'failed')"

    /// Whether this Ferry knows the kind of a transfer. A newer Ferry may have added one of another kind (``UnknownKind``),
    /// which stays unchanged. A transfer without a row in `work` counts as known, because it is damaged.
    ///
    /// - Parameter id: the number of the transfer, in SQL.
    static func isOfKnownKind(_ id: String) -> String {
        let others = TransferKind.allCases.map { "kind <> '\($0.rawValue)'" }.joined(separator: " AND ")
        return """
            NOT EXISTS (SELECT 1 FROM work WHERE work.id = \(id) AND \(others)
                AND kind NOT GLOB '*[^a-zA-Z]*' AND length(kind) BETWEEN 1 AND \(UnknownKind.longest))
            """
    }

    /// The final transfers that may be forgotten. A cancelled transfer with a part file may not be forgotten: only its
    /// row shows to which transfer the file belongs.
    static let isForgettable = "residue = 0"
}
