import FerryCore
import GRDB

/// The order between transfers. A row of the table `dependency` is there as long as what it names is not completed, so
/// whoever has none waits for nothing.
extension StoreTransaction {
    /// Those of the transfers that are not completed yet, each once.
    ///
    /// - Throws: ``StoreError`` for one after which nothing can come.
    func awaited(_ ids: [TransferID]) throws -> [TransferID] {
        try Set(ids).sorted().filter { try Transfer.isAwaited($0, in: stateName(of: $0)) }
    }

    /// Lets a transfer that was just inserted wait for others.
    func comeAfter(_ others: [TransferID], _ id: TransferID, at now: Instant) throws -> Transfer {
        var row = try existingRow(id)
        row.transfer.comeAfter(others, at: now)
        try write(&row, .standing)
        return row.transfer
    }

    /// Fails when a transfer would come after itself, or wait in vain.
    ///
    /// - Parameter others: what it has not come after until now.
    func checkDependencies(of transfer: Transfer, adding others: [TransferID]) throws {
        let cycle = try transfer.refusalOfCycle(after: others) { id throws(any Error) in
            try dependencies(of: id)
        }
        let vain = try transfer.refusalOfVainWait { id throws(any Error) in try stateName(of: id) }
        if let refusal = cycle ?? vain { throw refusal }
    }

    /// Writes down what a transfer comes after.
    func writeDependencies(_ transfer: Transfer) throws {
        try forgetDependencies(of: transfer.id)
        for other in transfer.dependencies {
            let insertion = try db.cachedStatement(
                sql: "INSERT INTO dependency (transfer, needs) VALUES (?, ?)"
            )
            try insertion.execute(arguments: [transfer.id.rawValue, other.rawValue])
        }
    }

    /// A transfer has ended: those that come after it are queued, or fail with all that come after them, and with what stands
    /// behind them in strict queues.
    ///
    /// - Parameter isNew: whether it was not in that state before.
    func passOn(_ ended: Transfer, isNew: Bool) throws {
        guard let failure = ended.failureOfDependents else {
            return try release(dependentsOf: ended)
        }
        var ends = [End(id: ended.id, state: ended.state, failure: failure)]
        // A line of any length is walked without recursion.
        while let end = ends.popLast() {
            for id in try ids(Self.dependents, end.id) {
                guard var row = try dependentRow(id) else { continue }
                guard row.transfer.dependencyFailed(end.failure, at: ended.updated) else { continue }
                try put(&row, .standing)
                ends.append(End(id: id, state: row.transfer.state, failure: end.failure))
            }
            if isNew || end.id != ended.id { try failBehind(end, &ends, at: ended.updated) }
        }
    }

    /// One that has ended, and whose end means something for others.
    private struct End {
        var id: TransferID
        var state: TransferState
        /// Why those fail that come after it.
        var failure: TransferFailure
        /// Whether all behind it have failed already.
        var isBehind = false
    }

    /// Lets those fail that stand behind a transfer which has failed, in a strict queue.
    private func failBehind(_ end: End, _ ends: inout [End], at now: Instant) throws {
        guard !end.isBehind, case .failed(let failure) = end.state else { return }
        let cursor = try Row.fetchCursor(
            db.cachedStatement(sql: Self.failingPlace),
            arguments: [end.id.rawValue]
        )
        guard let row = try cursor.next() else { return }
        let (queue, place) = (
            try row.decode(String.self, atIndex: 0), try row.decode(Int64.self, atIndex: 1)
        )
        let consequence = Transfer.failureBehind(end.id, in: queue, failure)
        let behind = try Int64.fetchAll(
            db.cachedStatement(sql: Self.behind),
            arguments: [queue, place, end.id.rawValue]
        )
        for id in behind.map(TransferID.init(rawValue:)) {
            guard var row = try dependentRow(id), row.transfer.headFailed(consequence, at: now) else {
                continue
            }
            try put(&row, .standing)
            guard let failure = row.transfer.failureOfDependents, try !ids(Self.dependents, id).isEmpty
            else { continue }
            ends.append(End(id: id, state: row.transfer.state, failure: failure, isBehind: true))
        }
    }

    /// Where a failed transfer stands in a strict queue in which those behind it fail with it.
    private static let failingPlace = "SELECT queue, place FROM transfer WHERE id = ? AND strict = 2"

    static let behind = """
        SELECT id FROM transfer INDEXED BY transfer_strict
        WHERE queue = ?1 AND \(StoreSchema.isInStrictLine) AND (place, id) > (?2, ?3) ORDER BY place, id
        """

    /// Queues those that waited for nothing but a transfer that is completed now.
    private func release(dependentsOf completed: Transfer) throws {
        // Most have none, and this is asked for each transfer.
        let isAwaited = try BareStatement(Self.anyDependent, on: db).first(
            { $0.add(completed.id.rawValue) },
            codec: codec
        ) { _ in true }
        guard isAwaited != nil else { return }
        let ready = try ids(Self.lastDependents, completed.id)
        let removal = try db.cachedStatement(sql: "DELETE FROM dependency WHERE needs = ?")
        try removal.execute(arguments: [completed.id.rawValue])
        for id in ready {
            guard var row = try dependentRow(id) else { continue }
            guard row.transfer.dependencyCompleted(completed.id, at: completed.updated) else { continue }
            try put(&row, .standing)
        }
    }

    /// The row of a transfer that comes after others. One that is damaged is set aside, and what is noted of one that does
    /// not exist is removed.
    private func dependentRow(_ id: TransferID) throws -> TransferRow? {
        if let row = try undamagedRow(id) { return row }
        if try stateName(of: id) == nil {
            try forgetDependencies(of: id)
        } else {
            try setAside(id)
        }
        return nil
    }

    /// Removes what is noted of what a transfer comes after.
    func forgetDependencies(of id: TransferID) throws {
        let removal = try db.cachedStatement(sql: "DELETE FROM dependency WHERE transfer = ?")
        try removal.execute(arguments: [id.rawValue])
    }

    private func dependencies(of id: TransferID) throws -> [TransferID] {
        try ids("SELECT needs FROM dependency WHERE transfer = ?", id)
    }

    func stateName(of id: TransferID) throws -> String? {
        let statement = try db.cachedStatement(sql: Self.stateOfAny)
        return try String.fetchOne(statement, arguments: [id.rawValue])
    }

    private func ids(_ sql: String, _ id: TransferID) throws -> [TransferID] {
        try Int64.fetchAll(try db.cachedStatement(sql: sql), arguments: [id.rawValue])
            .map(TransferID.init(rawValue:))
    }

    private static let stateOfAny =
        "SELECT state FROM transfer WHERE id = ?1 UNION ALL SELECT state FROM ended WHERE id = ?1"

    private static let anyDependent = "SELECT 1 FROM dependency WHERE needs = ? LIMIT 1"

    /// What comes after a transfer.
    static let dependents = "SELECT transfer FROM dependency WHERE needs = ? ORDER BY transfer"

    /// What comes after a transfer and after no other one; of those others one is enough to be told apart, however many
    /// there are.
    static let lastDependents = """
        SELECT transfer FROM dependency AS own WHERE needs = ?1 AND NOT EXISTS (
            SELECT 1 FROM dependency AS other WHERE other.transfer = own.transfer AND other.needs <> ?1
        ) ORDER BY transfer
        """
}
