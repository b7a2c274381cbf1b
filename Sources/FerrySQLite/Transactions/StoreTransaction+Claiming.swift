import FerryCore
import GRDB

extension StoreTransaction {
    /// How many rows are changed at most in one transaction because a time has come, or an owner has gone.
    static let portion = 1_000

    /// Claims what can run, in order.
    ///
    /// - Returns: `nil` when there was so much whose time has come that nothing was claimed yet; it is to be tried again.
    func claim(
        upTo limit: Int,
        only: Set<TransferID>?,
        heldBack: Set<String>,
        for owner: OwnerID,
        at now: Instant
    ) throws -> [Transfer]? {
        try requireOwner(owner)
        guard limit > 0, only?.isEmpty != true else { return [] }
        guard try noteDueWaits(at: now), try closeWindows(at: now) else { return nil }
        let drawn = try draw(upTo: limit, only: only, heldBack: heldBack, for: owner, at: now)
        return try drawn.compactMap { candidate in
            guard var row = try readableRow(candidate.id), row.transfer.isClaimable(by: owner, at: now) else {
                try setAside(candidate.id)
                return nil
            }
            row.transfer.becomeActive(for: owner, token: row.nextToken, at: now)
            try write(&row, .standing)
            return row.transfer
        }
    }

    /// The conditions that a moment ends, and how far ahead that may lie and be believed.
    static let timedWaits: [(condition: String, farthest: Duration)] = [
        ("retry", WaitCondition.farthestRetry), ("window", WaitCondition.farthestOpening),
    ]

    /// Lets waits that have ended stand in line.
    ///
    /// Each is moved once, so a claim costs the same however many are due at once after that; and no more than
    /// ``portion`` at once, as all others wait meanwhile.
    ///
    /// - Returns: whether there are no more of them.
    func noteDueWaits(at now: Instant) throws -> Bool {
        var rest = Self.portion
        for (condition, farthest) in Self.timedWaits {
            rest -= try note(Self.isDue, condition, now, upTo: rest)
            rest -= try note(Self.isIncredible, condition, now.advanced(by: farthest), upTo: rest)
        }
        rest -= try note(Self.isDelayed, "retry", now.advanced(by: WaitCondition.longestDelay), upTo: rest)
        try recordHeads()
        return rest > 0
    }

    private func note(
        _ isOver: String,
        _ condition: String,
        _ moment: Instant,
        upTo limit: Int
    ) throws -> Int {
        guard limit > 0 else { return 0 }
        let arguments: StatementArguments = [condition, moment.milliseconds, limit]
        let lines = try db.cachedStatement(sql: Self.linesOfWaits + isOver)
        let cursor = try Row.fetchCursor(lines, arguments: arguments)
        var count = 0
        while let row = try cursor.next() {
            touch(try HeadKey(row))
            count += 1
        }
        guard count > 0 else { return 0 }
        try db.cachedStatement(sql: Self.noteWaits + isOver + ")").execute(arguments: arguments)
        invisibleChanges += db.changesCount
        return count
    }

    /// What a ``ClaimPlan`` draws from the lines of the store.
    private func draw(
        upTo limit: Int,
        only: Set<TransferID>?,
        heldBack: Set<String>,
        for owner: OwnerID,
        at now: Instant
    ) throws -> [ClaimCandidate] {
        let view = StoreView(db, path: path, codec: codec)
        let plan = ClaimPlan(
            queues: try view.changedQueues(),
            running: try view.runningCounts(),
            turns: try view.turns(),
            heldBack: heldBack,
            at: now
        )
        guard let only else { return try draw(plan, limit, for: owner, at: now, only: nil, within: .max) }
        // Usually the wanted ones stand in front. Where they stand behind many others, looking each of them up
        // is the cheaper way, so the walk is bounded by what that would cost.
        do {
            return try draw(plan, limit, for: owner, at: now, only: only, within: only.count + limit)
        } catch is StoredLines.TooFar {
            var plan = plan
            var lines = ListedLines(try only.compactMap { try candidate($0, for: owner, at: now) })
            let drawn = plan.draw(upTo: limit, from: &lines)
            try record(plan.newTurns)
            return drawn
        }
    }

    private func draw(
        _ plan: ClaimPlan,
        _ limit: Int,
        for owner: OwnerID,
        at now: Instant,
        only: Set<TransferID>?,
        within bound: Int
    ) throws -> [ClaimCandidate] {
        var plan = plan
        var lines = StoredLines(db, for: owner, at: now, limit: limit, wanted: only, bound: bound)
        let drawn = try plan.draw(upTo: limit, from: &lines)
        try record(plan.newTurns)
        return drawn
    }

    /// Records when queues were served.
    func record(_ turns: [String: Int64]) throws {
        guard !turns.isEmpty else { return }
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO turn (queue, moment) VALUES (?, ?)
                ON CONFLICT (queue) DO UPDATE SET moment = excluded.moment
                """
        )
        for (queue, moment) in turns { try statement.execute(arguments: [queue, moment]) }
    }

    private func candidate(_ id: TransferID, for owner: OwnerID, at now: Instant) throws -> ClaimCandidate? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT queue, host, place, coalesce(front, lined, added) FROM transfer
                WHERE id = ?4 AND runnable = 1 AND \(StoredLines.isDue) AND (owner IS NULL OR owner = ?3)
                """
        )
        let horizon = now.advanced(by: WaitCondition.farthestRetry)
        let cursor = try Row.fetchCursor(
            statement,
            arguments: [now.milliseconds, horizon.milliseconds, owner.rawValue, id.rawValue]
        )
        return try cursor.next().map { row in
            ClaimCandidate(
                queue: try row.decode(String.self, atIndex: 0),
                host: try row.decode(String.self, atIndex: 1),
                place: LinePlace(rawValue: try row.decode(Int64.self, atIndex: 2), id: id),
                since: try row.decode(Int64.self, atIndex: 3)
            )
        }
    }

    /// A wait whose time has come stands in line from now on.
    static let isDue =
        "runnable = 0 AND condition = ?1 AND wake_at IS NOT NULL AND wake_at <= ?2"
        + earliestFirst

    /// So does one that was set while the clock was wrong.
    static let isIncredible =
        "runnable = 0 AND condition = ?1 AND wake_at IS NOT NULL AND wake_at > ?2"
        + earliestFirst

    /// So does one that would last longer than was meant, because the clock went back.
    static let isDelayed =
        "runnable = 0 AND condition = ?1 AND wake_at IS NOT NULL AND updated > ?2"
        + " ORDER BY updated, id LIMIT ?3"

    private static let earliestFirst = " ORDER BY wake_at, id LIMIT ?3"

    static let linesOfWaits = "SELECT queue, owner, host FROM transfer WHERE "

    static let noteWaits = "UPDATE transfer SET runnable = 1 WHERE id IN (SELECT id FROM transfer WHERE "
}
