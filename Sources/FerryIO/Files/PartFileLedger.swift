internal import FerryCore

/// What an open part file knows about itself: whether it is open, what is under way, and what is durable.
///
/// Kept under the lock of ``POSIXPartFile``; it does nothing itself.
struct PartFileLedger {
    /// Counts changes to the file, once when each begins and once when it ends, so that a sync which began
    /// meanwhile is not taken to have covered it.
    private(set) var changes = 0
    /// How many changes had ended when the latest sync that succeeded began; -1 before there was one. A file that
    /// was just opened is not synchronized: a process that died may have written what this one only finds.
    private var synchronized = -1
    /// How many calls use the descriptor just now.
    private var users = 0
    /// How many of them change the file.
    private var changers = 0
    /// Nothing more may begin.
    private var isClosed = false
    /// The descriptor has been given out to be closed.
    private var isReleased = false
    /// A sync failed: what was not durable then may be lost, and no later success says otherwise.
    private(set) var hasFailedToSynchronize = false
    /// Whether the file has a name.
    var isNamed = true
    /// How far the file was written through this opening. It is never shorter, unless somebody else cuts it.
    private(set) var extent: Int64 = 0
    /// How many bytes were written since the kernel was last told to write them to the disk.
    private var held: Int64 = 0
    /// When the bytes of the published file were last changed, in nanoseconds since 1970.
    var modified: Int64?
    /// The name of the part file may not be durable yet.
    var needsDirectorySync = true

    /// How many bytes are written before the disk is to begin with them. Fewer would cost a disk that has to seek more
    /// than they save; more would leave it idle, and have the sync at the end wait for it.
    static let heldBytes: Int64 = 8 << 20

    /// Whether nothing was changed through this opening, and nothing is being changed.
    var isUnchanged: Bool { changes == 0 }

    /// Whether everything in the file is durable.
    var isSynchronized: Bool { changers == 0 && synchronized == changes && !hasFailedToSynchronize }

    /// Begins a call; `false` when the file is closed.
    mutating func begin(changing: Bool) -> Bool {
        guard !isClosed else { return false }
        users += 1
        if changing {
            changers += 1
            changes += 1
        }
        return true
    }

    /// Ends a call; `true` when the descriptor is to be closed now.
    mutating func end(changing: Bool) -> Bool {
        users -= 1
        if changing {
            changers -= 1
            changes += 1
        }
        return releaseIfIdle()
    }

    /// Notes that bytes were written, up to an offset; `true` when the disk is to begin with all that were.
    mutating func noteWritten(_ count: Int, upTo end: Int64) -> Bool {
        // To write nothing lengthens nothing.
        if count > 0 { extent = max(extent, end) }
        held += Int64(count)
        guard held >= Self.heldBytes else { return false }
        held = 0
        return true
    }

    /// Notes that the file is about to get this length.
    mutating func noteLength(_ length: Int64) {
        extent = min(extent, length)
    }

    /// Lets nothing more begin; `true` when the descriptor is to be closed now.
    mutating func close() -> Bool {
        isClosed = true
        return releaseIfIdle()
    }

    /// Notes how a sync ended that began after so many changes.
    mutating func noteSynchronization(ofChanges count: Int, succeeded: Bool) {
        if succeeded {
            synchronized = max(synchronized, count)
        } else {
            hasFailedToSynchronize = true
        }
    }

    private mutating func releaseIfIdle() -> Bool {
        guard isClosed, users == 0, !isReleased else { return false }
        isReleased = true
        return true
    }
}
