import FerryCore
import GRDB

extension StoreTransaction {
    /// Claims what can run, in order.
    func claim(
        upTo limit: Int,
        only: Set<TransferID>?,
        for owner: OwnerID,
        at now: Instant
    ) throws -> [Transfer] {
        try requireOwner(owner)
        guard limit > 0, only?.isEmpty != true else { return [] }
        try noteDueWaits(at: now)
        return try candidates(upTo: limit, only: only, for: owner, at: now).compactMap { candidate in
            guard var row = try readableRow(candidate.id), row.transfer.isClaimable(by: owner, at: now) else {
                try setAside(candidate.id)
                return nil
            }
            row.transfer.becomeActive(for: owner, token: row.nextToken, at: now)
            try write(row, .standing)
            return row.transfer
        }
    }

    /// Lets waits that have ended stand in the index of what can run.
    ///
    /// Each is moved once, so a claim costs the same however many are due at once after that.
    private func noteDueWaits(at now: Instant) throws {
        for (sql, moment) in [(Self.noteDue, now), (Self.noteIncredible, Self.horizon(at: now))] {
            try db.cachedStatement(sql: sql).execute(arguments: [moment.milliseconds])
            invisibleChanges += db.changesCount
        }
    }

    /// The last moment for which a retry is believed to wait.
    private static func horizon(at now: Instant) -> Instant { now.advanced(by: WaitCondition.farthestRetry) }

    private func candidates(
        upTo limit: Int,
        only: Set<TransferID>?,
        for owner: OwnerID,
        at now: Instant
    ) throws -> [Candidate] {
        let lines = CandidateLines(free: try line(of: nil, at: now), held: try line(of: owner, at: now))
        guard let only else { return try lines.first(limit, within: .max) { _ in true } ?? [] }
        // Usually the wanted ones stand in front. Where they stand behind many others, looking each of them up
        // is the cheaper way, so the walk is bounded by what that would cost.
        if let found = try lines.first(limit, within: only.count + limit, where: { only.contains($0.id) }) {
            return found
        }
        let wanted = try only.compactMap { try candidate($0, for: owner, at: now) }
        return Array(wanted.sorted().prefix(limit))
    }

    /// What can run and is free, or held by `owner`, in the order of claims.
    private func line(of owner: OwnerID?, at now: Instant) throws -> RowCursor {
        let statement = try db.cachedStatement(sql: owner == nil ? Self.freeLine : Self.heldLine)
        return try Row.fetchCursor(
            statement,
            arguments: owner.map { moments(now) + [$0.rawValue] } ?? moments(now)
        )
    }

    /// What ``WaitCondition/hasEnded(at:)`` compares with: `?1` and `?2` of ``isDue``.
    private func moments(_ now: Instant) -> StatementArguments {
        [now.milliseconds, Self.horizon(at: now).milliseconds]
    }

    private func candidate(_ id: TransferID, for owner: OwnerID, at now: Instant) throws -> Candidate? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT id, priority FROM transfer
                WHERE id = ?4 AND runnable = 1 AND \(Self.isDue) AND (owner IS NULL OR owner = ?3)
                """
        )
        let cursor = try Row.fetchCursor(statement, arguments: moments(now) + [owner.rawValue, id.rawValue])
        return try cursor.next().map(Candidate.init)
    }

    /// A wait whose time has come stands in line from now on.
    static let noteDue =
        "UPDATE transfer SET runnable = 1 WHERE runnable = 0 AND wake_at IS NOT NULL AND wake_at <= ?"

    /// So does one that was set while the clock was wrong.
    static let noteIncredible = """
        UPDATE transfer SET runnable = 1
        WHERE runnable = 0 AND wake_at IS NOT NULL AND wake_at > ? AND condition = 'retry'
        """

    /// Asked again because the clock may have gone back or forth since the row was noted as due.
    private static let isDue = "(wake_at IS NULL OR wake_at <= ?1 OR (wake_at > ?2 AND condition = 'retry'))"

    /// What is free and can run.
    static let freeLine = """
        SELECT id, priority FROM transfer
        WHERE runnable = 1 AND \(isDue) AND owner IS NULL
        ORDER BY priority DESC, id
        """

    /// The same for what one owner holds.
    static let heldLine = """
        SELECT id, priority FROM transfer
        WHERE runnable = 1 AND \(isDue) AND owner = ?3
        ORDER BY priority DESC, id
        """
}
