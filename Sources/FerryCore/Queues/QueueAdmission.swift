/// What happens to a transfer that is added to a queue.
package enum QueueAdmission: Hashable, Sendable {
    /// It stands in line.
    case line
    /// The queue is full and cancels the oldest: the new one goes before all that wait, and these give way to it, the oldest
    /// first.
    case front(displacing: [TransferID])
}

/// A transfer that is not over, and when it was asked for last. The one asked for longest ago comes first.
package struct AskedTransfer: Hashable, Sendable, Comparable {
    package var id: TransferID
    /// In milliseconds; within a queue no two that were asked for again are equal.
    package var asked: Int64

    package init(_ id: TransferID, asked: Int64) {
        self.id = id
        self.asked = asked
    }

    /// The moment for one that is asked for at `now`, after all `others`.
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
    ///   - waiting: how many others could run if there were room; counting may stop at ``slots``.
    package func admission(running: [TransferID], waiting: Int) -> QueueAdmission {
        guard overflow == .cancelOldest, !hasRoom(beside: running.count + waiting) else { return .line }
        return .front(displacing: running.min().map { [$0] } ?? [])
    }

    /// Decides what becomes of a transfer that is asked for in a queue that also cancels what waits
    /// (``Overflow/cancelOldestAlsoWaiting``).
    ///
    /// - Parameter others: its other transfers that are not over, without those that are asked to be cancelled.
    package func admission(beside others: [AskedTransfer]) -> QueueAdmission {
        guard overflow == .cancelOldestAlsoWaiting, !hasRoom(beside: others.count) else { return .line }
        return .front(displacing: others.sorted().prefix(others.count + 1 - slots).map(\.id))
    }
}
