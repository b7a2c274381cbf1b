/// Decides which of the transfers that could run are claimed, and in which order.
///
/// Within a queue the order is that of ``LinePlace``. A transfer is passed over while its host has enough running
/// transfers, or is held back. Between queues, the queue that has waited longest goes first. Its wait began when it was
/// last served or when its first transfer began to wait, whichever is later, and counts an hour more for each step of
/// its priority. So queues of equal priority take turns whatever their length, a queue of higher priority goes first,
/// and no queue starves. If a queue has cancelled a running transfer for its newest one
/// (``QueueAdmission/front(displacing:)``), that one starts before any queue takes its turn, because the queue freed
/// that slot itself.
///
/// The line of a strict queue holds only its first transfers, as many as it has slots (``TransferQueue/front(of:)``).
/// If the host of such a transfer has enough running transfers, or is held back, no transfer behind the first ones runs
/// instead.
package struct ClaimPlan: Sendable {
    private let queues: [String: TransferQueue]
    private var runningIn: [String: Int] = [:]
    private var runningTo: [String: Int] = [:]
    private var turns: [String: Int64]
    private let heldBack: Set<String>
    /// The latest turn of all queues, or the present moment.
    private var latestTurn: Int64
    /// The turns taken by this plan, by queue.
    package private(set) var newTurns: [String: Int64] = [:]

    /// A turn is counted in microseconds, so that turns within one millisecond have an order.
    private static let unit: Int64 = 1000

    /// Creates a plan.
    ///
    /// - Parameters:
    ///   - queues: the queues that were ever changed; any other is as ``TransferQueue/init(_:)`` makes it.
    ///   - running: what runs, over all processes.
    ///   - turns: when each queue was served last, as in ``newTurns``. A missing queue was never served.
    ///   - heldBack: the hosts that no claimed transfer may connect to.
    package init(
        queues: [TransferQueue],
        running: [RunningCount],
        turns: [String: Int64],
        heldBack: Set<String> = [],
        at now: Instant
    ) {
        self.queues = Dictionary(queues.map { ($0.name, $0) }) { $1 }
        self.turns = turns
        self.heldBack = heldBack
        latestTurn = max(Self.clamped(now.milliseconds) * Self.unit, turns.values.max() ?? .min)
        for count in running {
            runningIn[count.queue, default: 0] += count.count
            runningTo[count.host, default: 0] += count.count
        }
    }

    /// Returns the transfers to claim, in order.
    package mutating func draw<Lines: ClaimLines>(
        upTo limit: Int,
        from lines: inout Lines
    ) throws(Lines.Failure) -> [ClaimCandidate] {
        guard limit > 0 else { return [] }
        var heads: [String: ClaimCandidate] = [:]
        for queue in try lines.queues() { heads[queue] = try head(of: queue, in: &lines) }
        var drawn: [ClaimCandidate] = []
        while drawn.count < limit, let next = heads.values.min(by: isServedBefore) {
            drawn.append(next)
            start(next, isAlone: heads.count == 1)
            try lines.remove(next)
            guard drawn.count < limit else { break }
            let stale = heads.values.filter {
                $0.queue == next.queue || !admits($0.host, in: queue($0.queue))
            }
            for head in stale { heads[head.queue] = try self.head(of: head.queue, in: &lines) }
        }
        return drawn
    }

    private func head<Lines: ClaimLines>(
        of name: String,
        in lines: inout Lines
    ) throws(Lines.Failure) -> ClaimCandidate? {
        let queue = queue(name)
        guard !queue.isPaused, queue.hasRoom(beside: runningIn[name] ?? 0) else { return nil }
        return try lines.first(of: name) { admits($0, in: queue) }
    }

    private func admits(_ host: String, in queue: TransferQueue) -> Bool {
        queue.admits(hostRunning: runningTo[host] ?? 0) && !heldBack.contains(host)
    }

    /// The queues in which only the first transfers may run.
    package var strictQueues: [String: TransferQueue] { queues.filter { $0.value.order == .strict } }

    private func queue(_ name: String) -> TransferQueue { queues[name] ?? TransferQueue(name) }

    private mutating func start(_ candidate: ClaimCandidate, isAlone: Bool) {
        runningIn[candidate.queue, default: 0] += 1
        runningTo[candidate.host, default: 0] += 1
        let rooms = LinePlace.isFront(since: candidate.since) ? Self.rooms(in: turns[candidate.queue]) : 0
        if rooms > 1 { return take(Self.turn(with: rooms - 1), by: candidate.queue) }
        // A queue that is alone takes no turns, so there is nothing to remember.
        guard !isAlone || rooms > 0 else { return }
        // A transfer that was added while the clock was ahead counts as waiting since then. A turn must come after
        // that, too.
        latestTurn = max(latestTurn, waitsSince(candidate, priority: 0)) + 1
        take(latestTurn, by: candidate.queue)
    }

    private mutating func take(_ turn: Int64, by queue: String) {
        turns[queue] = turn
        newTurns[queue] = turn
    }

    private func isServedBefore(_ lhs: ClaimCandidate, _ rhs: ClaimCandidate) -> Bool {
        let isFirst = [lhs, rhs].map { head in
            LinePlace.isFront(since: head.since) && Self.rooms(in: turns[head.queue]) > 0
        }
        if isFirst[0] != isFirst[1] { return isFirst[0] }
        let (left, right) = (
            waitsSince(lhs, priority: queue(lhs.queue).priority),
            waitsSince(rhs, priority: queue(rhs.queue).priority)
        )
        return left == right ? lhs.place < rhs.place : left < right
    }

    /// The moment since which the queue of a candidate counts as waiting.
    private func waitsSince(_ head: ClaimCandidate, priority: Int) -> Int64 {
        let since = max(turns[head.queue] ?? .min, Self.clamped(head.since) * Self.unit)
        let most = LinePlace.highestPriority
        return since - Int64(max(-most, min(most, priority))) * LinePlace.step * Self.unit
    }

    /// Clamps a moment so that it can be counted in smaller units.
    private static func clamped(_ moment: Int64) -> Int64 { max(-(1 << 50), min(1 << 50, moment)) }
}

/// The number of slots that a queue has freed by cancelling running transfers is stored in its turn. It is a number
/// before all moments.
extension ClaimPlan {
    private static let foremostTurn = Int64.min / 2

    /// The turn of a queue that has asked one more of its running transfers to give way.
    ///
    /// - Parameter slots: the queue's number of slots; it cannot free more.
    package static func turn(making turn: Int64?, within slots: Int) -> Int64 {
        Self.turn(with: min(rooms(in: turn) + 1, max(1, slots)))
    }

    private static func turn(with rooms: Int) -> Int64 { foremostTurn - Int64(rooms) }

    private static func rooms(in turn: Int64?) -> Int {
        turn.map { $0 < foremostTurn ? Int(foremostTurn - $0) : 0 } ?? 0
    }
}
