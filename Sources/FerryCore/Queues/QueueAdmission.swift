/// What happens to a transfer that is added to a queue.
package enum QueueAdmission: Hashable, Sendable {
    /// It waits in line.
    case line
    /// The queue is full and cancels the oldest: the new transfer goes before all that wait. The given transfers, the
    /// oldest first, give way to it.
    case front(displacing: [TransferID])
}

/// An unfinished transfer, and when it was last asked for. The one that was asked for longest ago comes first.
package struct AskedTransfer: Hashable, Sendable, Comparable {
    package var id: TransferID
    /// In milliseconds. Within a queue, two transfers that were asked for again never have the same time.
    package var asked: Int64

    package init(_ id: TransferID, asked: Int64) {
        self.id = id
        self.asked = asked
    }

    /// The moment for a transfer that is asked for at `now`; it is after those of all `others`.
    package static func moment(after others: [AskedTransfer], at now: Instant) -> Int64 {
        max(now.milliseconds, others.map(\.asked).max().map { $0 &+ 1 } ?? .min)
    }

    package static func < (lhs: AskedTransfer, rhs: AskedTransfer) -> Bool {
        (lhs.asked, lhs.id) < (rhs.asked, rhs.id)
    }
}

extension TransferQueue {
    /// Decides what happens to a transfer that is added.
    ///
    /// - Parameters:
    ///   - running: the queue's running transfers that were not asked to end.
    ///   - waiting: how many others could run if slots were free; counting may stop at ``slots``.
    package func admission(running: [TransferID], waiting: Int) -> QueueAdmission {
        guard overflow == .cancelOldest, !hasRoom(beside: running.count + waiting) else { return .line }
        return .front(displacing: running.min().map { [$0] } ?? [])
    }

    /// Decides what happens to a transfer that is asked for in a queue that also cancels waiting ones
    /// (``Overflow/cancelOldestAlsoWaiting``).
    ///
    /// - Parameter others: its other unfinished transfers, without those that were asked to end.
    package func admission(beside others: [AskedTransfer]) -> QueueAdmission {
        guard overflow == .cancelOldestAlsoWaiting, !hasRoom(beside: others.count) else { return .line }
        return .front(displacing: others.sorted().prefix(others.count + 1 - slots).map(\.id))
    }
}
