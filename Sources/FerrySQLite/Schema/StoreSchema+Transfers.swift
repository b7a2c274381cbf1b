import FerryCore

/// The transfers. Requests and states are in separate tables: an attempt reads its request once, but states are searched,
/// counted and written all the time.
extension StoreSchema {
    /// The request of each transfer. Claims and settlements do not write it.
    static let work = """
        CREATE TABLE work (
            -- Numbers are given in the order of adding, and never twice (`number`).
            id INTEGER PRIMARY KEY,
            -- Its kind: the raw value of a TransferKind.
            kind TEXT NOT NULL,
            -- Its name, unique across all stores.
            uuid BLOB NOT NULL,
            -- 1 if the application chose the UUID. A UUID that a store makes contains the number of the transfer
            -- (TransferUUIDSequence).
            is_given INTEGER NOT NULL,
            -- The type that the application gave it, by which its handler is found.
            type TEXT,
            -- The name that the application gave it.
            tag TEXT,
            -- The whole URL with its secrets. Because of them, the store has the mode 0600.
            url TEXT NOT NULL,
            -- The directory of a file, and its name if one was given.
            directory TEXT,
            name TEXT,
            -- The path of a stream, which has no directory.
            stream TEXT,
            -- The options of a download, or a request without its body, as JSON; NULL for the plain options that RowCodec
            -- spells out.
            options TEXT,
            -- A short digest of URL and destination for searching, and a long one for comparing (StoredIdentity); NULL if
            -- no other transfer can be the same.
            identity INTEGER,
            digest BLOB,
            -- When it was added.
            added INTEGER NOT NULL,
            -- Since when it counts as waiting, if that is later than `added` because the clock went back.
            lined INTEGER,
            -- The body of a request; NULL if it is empty. It may be large. It is the last column, so that no read of
            -- another column steps over it.
            body BLOB
        ) STRICT;
        -- Transfers that are the same. At most one of them is not over (StoreTransaction.checkTwin); the others have
        -- completed, have failed or were cancelled.
        CREATE INDEX work_identity ON work (identity) WHERE identity IS NOT NULL;
        -- UUIDs that the application chose, and tags, which several transfers may share.
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
            -- The name of its queue.
            queue TEXT NOT NULL,
            -- Transfers with a higher number run first.
            priority INTEGER NOT NULL,
            -- The host of the URL's origin, for limits per host.
            host TEXT NOT NULL,
            -- The state by its name.
            state TEXT NOT NULL CHECK (\(isState)),
            -- What it waits for, by its name; NULL if it does not wait.
            condition TEXT CHECK ((condition IS NULL) = (state <> 'waiting')),
            -- When the wait ends by itself; NULL if it does not.
            wake_at INTEGER CHECK (wake_at IS NULL OR state = 'waiting'),
            -- The bytes that must be free, for 'diskSpace'.
            needed INTEGER,
            -- Why it has failed, as JSON.
            failure TEXT CHECK ((failure IS NULL) = (state <> 'failed')),
            -- 1 if a claim may take it: it is queued, or it waits and a claim has seen that its wait is over. With this
            -- column one index gives the next transfer to run, however many wait. A claim checks again whether the wait
            -- is over.
            runnable INTEGER NOT NULL,
            -- The owner that holds it. An active transfer always has an owner (I4).
            owner INTEGER CHECK (owner IS NOT NULL OR state <> 'active'),
            -- The latest token; it grows with every change of owner and never shrinks.
            token INTEGER NOT NULL DEFAULT 0,
            -- Number of attempts begun; see Transfer.attempts.
            attempts INTEGER NOT NULL DEFAULT 0,
            -- When the latest attempt started.
            attempt_started INTEGER,
            -- A wish that its owner has not yet obeyed, by its name.
            wish TEXT,
            -- The failure of the latest attempt, as JSON.
            latest_failure TEXT,
            -- Number of changes to its row in `work`. It tells a reader whether the row that it knows is current.
            revision INTEGER NOT NULL DEFAULT 0,
            -- When its row last changed, and when it failed or was cancelled.
            updated INTEGER NOT NULL,
            finished INTEGER,
            -- Since when it counts as waiting.
            lined INTEGER NOT NULL,
            -- A moment before those of all others, for a transfer that goes before all that wait.
            front INTEGER,
            -- When it was last asked for, in a queue that also cancels waiting transfers; later than all others there.
            asked INTEGER,
            -- The order of claims, as LinePlace decides it.
            place INTEGER GENERATED ALWAYS AS (
                max(-1152921504606846976, min(1152921504606846976, coalesce(front, lined)))
                    - max(-1000000000, min(1000000000, priority)) * 3600000
            ) VIRTUAL,
            -- When it may run; NULL for at any time. The options have it, too.
            time_window TEXT,
            -- Its deadline, after which no attempt begins; NULL for none. The options have it, too.
            not_after INTEGER,
            -- 1 if it also runs while its application is in the background. The options have it, too.
            runs_in_background INTEGER NOT NULL DEFAULT 1,
            -- 1 if any process that runs the queue may run it when the owner that holds it is stopped.
            for_queue INTEGER NOT NULL DEFAULT 1,
            -- The ledger of its attempts (AttemptLedger), in six columns. Number of attempts in a row that ended with the
            -- death of their process.
            deaths INTEGER NOT NULL DEFAULT 0,
            -- The most bytes that any attempt had, and the bytes at the latest death.
            best_received INTEGER NOT NULL DEFAULT 0,
            received_at_death INTEGER NOT NULL DEFAULT 0,
            -- Number of attempts that ended because the name of the host does not exist.
            unknown_hosts INTEGER NOT NULL DEFAULT 0,
            -- 1 if it is paused only because its owner was stopped, and the time of its next attempt.
            is_left INTEGER NOT NULL DEFAULT 0,
            left_retry_at INTEGER,
            -- 0 in a fair queue. In a strict queue, 1 if a failed transfer holds those behind it, and 2 if they fail with
            -- it. 3 in a fair queue that also cancels waiting transfers.
            strict INTEGER NOT NULL DEFAULT 0
        ) STRICT
        """

    static let transferIndexes = """
        -- Transfers that can run. Those with the same queue, owner, host and answer to whether they run in the background
        -- are one line.
        CREATE INDEX transfer_line ON transfer (queue, owner, host, runs_in_background, place, id) WHERE runnable = 1;
        -- The lines of strict queues, and the transfers that are not over in queues that also cancel waiting ones.
        -- Transfers of other queues are not in it.
        CREATE INDEX transfer_strict ON transfer (queue, place, id) WHERE \(isInStrictLine);
        -- Running transfers, for the limits of queues and hosts.
        CREATE INDEX transfer_active ON transfer (queue, host, state) WHERE state = 'active';
        -- Transfers that can run and have a time window, by window: all with one window are found when it closes.
        CREATE INDEX transfer_window ON transfer (time_window, queue, owner, host, state)
            WHERE runnable = 1 AND time_window IS NOT NULL;
        -- Transfers that fail at their deadline, the earliest first.
        CREATE INDEX transfer_deadline ON transfer (not_after) WHERE \(hasDeadline);
        -- Suspects: they run alone, because they may kill the process that runs them. There are few.
        CREATE INDEX transfer_suspect ON transfer (id) WHERE deaths >= 2 AND runnable = 1;
        -- Waits that end by themselves, the earliest first. Grouped by whether a claim has seen their end and by
        -- condition, because very many may wait for a window that opens much later.
        CREATE INDEX transfer_wake ON transfer (runnable, condition, wake_at) WHERE wake_at IS NOT NULL;
        -- The same, by the time of the note. No such time is in the future unless the clock went back.
        CREATE INDEX transfer_noted ON transfer (runnable, condition, updated) WHERE wake_at IS NOT NULL;
        -- Transfers that wait for one condition. Those that wait for another one are not read.
        CREATE INDEX transfer_condition ON transfer (condition, id) WHERE condition IS NOT NULL;
        -- Transfers of one owner, for when it stops or dies.
        CREATE INDEX transfer_owner ON transfer (owner) WHERE owner IS NOT NULL;
        -- For lists by state. Nearly all transfers are queued, and active ones have another index.
        CREATE INDEX transfer_state ON transfer (state, id) WHERE \(isInStateIndex)
        """

    static let emptyFailures = """
        -- Failed transfers of which no attempt has received a byte, the oldest first.
        CREATE INDEX transfer_empty_failure ON transfer (finished, id) WHERE \(isWithoutBytes)
        """

    static let namedQueues = """
        -- For lists of one queue. Nearly all transfers are in the usual queue, so those have no entry, and their writes
        -- do not pay for it.
        CREATE INDEX transfer_queue ON transfer (queue) WHERE \(isInNamedQueue)
        """

    /// Transfers in other queues than the usual one. SQLite uses the index only if a statement contains exactly these
    /// words.
    static let isInNamedQueue = "queue <> '\(TransferQueue.usualName)'"

    /// Failed transfers of which no attempt has received a byte. SQLite uses the index only if a statement contains exactly
    /// these words.
    static let isWithoutBytes = "state = 'failed' AND best_received = 0"

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
            -- 1 while something of the transfer must be removed, such as a part file; 2 if any process may remove it,
            -- because the transfer gave way to another; 3 if any engine may, from a server or from the data directory;
            -- otherwise 0 (ResidueRemover).
            residue INTEGER NOT NULL,
            -- Short digests of the path of its file, and of the digest that the file was checked against. They find a
            -- completed transfer.
            saved_path INTEGER,
            saved_digest INTEGER
        ) STRICT;
        -- Finished files, by path and by digest.
        CREATE INDEX ended_saved_path ON ended (saved_path, id) WHERE saved_path IS NOT NULL;
        CREATE INDEX ended_saved_digest ON ended (saved_digest, id) WHERE saved_digest IS NOT NULL;
        -- Transfers that may be forgotten, the oldest first.
        CREATE INDEX ended_finished ON ended (finished, id) WHERE \(isForgettable);
        -- Transfers whose residue must be removed by others than the process that cancelled them.
        CREATE INDEX ended_residue ON ended (residue, id) WHERE residue > 1;
        -- For lists by state. Nearly all transfers here are completed.
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

    /// The transfers that fail at their deadline. SQLite uses the index only if a statement contains exactly these
    /// words. The condition is not a list, for the reason given at ``isState``.
    static let hasDeadline =
        "not_after IS NOT NULL AND (state = 'queued' OR state = 'waiting' OR state = 'paused')"

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

    /// The final transfers that may be forgotten. One with a residue may not be forgotten: only its row shows to which
    /// transfer the residue belongs.
    static let isForgettable = "residue = 0"
}
