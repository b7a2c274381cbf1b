import FerryCore
import GRDB

/// The reads of a claim.
extension StoreView {
    /// A plan before its first draw, without the running transfers of the owner `leftOut`.
    func claimPlan(
        heldBack: Set<String>,
        beside others: [RunningCount] = [],
        leavingOut leftOut: OwnerID? = nil,
        at now: Instant
    ) throws -> ClaimPlan {
        ClaimPlan(
            queues: try changedQueues(),
            running: try runningCounts(leavingOut: leftOut) + others,
            turns: try turns(),
            heldBack: heldBack,
            at: now
        )
    }

    /// The transfers in line that must run alone.
    func suspects() throws -> Set<TransferID> {
        var suspects: Set<TransferID> = []
        try BareStatement(Self.suspects, on: db).forEach({ _ in }, codec: codec) { row in
            suspects.insert(TransferID(rawValue: try row.integer(0)))
        }
        return suspects
    }

    /// The number of transfers that an owner runs.
    func runningCount(of owner: OwnerID) throws -> Int {
        let statement = try db.cachedStatement(
            sql:
                "SELECT count(*) FROM transfer INDEXED BY transfer_owner WHERE owner = ? AND state = 'active'"
        )
        return try Int.fetchOne(statement, arguments: [owner.rawValue]) ?? 0
    }

    /// The lines of the transfers that an owner may claim.
    ///
    /// - Parameter strict: the strict queues, by their names.
    func lines(
        of ids: Set<TransferID>,
        only: TransferIDSet?,
        strict: [String: TransferQueue],
        for claimant: Claimant,
        at now: Instant
    ) throws -> ListedLines {
        let wanted = only.map { only in ids.filter { only.contains($0) } } ?? ids
        let candidates = try wanted.compactMap { try candidate($0, for: claimant, at: now) }
        let queues = strict.filter { name, _ in candidates.contains { $0.queue == name } }
        let fronts = try queues.mapValues { Set(try front(of: $0, for: claimant, at: now).map(\.id)) }
        return ListedLines(candidates, fronts: fronts)
    }

    private func candidate(
        _ id: TransferID,
        for claimant: Claimant,
        at now: Instant
    ) throws -> ClaimCandidate? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT queue, host, place, coalesce(front, lined) FROM transfer
                WHERE id = ?4 AND runnable = 1 AND (owner IS NULL OR owner = ?3) AND runs_in_background >= ?5
                    AND \(StoredLines.isDue)
                """
        )
        let horizon = now.advanced(by: WaitCondition.farthestRetry)
        let cursor = try Row.fetchCursor(
            statement,
            arguments: [
                now.milliseconds, horizon.milliseconds, claimant.owner.rawValue, id.rawValue,
                claimant.leastBackground,
            ]
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

    static let suspects =
        "SELECT id FROM transfer INDEXED BY transfer_suspect WHERE deaths >= 2 AND runnable = 1"
}
