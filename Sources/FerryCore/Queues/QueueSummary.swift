/// A queue and what stands in it.
public struct QueueSummary: Hashable, Sendable, Identifiable {
    /// The queue.
    public var queue: TransferQueue
    /// How many of its transfers run, whoever runs them.
    public var running: Int
    /// How many of them could run if it had room.
    public var waiting: Int
    /// The first transfer of a strict queue in whose front nothing runs, could run or waits for a moment: it holds those behind it.
    public var heldBy: TransferID?

    /// Its name.
    public var id: String { queue.name }

    /// Creates a summary.
    public init(_ queue: TransferQueue, running: Int, waiting: Int, heldBy: TransferID? = nil) {
        self.queue = queue
        self.running = running
        self.waiting = waiting
        self.heldBy = heldBy
    }
}
