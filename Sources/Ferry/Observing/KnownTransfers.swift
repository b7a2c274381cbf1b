import FerryCore

/// The transfers that an engine follows and what it knows of them. It takes little memory, because there may be very
/// many, and an engine may live for years (I9).
///
/// It holds the rows of running transfers only. For all others it holds the progress and a fingerprint, which tells
/// whether a row is new. Completed and cancelled transfers are dropped, because they do not change any more.
struct KnownTransfers {
    private struct Glimpse {
        var fingerprint: Int
        var received: Int64
        var total: Int64?

        init(_ transfer: Transfer, _ fingerprint: Int) {
            self.fingerprint = fingerprint
            let progress = transfer.recordedProgress
            (received, total) = (progress.received, progress.total)
        }
    }

    /// Followed transfers that may still change, and the latest failed ones.
    private(set) var followed: Set<TransferID> = []
    /// Whether any transfer was ever followed.
    private(set) var hasFollowed = false
    /// Followed transfers that may still change without a person's action.
    private(set) var unsettled = TransferIDSet()
    /// Followed transfers that wait.
    private(set) var waits = Waits()
    /// The rows of running transfers.
    private(set) var running: [TransferID: Transfer] = [:]
    /// Followed transfers that have failed and may be revived.
    private var failed: Set<TransferID> = []
    private var glimpses: [TransferID: Glimpse] = [:]
    /// The progress of transfers that are no longer followed, since the engine last had none to follow.
    private var ended = TransferProgress(received: 0, total: 0)

    /// Maximum failed transfers remembered; beyond it the oldest are forgotten.
    static let mostFailed = 1_000

    /// Number of followed transfers that are not over.
    var unfinishedCount: Int { followed.count - failed.count }

    /// Followed transfers that are not over.
    var unfinished: Set<TransferID> { failed.isEmpty ? followed : followed.subtracting(failed) }

    /// Number of transfers about which anything is known.
    var count: Int { max(glimpses.count, followed.count, running.count) }

    /// Follows a transfer.
    mutating func follow(_ id: TransferID) {
        if unfinishedCount == 0 { ended = TransferProgress(received: 0, total: 0) }
        hasFollowed = true
        followed.insert(id)
        unsettled.insert(id)
    }

    /// The fingerprint of a row; `nil` for a completed or cancelled transfer, of which none is held.
    ///
    /// It depends on everything in the row, so each update computes it once.
    static func fingerprint(of transfer: Transfer) -> Int? {
        transfer.state.name.isOver ? nil : transfer.hashValue
    }

    /// Whether the row with this fingerprint differs from the last known one.
    func isNews(_ fingerprint: Int?, of id: TransferID) -> Bool {
        fingerprint == nil || glimpses[id]?.fingerprint != fingerprint
    }

    /// Notes a row.
    ///
    /// - Parameters:
    ///   - fingerprint: the fingerprint of the row.
    ///   - isWatched: whether an observer watches this transfer although it is not followed.
    mutating func note(_ transfer: Transfer, _ fingerprint: Int?, isWatched: Bool) {
        let isFollowed = followed.contains(transfer.id)
        guard let fingerprint else {
            if isFollowed { ended.add(transfer.recordedProgress) }
            return drop(transfer.id)
        }
        if isFollowed { place(transfer) }
        guard isFollowed || isWatched else { return drop(transfer.id) }
        glimpses[transfer.id] = Glimpse(transfer, fingerprint)
        running[transfer.id] = transfer.state == .active ? transfer : nil
        if failed.count > Self.mostFailed { forgetTheOldestFailures() }
    }

    private mutating func place(_ transfer: Transfer) {
        let id = transfer.id
        if transfer.state.waitsForAPersonOnly { unsettled.remove(id) } else { unsettled.insert(id) }
        waits.note(transfer)
        if case .failed = transfer.state { failed.insert(id) } else { failed.remove(id) }
    }

    private mutating func forgetTheOldestFailures() {
        for id in failed.sorted().prefix(failed.count / 2) {
            ended.add(progress(of: id))
            drop(id)
        }
    }

    /// Notes that the attempt ended here, and that the known row is out of date.
    mutating func endRun(of id: TransferID) {
        running[id] = nil
        if !followed.contains(id) { glimpses[id] = nil }
    }

    /// Drops a transfer.
    mutating func drop(_ id: TransferID) {
        followed.remove(id)
        unsettled.remove(id)
        failed.remove(id)
        waits.remove(id)
        running[id] = nil
        glimpses[id] = nil
    }

    /// The combined progress of all followed transfers, and of ended ones that were followed with them. Its total is
    /// known only if every total is.
    ///
    /// - Parameter meters: the meters of transfers that run here.
    func totalProgress(_ meters: [TransferID: ProgressMeter]) -> TransferProgress {
        followed.reduce(into: ended) { $0.add(meters[$1]?.progress ?? progress(of: $1)) }
    }

    private func progress(of id: TransferID) -> TransferProgress {
        let glimpse = glimpses[id]
        return TransferProgress(received: glimpse?.received ?? 0, total: glimpse?.total)
    }
}

extension TransferState {
    /// Whether nothing more happens until a person acts.
    var waitsForAPersonOnly: Bool {
        switch self {
        case .completed, .failed, .cancelled, .paused: true
        case .waiting(.newURL), .waiting(.diskSpace): true
        case .queued, .active, .waiting: false
        }
    }
}
