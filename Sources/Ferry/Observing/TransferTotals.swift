import FerryCore

/// How far several transfers have come, as one.
public struct TransferTotals: Hashable, Sendable {
    /// How many are not over.
    public private(set) var unfinished = 0
    /// How many are completed.
    public private(set) var completed = 0
    /// How many have failed.
    public private(set) var failed = 0
    /// The bytes that are there, the bytes that there will be, and the speed of what runs in this process. The total is known
    /// only when that of each transfer is.
    public private(set) var progress = TransferProgress(received: 0, total: 0)

    /// How many there are.
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
