/// A queue and what stands in it.
public struct QueueSummary: Hashable, Sendable, Identifiable {
    /// The queue.
    public var queue: TransferQueue
    /// Number of its transfers that run, in any process.
    public var running: Int
    /// Number of its transfers that could run if it had room.
    public var waiting: Int
    /// The first transfer of a strict queue, if nothing in its front runs, could run or waits for a moment. It blocks
    /// those behind it.
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
