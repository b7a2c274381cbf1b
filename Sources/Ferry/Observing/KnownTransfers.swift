import FerryCore

/// The transfers that an engine follows and what it knows of them. It takes little memory, because there may be very
/// many, and an engine may live for years (I9).
///
/// It holds the rows of running transfers only. For all others it holds a fingerprint, which tells whether a row is new,
/// and the progress of those that have any. Completed and cancelled transfers are dropped, because they do not change any more.
struct KnownTransfers {
    /// Followed transfers that may still change, and the latest failed ones.
    private(set) var followed = TransferIDSet()
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
    /// The fingerprints of the latest known rows.
    private var fingerprints: [TransferID: Int] = [:]
    /// The progress in the latest known rows, without transfers that have not started.
    private var amounts: [TransferID: TransferProgress] = [:]
    /// The progress of transfers that are no longer followed, since the engine last had none to follow.
    private var ended = TransferProgress(received: 0, total: 0)

    /// The progress of a transfer that has not started. Of very many transfers, nearly all have not.
    private static let notStarted = TransferProgress(received: 0, total: nil)

    /// Maximum failed transfers remembered; beyond it the oldest are forgotten.
    static let mostFailed = 1_000

    /// Number of followed transfers that are not over.
    var unfinishedCount: Int { followed.count - failed.count }

    /// Followed transfers that are not over.
    var unfinished: TransferIDSet {
        var unfinished = followed
        for id in failed { unfinished.remove(id) }
        return unfinished
    }

    /// Number of transfers about which anything is known.
    var count: Int { max(fingerprints.count, followed.count, running.count) }

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
        fingerprint == nil || fingerprints[id] != fingerprint
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
        fingerprints[transfer.id] = fingerprint
        let progress = transfer.recordedProgress
        amounts[transfer.id] = progress == Self.notStarted ? nil : progress
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
        if !followed.contains(id) { forgetRow(of: id) }
    }

    /// Drops a transfer.
    mutating func drop(_ id: TransferID) {
        followed.remove(id)
        unsettled.remove(id)
        failed.remove(id)
        waits.remove(id)
        running[id] = nil
        forgetRow(of: id)
    }

    private mutating func forgetRow(of id: TransferID) {
        fingerprints[id] = nil
        amounts[id] = nil
    }

    /// The combined progress of all followed transfers, and of ended ones that were followed with them. Its total is
    /// known only if every total is.
    ///
    /// - Parameter meters: the meters of transfers that run here.
    func totalProgress(_ meters: [TransferID: ProgressMeter]) -> TransferProgress {
        followed.reduce(into: ended) { $0.add(meters[$1]?.progress ?? progress(of: $1)) }
    }

    private func progress(of id: TransferID) -> TransferProgress {
        amounts[id] ?? Self.notStarted
    }
}

extension TransferState {
    /// Whether nothing more happens until a person acts.
    var waitsForAPersonOnly: Bool {
        switch self {
        case .completed, .failed, .cancelled, .paused: true
        case .waiting(.newURL), .waiting(.diskSpace), .waiting(.diskMount): true
        case .queued, .active, .waiting: false
        }
    }
}
