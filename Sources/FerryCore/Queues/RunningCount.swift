/// How many transfers of one queue run to one host, over all processes.
public struct RunningCount: Hashable, Sendable {
    /// The queue.
    public var queue: String
    /// The host.
    public var host: String
    /// The number of transfers.
    public var count: Int

    /// Creates a count.
    public init(queue: String, host: String, count: Int) {
        self.queue = queue
        self.host = host
        self.count = count
    }
}
