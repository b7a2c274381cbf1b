/// A queue, and how many of its transfers run and wait.
public struct QueueSummary: Hashable, Sendable, Identifiable {
    /// The queue.
    public var queue: TransferQueue
    /// Number of its transfers that run, in any process.
    public var running: Int
    /// Number of its transfers that could run if a slot were free.
    public var waiting: Int
    /// The first transfer of a strict queue, if it holds those behind it: no transfer at the front runs, can run, or
    /// waits for a time. Otherwise `nil`.
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
