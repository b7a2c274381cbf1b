import FerryCore

/// The progress of several transfers together. Cancelled transfers do not count.
public struct TransferTotals: Hashable, Sendable {
    /// The number of unfinished transfers.
    public private(set) var unfinished = 0
    /// The number of completed transfers.
    public private(set) var completed = 0
    /// The number of failed transfers.
    public private(set) var failed = 0
    /// The received bytes, the total, and the speed of the transfers that run in this process. The total is known only if
    /// the total of each transfer is known.
    public private(set) var progress = TransferProgress(received: 0, total: 0)

    /// The number of all of these.
    public var count: Int { unfinished + completed + failed }

    mutating func add(_ transfer: Transfer, _ progress: TransferProgress) {
        switch transfer.state {
        case .queued, .active, .waiting, .paused: unfinished += 1
        case .completed: completed += 1
        case .failed: failed += 1
        case .cancelled: return
        }
        self.progress.add(progress)
    }
}
