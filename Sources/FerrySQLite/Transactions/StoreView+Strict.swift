import FerryCore
import GRDB

/// The front of strict queues: reads no more of a line than the queue has slots.
extension StoreView {
    /// The transfers at the front of a strict queue that an owner may claim.
    func front(of queue: TransferQueue, for claimant: Claimant, at now: Instant) throws -> [ClaimCandidate] {
        let horizon = now.advanced(by: WaitCondition.farthestRetry)
        let rows = try Row.fetchCursor(
            db.cachedStatement(sql: Self.front),
            arguments: [
                now.milliseconds, horizon.milliseconds, queue.name, queue.slots, claimant.owner.rawValue,
                claimant.leastBackground,
            ]
        )
        var candidates: [ClaimCandidate] = []
        while let row = try rows.next() {
            guard try row.decode(Bool.self, atIndex: 4) else { continue }
            let id = TransferID(rawValue: try row.decode(Int64.self, atIndex: 0))
            candidates.append(
                ClaimCandidate(
                    queue: queue.name,
                    host: try row.decode(String.self, atIndex: 1),
                    place: LinePlace(rawValue: try row.decode(Int64.self, atIndex: 2), id: id),
                    since: try row.decode(Int64.self, atIndex: 3)
                )
            )
        }
        return candidates
    }

    /// The first transfer of a strict queue, unless a transfer at the front keeps the line moving
    /// (`TransferState.movesItsLine`). Transfers of an unknown kind are left to the newer Ferry that added them.
    func holder(of queue: TransferQueue) throws -> TransferID? {
        let rows = try Row.fetchCursor(
            db.cachedStatement(sql: Self.moves),
            arguments: [queue.name, queue.slots]
        )
        var first: TransferID?
        while let row = try rows.next() {
            if try row.decode(Bool.self, atIndex: 1) { return nil }
            first = try first ?? TransferID(rawValue: row.decode(Int64.self, atIndex: 0))
        }
        return first
    }

    /// The value of the column `strict` for each queue in which it is not 0.
    func strictness() throws -> [String: Int] {
        let cursor = try Row.fetchCursor(
            db.cachedStatement(sql: "SELECT name, strict FROM queue WHERE strict > 0")
        )
        var strictness: [String: Int] = [:]
        while let row = try cursor.next() {
            strictness[try row.decode(String.self, atIndex: 0)] = try row.decode(Int.self, atIndex: 1)
        }
        return strictness
    }

    static let front = """
        SELECT id, host, place, coalesce(front, lined),
            runnable = 1 AND (owner IS NULL OR owner = ?5) AND runs_in_background >= ?6 AND \(StoredLines.isDue)
        FROM transfer INDEXED BY transfer_strict
        WHERE queue = ?3 AND \(StoreSchema.isInStrictLine) ORDER BY place, id LIMIT ?4
        """

    static let moves = """
        SELECT id, state = 'active' OR (state = 'queued' OR ifnull(condition, '') IN ('retry', 'window'))
            AND \(StoreSchema.isOfKnownKind("transfer.id"))
        FROM transfer INDEXED BY transfer_strict
        WHERE queue = ? AND \(StoreSchema.isInStrictLine) ORDER BY place, id LIMIT ?
        """
}
