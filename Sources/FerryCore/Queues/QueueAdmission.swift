/// What happens to a transfer that is added to a queue.
public enum QueueAdmission: Hashable, Sendable {
    /// It stands in line.
    case line
    /// The queue is full and cancels the oldest: the new transfer goes before all that wait, and a running one, if
    /// any, gives way to it.
    case front(displacing: TransferID?)
}

extension TransferQueue {
    /// Decides what happens to a transfer that is added.
    ///
    /// - Parameters:
    ///   - running: the queue's running transfers that were not asked to end.
    ///   - waiting: how many others could run if there were room; counting may stop at ``slots``.
    public func admission(running: [TransferID], waiting: Int) -> QueueAdmission {
        guard overflow == .cancelOldest, !hasRoom(beside: running.count + waiting) else { return .line }
        return .front(displacing: running.min())
    }
}
