import FerryCore

/// What an engine follows and what is known of that, in little space: there may be very many, and an engine may live for
/// years (I9).
///
/// A row is held only of what runs; of all others a fingerprint, which tells whether a row is news, and the progress. What is
/// completed or cancelled is let go of, as nothing more happens to it.
struct KnownTransfers {
    private struct Glimpse {
        var fingerprint: Int
        var received: Int64
        var total: Int64?

        init(_ transfer: Transfer) {
            fingerprint = transfer.hashValue
            received = transfer.recordedProgress.received
            total = transfer.recordedProgress.total
        }
    }

    /// Those that something may still happen to, and the latest of those that have failed.
    private(set) var followed: Set<TransferID> = []
    /// Whether there ever was one to follow.
    private(set) var hasFollowed = false
    /// Those followed ones that something may still happen to without a person's doing.
    private(set) var unsettled: Set<TransferID> = []
    /// Those of them that wait.
    private(set) var waits = Waits()
    /// The rows of those that run.
    private(set) var running: [TransferID: Transfer] = [:]
    /// Those followed ones that have failed and may be revived.
    private var failed: Set<TransferID> = []
    private var glimpses: [TransferID: Glimpse] = [:]
    /// What came of those that are not followed any more, since there was nothing to follow.
    private var ended = TransferProgress(received: 0, total: 0)

    /// How many failed ones are known as such; with more of them the oldest are forgotten.
    static let mostFailed = 1_000

    /// How many are followed and not over.
    var unfinishedCount: Int { followed.count - failed.count }

    /// Those that are followed and not over.
    var unfinished: Set<TransferID> { failed.isEmpty ? followed : followed.subtracting(failed) }

    /// How many are known in any way.
    var count: Int { max(glimpses.count, followed.count, running.count) }

    /// Follows a transfer from now on.
    mutating func follow(_ id: TransferID) {
        if unfinishedCount == 0 { ended = TransferProgress(received: 0, total: 0) }
        hasFollowed = true
        followed.insert(id)
        unsettled.insert(id)
    }

    /// Whether this row differs from the last one.
    func isNews(_ transfer: Transfer) -> Bool {
        glimpses[transfer.id]?.fingerprint != transfer.hashValue
    }

    /// Takes note of a row.
    ///
    /// - Parameter isWatched: whether somebody looks at this transfer for whom it is not followed.
    mutating func note(_ transfer: Transfer, isWatched: Bool) {
        let isFollowed = followed.contains(transfer.id)
        if transfer.state == .completed || transfer.state == .cancelled {
            if isFollowed { ended.add(transfer.recordedProgress) }
            return drop(transfer.id)
        }
        if isFollowed { place(transfer) }
        guard isFollowed || isWatched else { return drop(transfer.id) }
        glimpses[transfer.id] = Glimpse(transfer)
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

    /// The attempt at a transfer is over here, and its row is not up to date.
    mutating func endRun(of id: TransferID) {
        running[id] = nil
        if !followed.contains(id) { glimpses[id] = nil }
    }

    /// Lets go of a transfer.
    mutating func drop(_ id: TransferID) {
        followed.remove(id)
        unsettled.remove(id)
        failed.remove(id)
        waits.remove(id)
        running[id] = nil
        glimpses[id] = nil
    }

    /// The progress of all that is followed, and of what was followed along with it and is over, as one; its total is known
    /// only when every single one is.
    ///
    /// - Parameter meters: of those that run here.
    func totalProgress(_ meters: [TransferID: ProgressMeter]) -> TransferProgress {
        followed.reduce(into: ended) { $0.add(meters[$1]?.progress ?? progress(of: $1)) }
    }

    private func progress(of id: TransferID) -> TransferProgress {
        let glimpse = glimpses[id]
        return TransferProgress(received: glimpse?.received ?? 0, total: glimpse?.total)
    }
}

extension TransferState {
    /// Whether nothing more happens until a person does something.
    var waitsForAPersonOnly: Bool {
        switch self {
        case .completed, .failed, .cancelled, .paused: true
        case .waiting(.newURL), .waiting(.diskSpace): true
        case .queued, .active, .waiting: false
        }
    }
}
