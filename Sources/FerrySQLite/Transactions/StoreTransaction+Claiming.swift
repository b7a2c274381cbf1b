import FerryCore
import GRDB

extension StoreTransaction {
    /// Maximum rows changed in one transaction because their time has come or their owner has gone.
    static let portion = 1_000

    /// Claims transfers that can run, in order.
    func claim(
        upTo limit: Int,
        only: TransferIDSet?,
        heldBack: HeldBack,
        beside others: [RunningCount] = [],
        recordsSending: Bool = false,
        for owner: OwnerID,
        at now: Instant
    ) throws -> WriteStep<[Transfer]> {
        try requireOwner(owner)
        guard limit > 0, only?.isEmpty != true else { return .done([]) }
        let found = try findings(at: now)
        if found.contains(.overdue) { return .overdue }
        if found.contains(.toNote) {
            guard try freeOrphans(), try noteDueWaits(at: now), try closeWindows(at: now) else {
                return .unfinished
            }
        }
        let claimant = Claimant(owner: owner, isInBackground: heldBack.isInBackground)
        let plan = try view.claimPlan(heldBack: heldBack.hosts, beside: others, at: now)
        let drawn = try draw(plan, upTo: limit, only: only, for: claimant, at: now)
        let claimed: [Transfer] = try drawn.compactMap { candidate in
            guard var row = try readableRow(candidate.id) else {
                try setAside(candidate.id)
                return nil
            }
            guard row.transfer.isClaimable(by: owner, at: now) else {
                try takeOutOfLine(row)
                return nil
            }
            codec.remember(row.work, of: candidate.id)
            let isRecorded = row.transfer.becomeActive(
                for: owner,
                token: row.nextToken,
                recordsSending: recordsSending,
                at: now
            )
            if isRecorded {
                requirePower()
                // So that the end of the attempt need not decode it.
                codec.prepare(row.transfer.work.progress, of: candidate.id)
            }
            return try write(row)
        }
        return .done(claimed)
    }

    /// What a claim must handle first.
    private struct Findings: OptionSet {
        let rawValue: Int64
        /// Orphans, waits that have ended, or windows that may have closed.
        static let toNote = Findings(rawValue: 1)
        /// Deadlines that have passed.
        static let overdue = Findings(rawValue: 2)
    }

    /// Looks for what a claim must handle first. Usually that is nothing, and one statement shows it.
    private func findings(at now: Instant) throws -> Findings {
        let found = try BareStatement(Self.somethingToNote, on: db).first(
            { values in
                values.add(now.milliseconds)
                for (_, farthest) in Self.timedWaits { values.add(now.advanced(by: farthest).milliseconds) }
                values.add(now.advanced(by: WaitCondition.longestDelay).milliseconds)
            },
            codec: codec
        ) { try $0.integer(0) }
        return Findings(rawValue: found ?? 0)
    }

    /// Removes a row that is in line but cannot run. Only another program leaves such a row.
    private func takeOutOfLine(_ row: TransferRow) throws {
        switch row.transfer.state {
        case .queued, .waiting(.retry), .waiting(.window): try setAside(row.transfer.id)
        case .active, .waiting, .paused, .completed, .failed, .cancelled: try store(row)
        }
    }

    /// The conditions that end at a moment, and how far in the future a believable moment may be.
    static let timedWaits: [(condition: WaitCondition.Name, farthest: Duration)] = [
        (.retry, WaitCondition.farthestRetry), (.window, WaitCondition.farthestOpening),
    ]

    /// Puts transfers whose wait has ended in line.
    ///
    /// Each is moved once, so the number of due transfers does not slow later claims. One call moves up to ``portion`` of
    /// them, because all other writers wait meanwhile.
    ///
    /// - Returns: whether none are left.
    func noteDueWaits(at now: Instant) throws -> Bool {
        var rest = Self.portion
        for (condition, farthest) in Self.timedWaits {
            rest -= try note(Self.isDue, condition, now, upTo: rest)
            rest -= try note(Self.isIncredible, condition, now.advanced(by: farthest), upTo: rest)
        }
        rest -= try note(Self.isDelayed, .retry, now.advanced(by: WaitCondition.longestDelay), upTo: rest)
        try recordHeads()
        return rest > 0
    }

    private func note(
        _ isOver: String,
        _ condition: WaitCondition.Name,
        _ moment: Instant,
        upTo limit: Int
    ) throws -> Int {
        guard limit > 0 else { return 0 }
        let arguments: StatementArguments = [condition.rawValue, moment.milliseconds, limit]
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

    /// The transfers that a ``ClaimPlan`` draws from the lines of the store.
    private func draw(
        _ plan: ClaimPlan,
        upTo limit: Int,
        only: TransferIDSet?,
        for claimant: Claimant,
        at now: Instant
    ) throws -> [ClaimCandidate] {
        let view = self.view
        let suspects = try view.suspects()
        if !suspects.isEmpty, try view.runningCount(of: claimant.owner) == 0 {
            let alone = try draw(plan, 1, listed: suspects, only, for: claimant, at: now)
            if !alone.isEmpty { return alone }
        }
        guard let only else {
            return try draw(plan, limit, for: claimant, at: now, only: nil, beside: suspects, within: .max)
                ?? []
        }
        // Usually the wanted transfers are in front, so a walk finds them. If many others are before them, looking up
        // each one is cheaper, so the walk is bounded by that cost.
        let bound = only.count + limit
        return try draw(plan, limit, for: claimant, at: now, only: only, beside: suspects, within: bound)
            ?? draw(plan, limit, listed: Set(only).subtracting(suspects), nil, for: claimant, at: now)
    }

    /// Draws only from the transfers in `ids`.
    private func draw(
        _ plan: ClaimPlan,
        _ limit: Int,
        listed ids: Set<TransferID>,
        _ only: TransferIDSet?,
        for claimant: Claimant,
        at now: Instant
    ) throws -> [ClaimCandidate] {
        var plan = plan
        let view = self.view
        var lines = try view.lines(of: ids, only: only, strict: plan.strictQueues, for: claimant, at: now)
        let drawn = plan.draw(upTo: limit, from: &lines)
        try record(plan.newTurns)
        return drawn
    }

    /// Draws from the front of the lines; `nil` when more than `bound` transfers would have to be looked at.
    private func draw(
        _ plan: ClaimPlan,
        _ limit: Int,
        for claimant: Claimant,
        at now: Instant,
        only: TransferIDSet?,
        beside suspects: Set<TransferID>,
        within bound: Int
    ) throws -> [ClaimCandidate]? {
        var plan = plan
        var lines = StoredLines(
            view,
            strict: plan.strictQueues,
            for: claimant,
            at: now,
            limit: limit,
            wanted: only,
            unwanted: suspects,
            bound: bound
        )
        let drawn = try plan.draw(upTo: limit, from: &lines)
        if lines.isTooLong { return nil }
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

    /// Selects waits that are due and can be put in line.
    static let isDue =
        "runnable = 0 AND condition = ?1 AND wake_at IS NOT NULL AND wake_at <= ?2"
        + earliestFirst

    /// Selects waits that were set while the clock was wrong.
    static let isIncredible =
        "runnable = 0 AND condition = ?1 AND wake_at IS NOT NULL AND wake_at > ?2"
        + earliestFirst

    /// Selects waits that would last longer than intended, because the clock went back.
    static let isDelayed =
        "runnable = 0 AND condition = ?1 AND wake_at IS NOT NULL AND updated > ?2"
        + " ORDER BY updated, id LIMIT ?3"

    static let somethingToNote = """
        SELECT (EXISTS (\(someWait) condition = 'retry' AND wake_at IS NOT NULL AND wake_at <= ?1)
            OR EXISTS (\(someWait) condition = 'window' AND wake_at IS NOT NULL AND wake_at <= ?1)
            OR EXISTS (\(someWait) condition = 'retry' AND wake_at IS NOT NULL AND wake_at > ?2)
            OR EXISTS (\(someWait) condition = 'window' AND wake_at IS NOT NULL AND wake_at > ?3)
            OR EXISTS (\(someWait) condition = 'retry' AND wake_at IS NOT NULL AND updated > ?4)
            OR EXISTS (SELECT 1 FROM transfer INDEXED BY transfer_window WHERE runnable = 1 AND time_window IS NOT NULL)
            OR EXISTS (\(missingOwners)))
            + 2 * EXISTS (SELECT 1 FROM transfer INDEXED BY transfer_deadline WHERE \(StoreSchema.hasDeadline)
                AND not_after <= ?1 AND \(isKnown))
        """

    private static let someWait = "SELECT 1 FROM transfer WHERE runnable = 0 AND"

    private static let earliestFirst = " ORDER BY wake_at, id LIMIT ?3"

    private static let isKnown = StoreSchema.isOfKnownKind("transfer.id")

    static let linesOfWaits = "SELECT \(HeadKey.columns) FROM transfer WHERE \(isKnown) AND "

    static let noteWaits =
        "UPDATE transfer SET runnable = 1 WHERE id IN (SELECT id FROM transfer WHERE \(isKnown) AND "
}
