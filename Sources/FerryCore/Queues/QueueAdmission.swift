/// What becomes of a transfer that is added to a queue.
public enum QueueAdmission: Hashable, Sendable {
    /// It stands in line.
    case line
    /// The queue is full and cancels the oldest: the new one goes before all that wait, and a running one gives way to it,
    /// if there is one left.
    case front(displacing: TransferID?)
}

extension TransferQueue {
    /// Decides what becomes of a transfer that is added.
    ///
    /// - Parameters:
    ///   - running: its running transfers that nobody has asked to end.
    ///   - waiting: how many others could run if there were room; counting may stop at ``slots``.
    public func admission(running: [TransferID], waiting: Int) -> QueueAdmission {
        guard overflow == .cancelOldest, !hasRoom(beside: running.count + waiting) else { return .line }
        return .front(displacing: running.min())
    }
}
