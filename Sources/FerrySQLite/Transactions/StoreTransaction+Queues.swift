import FerryCore
import GRDB

extension StoreTransaction {
    /// Changes a queue; returns it as it is afterwards.
    func edit(queue name: String, _ edit: QueueEdit, at now: Instant) throws -> TransferQueue {
        let former = try StoreView(db, path: path, codec: codec).queue(named: name)
        let queue = try former.applying(edit)
        try replace(queue)
        if queue.order != former.order || queue.onFailure != former.onFailure { try label(name) }
        guard queue.isPaused, !former.isPaused else { return queue }
        for (id, _) in try running(in: name) {
            guard var row = try readableRow(id) else { continue }
            row.transfer.stepBack(at: now)
            try write(&row, .standing)
        }
        return queue
    }

    /// Records a queue in place of what was recorded of it.
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

    /// Notes with all transfers of a queue that stand in line, or may do so again, whether it is strict.
    private func label(_ queue: String) throws {
        try db.cachedStatement(sql: Self.labelling).execute(arguments: [queue])
        invisibleChanges += db.changesCount
    }

    static let labelling = """
        UPDATE transfer SET strict = ifnull((SELECT strict FROM queue WHERE name = ?1), 0) WHERE queue = ?1
        """

    /// Forgets what was changed about a queue; returns whether anything had been.
    func remove(queue name: String) throws -> Bool {
        if let (id, state) = try unfinished(in: name) { throw TransferQueue.inUse(name, by: id, state) }
        try db.cachedStatement(sql: "DELETE FROM turn WHERE queue = ?").execute(arguments: [name])
        try db.cachedStatement(sql: "DELETE FROM queue WHERE name = ?").execute(arguments: [name])
        guard db.changesCount > 0 else { return false }
        // What has failed may be tried again.
        try label(name)
        return true
    }

    /// One that stands in a queue and is not over, and its state.
    ///
    /// What runs or could run is found in an index. Only what waits for something else, or is paused, is looked through.
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

    /// Lets a transfer that was just added go before the others where its queue is full and cancels the oldest.
    func makeRoom(in queue: TransferQueue, for addition: Addition, at now: Instant) throws {
        if case .attached = addition { return }
        let newcomer = addition.transfer
        // One that comes after others is not in a hurry.
        guard newcomer.isReady(at: now) else { return }
        let admission = queue.admission(
            running: try running(in: queue.name).filter { $0.wish?.makesRoom != true }.map(\.id),
            waiting: try waiting(in: queue, beside: newcomer.id, at: now)
        )
        guard case .front(let displaced) = admission else { return }
        let front = try db.cachedStatement(sql: "UPDATE transfer SET front = ? WHERE id = ?")
        try front.execute(arguments: [LinePlace.front(newcomer.id), newcomer.id.rawValue])
        touch(HeadKey(newcomer))
        guard let displaced, var row = try readableRow(displaced) else { return }
        row.transfer.giveWay(to: newcomer.id, at: now)
        try write(&row, .standing)
        let turn = try turn(of: queue.name)
        try record([queue.name: ClaimPlan.turn(making: turn, within: queue.slots)])
    }

    private func turn(of queue: String) throws -> Int64? {
        let statement = try db.cachedStatement(sql: "SELECT moment FROM turn WHERE queue = ?")
        return try Int64.fetchOne(statement, arguments: [queue])
    }

    /// How many could run in a queue if there were room; no more are counted than it has slots.
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

    /// What runs in a queue, and what it has been asked for.
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
