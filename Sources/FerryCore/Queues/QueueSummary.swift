/// A queue and what stands in it.
public struct QueueSummary: Hashable, Sendable, Identifiable {
    /// The queue.
    public var queue: TransferQueue
    /// How many of its transfers run, whoever runs them.
    public var running: Int
    /// How many of them could run if it had room.
    public var waiting: Int

    /// Its name.
    public var id: String { queue.name }

    /// Creates a summary.
    public init(_ queue: TransferQueue, running: Int, waiting: Int) {
        self.queue = queue
        self.running = running
        self.waiting = waiting
    }
}
