internal import FerryCore

/// The state of an open part file: whether it is open, what is running, and what is durable.
///
/// Kept under the lock of ``POSIXPartFile``; it performs no I/O itself.
struct PartFileLedger {
    /// Counts changes to the file, once when each begins and once when it ends. So a sync that began during a
    /// change does not count as covering it.
    private(set) var changes = 0
    /// How many changes had ended when the latest successful sync began; -1 before the first. A newly opened
    /// file is not synchronized: a process that died may have written what this one finds.
    private var synchronized = -1
    /// How many calls use the descriptor now.
    private var users = 0
    /// How many of them change the file.
    private var changers = 0
    /// No further call may begin.
    private var isClosed = false
    /// The descriptor has been handed out for closing.
    private var isReleased = false
    /// A sync failed: bytes that were not durable then may be lost, and a later success does not change that.
    private(set) var hasFailedToSynchronize = false
    /// Whether the file has a name.
    var isNamed = true
    /// The offset up to which this opening has written the file. The file is never shorter, unless another program cuts
    /// it.
    private(set) var extent: Int64 = 0
    /// How many bytes were written since the kernel was last told to write them to the disk.
    private var held: Int64 = 0
    /// When the bytes of the published file were last changed, in nanoseconds since 1970.
    var modified: Int64?
    /// Whether the name of the part file may not be durable yet.
    var needsDirectorySync = true

    /// How many bytes are written before the disk starts on them. With fewer, a disk that seeks would lose
    /// more than it gains; with more, the disk would be idle and the final sync would wait for it.
    static let heldBytes: Int64 = 8 << 20

    /// Whether this opening has changed nothing, and no change is running.
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

    /// Ends a call; `true` when the descriptor has to be closed now.
    mutating func end(changing: Bool) -> Bool {
        users -= 1
        if changing {
            changers -= 1
            changes += 1
        }
        return releaseIfIdle()
    }

    /// Notes bytes written up to an offset; `true` when the disk should start on all written bytes.
    mutating func noteWritten(_ count: Int, upTo end: Int64) -> Bool {
        // A write of no bytes does not lengthen the file.
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

    /// Refuses further calls; `true` when the descriptor has to be closed now.
    mutating func close() -> Bool {
        isClosed = true
        return releaseIfIdle()
    }

    /// Notes the result of a sync that began after this many changes.
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
