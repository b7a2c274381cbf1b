import FerryCore
import GRDB

/// The order between transfers. The table `dependency` has a row until the needed transfer completes. A
/// transfer without rows waits for nothing.
extension StoreTransaction {
    /// Stores the dependencies of a transfer.
    func writeDependencies(_ transfer: Transfer) throws {
        try forgetDependencies(of: transfer.id)
        for other in transfer.dependencies {
            let insertion = try db.cachedStatement(
                sql: "INSERT INTO dependency (transfer, needs) VALUES (?, ?)"
            )
            try insertion.execute(arguments: [transfer.id.rawValue, other.rawValue])
            ties.note(.dependents)
        }
    }

    /// The transfers behind a failed one that fail with it; `nil` if its queue has no such rule.
    func lineBehind(_ id: TransferID) throws -> (queue: String, ids: [TransferID])? {
        let cursor = try Row.fetchCursor(
            db.cachedStatement(sql: Self.failingPlace),
            arguments: [id.rawValue]
        )
        guard let row = try cursor.next() else { return nil }
        let queue = try row.decode(String.self, atIndex: 0)
        let place = try row.decode(Int64.self, atIndex: 1)
        let behind = try Int64.fetchAll(
            db.cachedStatement(sql: Self.behind),
            arguments: [queue, place, id.rawValue]
        )
        return (queue, behind.map(TransferID.init(rawValue:)))
    }

    /// The place of a failed transfer in a strict queue where those behind it fail as well.
    private static let failingPlace = "SELECT queue, place FROM transfer WHERE id = ? AND strict = 2"

    static let behind = """
        SELECT id FROM transfer INDEXED BY transfer_strict
        WHERE queue = ?1 AND \(StoreSchema.isInStrictLine) AND (place, id) > (?2, ?3) ORDER BY place, id
        """

    /// Ends all dependencies on a completed transfer.
    func release(dependentsOf id: TransferID) throws -> [TransferID] {
        // Most have no dependents, and this runs for each transfer.
        guard try ties.mayBe(.dependents) else { return [] }
        let isAwaited = try BareStatement(Self.anyDependent, on: db).first(
            { $0.add(id.rawValue) },
            codec: codec
        ) { _ in true }
        guard isAwaited != nil else { return [] }
        let ready = try ids(Self.lastDependents, id)
        let removal = try db.cachedStatement(sql: "DELETE FROM dependency WHERE needs = ?")
        try removal.execute(arguments: [id.rawValue])
        return ready
    }

    /// The transfers that come after a transfer, in order.
    func dependents(of id: TransferID) throws -> [TransferID] {
        try ties.mayBe(.dependents) ? ids(Self.dependents, id) : []
    }

    /// The transfers that come after a transfer and may need values of its response, in order.
    func takers(of id: TransferID) throws -> [TransferID] {
        try ties.mayBe(.dependents) ? ids(Self.takers, id) : []
    }

    /// Deletes the dependencies of a transfer.
    func forgetDependencies(of id: TransferID) throws {
        let removal = try db.cachedStatement(sql: "DELETE FROM dependency WHERE transfer = ?")
        try removal.execute(arguments: [id.rawValue])
    }

    /// The transfers that a transfer comes after.
    func dependencies(of id: TransferID) throws -> [TransferID] {
        try ids("SELECT needs FROM dependency WHERE transfer = ?", id)
    }

    /// The state of a transfer; `nil` if no transfer has that number.
    func stateName(of id: TransferID) throws -> TransferState.Name? {
        let statement = try db.cachedStatement(sql: Self.stateOfAny)
        return try String.fetchOne(statement, arguments: [id.rawValue]).map(stateName(reading:))
    }

    private func ids(_ sql: String, _ id: TransferID) throws -> [TransferID] {
        try Int64.fetchAll(try db.cachedStatement(sql: sql), arguments: [id.rawValue])
            .map(TransferID.init(rawValue:))
    }

    private static let stateOfAny =
        "SELECT state FROM transfer WHERE id = ?1 UNION ALL SELECT state FROM ended WHERE id = ?1"

    private static let anyDependent = "SELECT 1 FROM dependency WHERE needs = ? LIMIT 1"

    /// The transfers that come after a transfer.
    static let dependents = "SELECT transfer FROM dependency WHERE needs = ? ORDER BY transfer"

    /// Those of them whose request names values. The options are searched as text, because they may be damaged.
    static let takers = """
        SELECT dependency.transfer FROM dependency JOIN work ON work.id = dependency.transfer
        WHERE dependency.needs = ? AND instr(work.options, '"values":{') > 0 ORDER BY dependency.transfer
        """

    /// The transfers that come after this one only.
    static let lastDependents = """
        SELECT transfer FROM dependency AS own WHERE needs = ?1 AND NOT EXISTS (
            SELECT 1 FROM dependency AS other WHERE other.transfer = own.transfer AND other.needs <> ?1
        ) ORDER BY transfer
        """
}
