import FerryCore
import GRDB

extension StoreTransaction {
    /// Changes a queue; returns the new queue.
    func edit(queue name: String, _ edit: QueueEdit, at now: Instant) throws -> TransferQueue {
        let former = try StoreView(db, path: path, codec: codec).queue(named: name)
        let queue = try former.applying(edit)
        try replace(queue)
        let isAsBefore =
            (queue.order, queue.onFailure, queue.overflow) == (
                former.order, former.onFailure, former.overflow
            )
        if !isAsBefore { try label(name) }
        guard queue.isPaused, !former.isPaused else { return queue }
        for (id, _) in try running(in: name) {
            guard var row = try readableRow(id) else { continue }
            row.transfer.stepBack(at: now)
            try write(&row, .standing)
        }
        return queue
    }

    /// Stores a queue, replacing any earlier row.
    func replace(_ queue: TransferQueue) throws {
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
    }

    /// Updates the column `strict` of the queue's transfers that stand in line or may do so again.
    private func label(_ queue: String) throws {
        let statement = try db.cachedStatement(sql: Self.labelling)
        for state in ["queued", "active", "waiting", "paused", "failed"] {
            try statement.execute(arguments: [queue, state])
            invisibleChanges += db.changesCount
        }
    }

    static let labelling = """
        UPDATE transfer SET strict = ifnull((SELECT strict FROM queue WHERE name = ?1), 0) WHERE state = ?2 AND queue = ?1
        """

    /// Forgets the changes to a queue; returns whether there were any.
    func remove(queue name: String) throws -> Bool {
        if let (id, state) = try unfinished(in: name) { throw TransferQueue.inUse(name, by: id, state) }
        try db.cachedStatement(sql: "DELETE FROM turn WHERE queue = ?").execute(arguments: [name])
        try db.cachedStatement(sql: "DELETE FROM queue WHERE name = ?").execute(arguments: [name])
        guard db.changesCount > 0 else { return false }
        // A failed transfer may be tried again.
        try label(name)
        return true
    }

    /// A transfer of a queue that is not over, and its state.
    ///
    /// An index finds those that run or could run. Only those that are paused or wait for something else are
    /// scanned.
    private func unfinished(in queue: String) throws -> (TransferID, String)? {
        for sql in [Self.runningInQueue, Self.runnableInQueue] {
            let cursor = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: [queue])
            guard let row = try cursor.next() else { continue }
            return (
                TransferID(rawValue: try row.decode(Int64.self, atIndex: 0)),
                try row.decode(String.self, atIndex: 1)
            )
        }
        let rest = TransferFilter.among(["waiting", "paused"], queue: queue)
        let view = StoreView(db, path: path, codec: codec)
        return try view.transfers(rest, after: nil, limit: 1).first.map { ($0.id, $0.state.name) }
    }

    private static let runningInQueue = """
        SELECT id, state FROM transfer INDEXED BY transfer_active WHERE state = 'active' AND queue = ? LIMIT 1
        """

    private static let runnableInQueue = """
        SELECT id, state FROM transfer INDEXED BY transfer_line WHERE runnable = 1 AND queue = ? LIMIT 1
        """

    /// Moves a new transfer to the front of a full queue that cancels its oldest.
    func makeRoom(in queue: TransferQueue, for addition: Addition, at now: Instant) throws {
        if queue.overflow == .cancelOldestAlsoWaiting {
            return try noteAsked(addition.transfer, in: queue, at: now)
        }
        if case .attached = addition { return }
        let newcomer = addition.transfer
        // A transfer that cannot run yet displaces no other.
        guard newcomer.isReady(at: now) else { return }
        let admission = queue.admission(
            running: try running(in: queue.name).filter { $0.wish?.makesRoom != true }.map(\.id),
            waiting: try waiting(in: queue, beside: newcomer.id, at: now)
        )
        guard case .front(let displaced) = admission else { return }
        try displace(displaced, in: queue, for: newcomer, at: now)
    }

    /// Lets a transfer go before all that wait in its queue, and others give way to it.
    func displace(
        _ displaced: [TransferID],
        in queue: TransferQueue,
        for newcomer: Transfer,
        at now: Instant
    ) throws {
        if newcomer.state == .queued {
            let front = try db.cachedStatement(sql: "UPDATE transfer SET front = ? WHERE id = ?")
            try front.execute(arguments: [LinePlace.front(newcomer.id), newcomer.id.rawValue])
            touch(HeadKey(newcomer))
        }
        for id in displaced {
            guard var row = try readableRow(id) else { continue }
            row.transfer.giveWay(to: newcomer.id, at: now)
            try write(&row, .standing)
            guard row.transfer.state == .active else { continue }
            let turn = try turn(of: queue.name)
            try record([queue.name: ClaimPlan.turn(making: turn, within: queue.slots)])
        }
    }

    private func turn(of queue: String) throws -> Int64? {
        let statement = try db.cachedStatement(sql: "SELECT moment FROM turn WHERE queue = ?")
        return try Int64.fetchOne(statement, arguments: [queue])
    }

    /// How many more could run in a queue with free slots; counts up to its number of slots.
    private func waiting(in queue: TransferQueue, beside id: TransferID, at now: Instant) throws -> Int {
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
    private func running(in queue: String) throws -> [(id: TransferID, wish: Wish?)] {
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
