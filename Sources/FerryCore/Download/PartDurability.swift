/// Which parts of the part file survive the death of the process or a power cut: whether the file can be found again,
/// which sync is in progress, and what the store was told.
///
/// The segment map has two watermarks. `written` rises with every write. `durable` rises only here: a sync confirms
/// what was written when it was ordered, unless bytes were dropped or cut meanwhile (I2).
///
/// A name costs a record that survives power loss, a link and a rename. A small file that arrives within one recording
/// interval needs none of them. Its first name is the final one, and the store learns of its part file only by the note
/// of its publication. Until then no row claims a byte of it, and it disappears with the process that made it.
struct PartDurability: Hashable, Sendable {
    /// Whether the part file is open, and whether it can be found again.
    enum File: Hashable, Sendable {
        /// It is not open; exits to `named`, `unnamed`.
        case closed
        /// It is open without a name, and no row claims it; exits to `naming`, or to its final name.
        case unnamed
        /// Its claim is recorded and it is being named; exits to `named`, `closed`.
        case naming
        /// It is open and has its name, or gets it before its first byte; exits to `closed`, `unnamed`.
        case named
    }

    /// The sync of the part file.
    private enum Sync: Hashable, Sendable {
        /// No sync has been in progress since that moment; exits to `underway`.
        case idle(since: Instant)
        /// A sync is in progress. It confirms these bytes, or none of the present ones; exits to `idle`.
        case underway(confirming: SegmentMap?)
    }

    private(set) var file = File.closed
    private var sync: Sync
    /// The number of bytes that the store was last told.
    private var recordedBytes: Int64 = 0
    /// Length in bytes below which a new part file may do without a name.
    private let smallLength: Int64
    /// Whether bytes are on the disk only in whole sealed chunks.
    private let isSealed: Bool

    /// Longest time that bytes may stay at risk of power loss while a transfer is under way.
    static let interval: Duration = .seconds(10)
    /// Most bytes that may stay at risk of power loss.
    static let mostAtRisk: Int64 = 256 << 20

    /// No part file is open.
    init(smallLength: Int64, isSealed: Bool = false, at now: Instant) {
        (self.smallLength, self.isSealed) = (smallLength, isSealed)
        sync = .idle(since: now)
    }

    /// Whether the part file is open.
    var isOpen: Bool { file != .closed }

    // MARK: The file

    /// The part file is open, and has its name or gets it before its first byte.
    mutating func opened() { file = .named }

    /// The part file is open and does without a name.
    mutating func openedUnnamed() { file = .unnamed }

    /// The part file has its name.
    mutating func named() { file = .named }

    /// The part file got no name, or is not this transfer's.
    mutating func closed() { file = .closed }

    /// Whether a new part file may do without a name: it is small, and no option needs it under one.
    func maySpareName(_ length: Int64?, _ options: DownloadOptions) -> Bool {
        guard let length, length < smallLength else { return false }
        // A link cannot replace a file, and wrong bytes can be kept only under a name.
        return options.existingFile != .overwrite && !options.keepsMismatch
    }

    /// Names the part file: the download takes longer, so its bytes must outlive the process from now on.
    ///
    /// A sync makes a name durable only if the name existed when the sync began. Bytes that are already durable
    /// therefore need another sync before they survive power loss (I2).
    mutating func takeName(_ segments: inout SegmentMap) {
        file = .naming
        segments.withdrawDurability()
        invalidate()
    }

    // MARK: Syncing

    /// Whether a sync is under way.
    var isSynchronizing: Bool {
        if case .underway = sync { true } else { false }
    }

    /// Whether bytes have been at risk of power loss for too long, or too many are.
    func isDue(_ segments: SegmentMap, at now: Instant) -> Bool {
        guard isOpen, case .idle(let last) = sync else { return false }
        let atRisk = segments.received - segments.durableBytes
        guard atRisk > 0 else { return false }
        // The clock may have been set back.
        return atRisk >= Self.mostAtRisk || last.duration(to: now) >= Self.interval || now < last
    }

    /// Orders a sync of what is written now.
    ///
    /// - Parameter isEnded: whether the file is complete, so that its last chunk is sealed too.
    mutating func synchronize(_ segments: SegmentMap, isEnded: Bool = false) -> DownloadAction {
        precondition(!isSynchronizing, "I2: two syncs of one part file cannot be told apart")
        sync = .underway(confirming: isEnded ? segments : written(segments))
        return .synchronize
    }

    /// The sync has succeeded: what was written when it was ordered is durable.
    mutating func confirm(_ segments: inout SegmentMap, at now: Instant) {
        guard case .underway(let confirmed) = sync else {
            preconditionFailure("I2: a sync is confirmed that was not ordered")
        }
        sync = .idle(since: now)
        if let confirmed { segments.confirm(durable: confirmed) }
    }

    /// The sync has failed. The kernel may have dropped the pages and marked them clean, so what was not durable is
    /// fetched again, and no later success counts for it.
    mutating func lose(_ progress: inout DownloadProgress, at now: Instant) {
        sync = .idle(since: now)
        progress.segments.rewindToDurable()
        progress.phase = .receiving
    }

    /// Bytes were dropped or the file was cut. A sync that began before confirms nothing of the bytes that take their
    /// place (I2), and leaves bytes after the new end that a power cut would bring back (I1).
    mutating func invalidate() {
        if isSynchronizing { sync = .underway(confirming: nil) }
    }

    // MARK: The record

    /// What has reached the kernel of these bytes.
    private func written(_ segments: SegmentMap) -> SegmentMap { isSealed ? segments.sealed() : segments }

    /// What the row may say. It claims nothing of a file without a claim, and no byte of a file that has a claim but no
    /// name yet (I2). A publication gives the name itself.
    func recordable(_ progress: DownloadProgress) -> DownloadProgress {
        guard progress.phase != .publishing else { return progress }
        var known = progress
        known.segments = written(progress.segments)
        guard file == .unnamed || file == .naming else { return known }
        known.segments = SegmentMap(length: progress.segments.length)
        if file == .unnamed { known.part = nil }
        return known
    }

    /// Records what the row may say.
    mutating func record(_ progress: DownloadProgress, _ durability: Durability) -> DownloadAction {
        let recorded = recordable(progress)
        recordedBytes = recorded.segments.received
        return .record(recorded, durability)
    }

    /// Whether the store was told another number of bytes.
    func isNews(_ segments: SegmentMap) -> Bool { written(segments).received != recordedBytes }

    /// Notes that the file is about to be published. After power loss, only this note tells a published file from an
    /// unfinished one that a person renamed.
    mutating func notePublication(_ progress: inout DownloadProgress) -> DownloadAction {
        precondition(progress.segments.isDurable, "I1: a file is to be published that is not durable")
        progress.phase = .publishing
        return record(progress, .power)
    }

    /// Whether a file without a name needs one now that the attempt ends. It does if there are bytes to keep. It does
    /// not if a publication was ordered, which may have given it the final name even though it failed.
    func owesName(_ progress: DownloadProgress, before ending: DownloadStage.Ending) -> Bool {
        guard file == .unnamed, progress.phase != .publishing, progress.segments.received > 0 else {
            return false
        }
        return ending != .asked(.cancel(keepingPart: false)) && ending != .alreadyThere
    }

    /// Whether bytes would be lost to a power cut although the row may claim them.
    func isAtRisk(_ progress: DownloadProgress) -> Bool {
        let segments = recordable(progress).segments
        return isOpen && segments.durableBytes < segments.received
    }
}
