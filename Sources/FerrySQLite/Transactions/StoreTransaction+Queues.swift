import FerryCore
import GRDB

extension StoreTransaction {
    /// One queue: the stored one, or the default.
    func queue(named name: String) throws -> TransferQueue { try view.queue(named: name) }

    /// Stores a queue, replacing any earlier row.
    func replace(_ queue: TransferQueue) throws {
        let former = try self.queue(named: queue.name)
        let statement = try db.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO queue (name, slots, overflow, per_host, is_paused, rate_limit, priority,
                    line_order, on_failure)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        )
        try statement.execute(arguments: [
            queue.name, queue.slots, queue.overflow.rawValue, queue.perHost, queue.isPaused,
            queue.rateLimit.bytesPerSecond, queue.priority, queue.order.rawValue, queue.onFailure.rawValue,
        ])
        let isAsBefore =
            (queue.order, queue.onFailure, queue.overflow) == (
                former.order, former.onFailure, former.overflow
            )
        if !isAsBefore { try label(queue.name) }
    }

    /// Updates the column `strict` of the queue's transfers that are in line or may return to it.
    private func label(_ queue: String) throws {
        try db.cachedStatement(sql: Self.labelling).execute(arguments: [queue])
        invisibleChanges += db.changesCount
    }

    static let labelling = """
        UPDATE transfer SET strict = ifnull((SELECT strict FROM queue WHERE name = ?1), 0) WHERE queue = ?1
        """

    /// Forgets the changes to a queue; returns whether there were any.
    func deleteQueue(named name: String) throws -> Bool {
        try db.cachedStatement(sql: "DELETE FROM turn WHERE queue = ?").execute(arguments: [name])
        try db.cachedStatement(sql: "DELETE FROM queue WHERE name = ?").execute(arguments: [name])
        guard db.changesCount > 0 else { return false }
        // A failed transfer may be tried again.
        try label(name)
        return true
    }

    /// An unfinished transfer of a queue, and its state.
    ///
    /// An index finds those that run or could run. Only those that are paused or wait for something else are
    /// scanned.
    func unfinished(in queue: String) throws -> (id: TransferID, state: TransferState.Name)? {
        for sql in [Self.runningInQueue, Self.runnableInQueue] {
            let cursor = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: [queue])
            guard let row = try cursor.next() else { continue }
            return (
                TransferID(rawValue: try row.decode(Int64.self, atIndex: 0)),
                stateName(reading: try row.decode(String.self, atIndex: 1))
            )
        }
        let rest = TransferFilter.states([.waiting, .paused]).of(queue: queue)
        return try view.transfers(rest, in: .oldestFirst(after: nil), limit: 1).first.map {
            ($0.id, $0.state.name)
        }
    }

    private static let runningInQueue = """
        SELECT id, state FROM transfer INDEXED BY transfer_active WHERE state = 'active' AND queue = ? LIMIT 1
        """

    private static let runnableInQueue = """
        SELECT id, state FROM transfer INDEXED BY transfer_line WHERE runnable = 1 AND queue = ? LIMIT 1
        """

    /// Puts a transfer before all others that wait in its queue.
    func letGoFirst(_ transfer: Transfer) throws {
        let front = try db.cachedStatement(sql: "UPDATE transfer SET front = ? WHERE id = ?")
        try front.execute(arguments: [LinePlace.front(transfer.id), transfer.id.rawValue])
        touch(HeadKey(transfer))
    }

    /// When a queue was last served.
    func turn(of queue: String) throws -> Int64? {
        let statement = try db.cachedStatement(sql: "SELECT moment FROM turn WHERE queue = ?")
        return try Int64.fetchOne(statement, arguments: [queue])
    }

    /// The number of waiting transfers that could run in a queue; counts up to its number of slots.
    func waiting(in queue: TransferQueue, beside id: TransferID, at now: Instant) throws -> Int {
        let statement = try db.cachedStatement(
            sql: """
                SELECT count(*) FROM (
                    SELECT 1 FROM transfer INDEXED BY transfer_line
                    WHERE runnable = 1 AND queue = ?3 AND id <> ?4 AND \(StoredLines.isDue) LIMIT ?5
                )
                """
        )
        let horizon = now.advanced(by: WaitCondition.farthestRetry)
        return try Int.fetchOne(
            statement,
            arguments: [now.milliseconds, horizon.milliseconds, queue.name, id.rawValue, queue.slots]
        ) ?? 0
    }

    /// The running transfers of a queue, and their wishes.
    func running(in queue: String) throws -> [(id: TransferID, wish: Wish?)] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT id, wish FROM transfer INDEXED BY transfer_active
                WHERE state = 'active' AND queue = ? ORDER BY id
                """
        )
        let cursor = try Row.fetchCursor(statement, arguments: [queue])
        var running: [(id: TransferID, wish: Wish?)] = []
        while let row = try cursor.next() {
            running.append(
                (
                    TransferID(rawValue: try row.decode(Int64.self, atIndex: 0)),
                    try row.decode(String?.self, atIndex: 1).flatMap(Wish.init(name:))
                )
            )
        }
        return running
    }
}
