/// How many transfers of one queue run to one host, over all processes.
package struct RunningCount: Hashable, Sendable {
    /// The queue.
    package var queue: String
    /// The host.
    package var host: String
    /// The number of transfers.
    package var count: Int

    /// Creates a count.
    package init(queue: String, host: String, count: Int) {
        self.queue = queue
        self.host = host
        self.count = count
    }
}
