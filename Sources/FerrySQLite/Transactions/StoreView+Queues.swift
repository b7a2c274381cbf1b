import FerryCore
import GRDB

extension StoreView {
    /// The queues that were ever changed, by name.
    ///
    /// A queue with a damaged row counts as paused, because its pause flag is unknown. The others keep
    /// running.
    func changedQueues() throws -> [TransferQueue] {
        try readQueues().map { queue in
            switch queue {
            case .whole(let queue): queue
            case .damaged(let name, _): Self.unreadable(name)
            }
        }
    }

    /// The queues whose rows cannot be read, and what is wrong with each.
    func damagedQueues() throws -> [(name: String, problem: String)] {
        try readQueues().compactMap {
            if case .damaged(let name, let problem) = $0 { (name, problem) } else { nil }
        }
    }

    /// The queue that is used in place of one whose row cannot be read.
    static func unreadable(_ name: String) -> TransferQueue {
        var queue = TransferQueue(name)
        queue.isPaused = true
        return queue
    }

    private func readQueues() throws -> [StoredQueue] {
        var queues: [StoredQueue] = []
        try BareStatement(Self.allSettings, on: db).forEach({ _ in }, codec: codec) { row in
            queues.append(try queue(row))
        }
        return queues
    }

    /// A queue that was changed, if its row can be read.
    private enum StoredQueue {
        case whole(TransferQueue)
        case damaged(name: String, problem: String)
    }

    /// One queue: the stored one, or the default.
    func queue(named name: String) throws -> TransferQueue {
        let statement = try BareStatement(Self.settings + " WHERE name = ?", on: db)
        let stored = try statement.first({ $0.add(name) }, codec: codec) { row in try queue(row) }
        switch stored {
        case .whole(let queue)?: return queue
        case .damaged?: return Self.unreadable(name)
        case nil: return TransferQueue(name)
        }
    }

    /// Every queue that was changed or in which a transfer runs or could run, by name.
    ///
    /// - Parameter bound: see ``countsInLine(bound:)``.
    func queues(countingUpTo bound: Int = 4_096) throws -> [QueueSummary] {
        var summaries: [String: QueueSummary] = [:]
        for queue in try changedQueues() {
            summaries[queue.name] = QueueSummary(queue, running: 0, waiting: 0)
        }
        for count in try runningCounts() {
            summaries[count.queue, default: Self.plain(count.queue)].running += count.count
        }
        for (name, count) in try countsInLine(bound: bound) {
            summaries[name, default: Self.plain(name)].waiting = count
        }
        for queue in summaries.values.map(\.queue) where queue.order == .strict {
            summaries[queue.name]?.heldBy = try holder(of: queue)
        }
        return summaries.values.sorted { $0.id < $1.id }
    }

    /// The queues with a transfer in line, for any holder.
    func queuesInLine() throws -> [String] {
        var queues: [String] = []
        while let queue = try queueInLine(after: queues.last) { queues.append(queue) }
        return queues
    }

    private func queueInLine(after last: String?) throws -> String? {
        let sql = last == nil ? StoredLines.firstQueue : StoredLines.nextQueue
        return try BareStatement(sql, on: db).firstMap(
            { values in
                if let last { values.add(last) }
            },
            codec: codec
        ) { try $0.optionalText(0) }
    }

    /// The number of transfers in line in each queue.
    ///
    /// The number of all is known, so the longest queue is what the others leave, and is not counted.
    ///
    /// - Parameter bound: the first bound up to which each queue is counted. It is raised until only one is longer.
    private func countsInLine(bound: Int) throws -> [String: Int] {
        let statement = try db.cachedStatement(sql: Self.someInLine)
        var counts: [String: Int] = [:]
        var open = try queuesInLine()
        var bound = bound
        while true {
            for name in open {
                counts[name] = try Int.fetchOne(statement, arguments: [name, bound]) ?? 0
            }
            open = open.filter { counts[$0] == bound }
            guard open.count > 1 else { break }
            bound *= 8
        }
        guard let longest = open.first else { return counts }
        let others = counts.reduce(0) { $1.key == longest ? $0 : $0 + $1.value }
        // A wrong number of all, which the next opening mends, hides no transfer.
        counts[longest] = max(bound, try countInLine() - others)
        return counts
    }

    /// The number of transfers in line in all queues: the queued ones, and the waits whose end a claim has seen.
    private func countInLine() throws -> Int {
        let statement = try db.cachedStatement(sql: Self.seenWaits)
        return try StoreTransaction.timedWaits.reduce(counts()[.queued, default: 0]) { sum, wait in
            let seen = try Int.fetchOne(statement, arguments: [wait.condition.rawValue]) ?? 0
            return sum + seen
        }
    }

    /// Counts the transfers in line in a queue up to a bound.
    private static let someInLine = """
        SELECT count(*) FROM (
            SELECT 1 FROM transfer INDEXED BY transfer_line WHERE runnable = 1 AND queue = ? LIMIT ?
        )
        """

    private static let seenWaits = """
        SELECT count(*) FROM transfer INDEXED BY transfer_wake
        WHERE runnable = 1 AND condition = ? AND wake_at IS NOT NULL
        """

    /// The number of running transfers by queue and host, without those of the owner `leftOut`.
    func runningCounts(leavingOut leftOut: OwnerID? = nil) throws -> [RunningCount] {
        // Usually this reads only the index.
        let statement = try db.cachedStatement(sql: leftOut == nil ? Self.running : Self.runningElsewhere)
        let arguments: StatementArguments = if let leftOut { [leftOut.rawValue] } else { [] }
        let cursor = try Row.fetchCursor(statement, arguments: arguments)
        var counts: [RunningCount] = []
        while let row = try cursor.next() {
            counts.append(
                RunningCount(
                    queue: try row.decode(String.self, atIndex: 0),
                    host: try row.decode(String.self, atIndex: 1),
                    count: try row.decode(Int.self, atIndex: 2)
                )
            )
        }
        return counts
    }

    /// When competing queues were last served.
    func turns() throws -> [String: Int64] {
        let cursor = try Row.fetchCursor(db.cachedStatement(sql: "SELECT queue, moment FROM turn"))
        var turns: [String: Int64] = [:]
        while let row = try cursor.next() {
            turns[try row.decode(String.self, atIndex: 0)] = try row.decode(Int64.self, atIndex: 1)
        }
        return turns
    }

    /// Whether a transfer waits only for a free slot in its queue or for a route to its host. Queues that are paused,
    /// or held by their first transfer, do not count.
    ///
    /// Due waits that no claim has put in line yet count as well.
    func waitsForRoom(_ owner: OwnerID, at now: Instant) throws -> Bool {
        let statement = try db.cachedStatement(
            sql: """
                SELECT EXISTS (
                    SELECT 1 FROM head
                    WHERE owner IN (0, ?1) AND queue NOT IN (SELECT value FROM json_each(?3)) AND EXISTS (
                        SELECT 1 FROM transfer
                        WHERE runnable = 1 AND queue = head.queue AND owner IS nullif(head.owner, 0)
                            AND host = head.host AND runs_in_background = head.runs_in_background
                            AND \(StoreSchema.isOfKnownKind("transfer.id")) LIMIT 1
                    )
                ) OR EXISTS (
                    SELECT 1 FROM transfer INDEXED BY transfer_wake
                    WHERE runnable = 0 AND condition IN ('retry', 'window') AND wake_at IS NOT NULL AND wake_at <= ?2
                        AND (owner IS NULL OR owner = ?1)
                        AND queue NOT IN (SELECT value FROM json_each(?3))
                        AND \(StoreSchema.isOfKnownKind("transfer.id"))
                )
                """
        )
        let still = try changedQueues().filter { queue in
            try queue.isPaused || queue.order == .strict && holder(of: queue) != nil
        }
        let names = try codec.texts.encodeJSON(still.map(\.name))
        return try Bool.fetchOne(statement, arguments: [owner.rawValue, now.milliseconds, names]) ?? false
    }

    static let running = """
        SELECT queue, host, count(*) FROM transfer INDEXED BY transfer_active
        WHERE state = 'active' GROUP BY queue, host
        """

    /// The running transfers, without those of one owner.
    static let runningElsewhere = """
        SELECT queue, host, count(*) FROM transfer INDEXED BY transfer_active
        WHERE state = 'active' AND owner IS NOT ? GROUP BY queue, host
        """

    private static let settings =
        "SELECT name, slots, overflow, per_host, is_paused, rate_limit, priority, line_order, on_failure FROM queue"

    private static let allSettings = settings + " ORDER BY name"

    private static func plain(_ name: String) -> QueueSummary {
        QueueSummary(TransferQueue(name), running: 0, waiting: 0)
    }

    private func queue(_ reader: ColumnReader<Int>) throws -> StoredQueue {
        let name = try reader.text(0)
        do {
            var queue = TransferQueue(name)
            queue.slots = Int(try reader.integer(1))
            queue.overflow = try reader.named(2, "overflow", TransferQueue.Overflow.init(rawValue:))
            queue.perHost = Int(try reader.integer(3))
            queue.isPaused = try reader.integer(4) != 0
            if let limit = try reader.optionalInteger(5) {
                queue.rateLimit = try RateLimit(bytesPerSecond: limit)
            }
            queue.priority = Int(try reader.integer(6))
            queue.order = try reader.named(7, "order", TransferQueue.Order.init(rawValue:))
            queue.onFailure = try reader.named(8, "way to fail", TransferQueue.OnFailure.init(rawValue:))
            if queue.slots < 0 || queue.perHost < 0 { throw TransferQueue.Flaw.negative }
            return .whole(queue)
        } catch {
            return .damaged(name: name, problem: "queue \(reader.rowNumber) cannot be read: \(error)")
        }
    }
}
