import Ferry
import GRDB

/// Takes rows over into Ferry's store.
///
/// A row is deleted only after its transfer is durable in the store. Until then another attempt finds the transfer by the
/// UUID of the row, and adds nothing. So the process may die between any two steps.
struct OutboxTakeover {
    /// What became of a row.
    enum Outcome {
        /// The store has it, as the transfer with this UUID.
        case taken(TransferUUID)
        /// It cannot be taken over, for this reason.
        case refused(String)
    }

    private let client: any TransferAccess
    private let retention: Retention
    private var outcomes: [(row: OutboxRow, outcome: Outcome)] = []
    /// The transfers of the rows of this batch so far.
    private var known: [TransferUUID: TransferID] = [:]
    /// The rows that go to the store together next.
    private var ready: [(row: OutboxRow, new: NewTransfer)] = []

    /// Takes rows over in their order.
    ///
    /// - Parameter retention: how long the store remembers completed transfers.
    /// - Returns: what became of each.
    /// - Throws: `StoreError` when the store cannot be read or written. Each row is then still in the table.
    static func run(
        _ rows: [OutboxRow],
        into client: any TransferAccess,
        retention: Retention
    ) async throws(StoreError) -> [(row: OutboxRow, outcome: Outcome)] {
        var takeover = OutboxTakeover(client: client, retention: retention)
        for row in rows { try await takeover.take(row) }
        try await takeover.addReady()
        return takeover.outcomes
    }

    private init(client: any TransferAccess, retention: Retention) {
        self.client = client
        self.retention = retention
    }

    private mutating func take(_ row: OutboxRow) async throws(StoreError) {
        var new: NewTransfer
        let uuid: TransferUUID
        let others: [TransferUUID]
        do throws(OutboxForm.Refusal) {
            (uuid, others, new) = (try row.uuid(), try row.others(), try row.transfer())
        } catch {
            outcomes.append((row, .refused(error.reason)))
            return
        }
        if try await mayBeForgotten(row, uuid) {
            let reason =
                "It is unknown whether it was taken over: an attempt began long ago, and Ferry may have "
                + "completed and forgotten it since."
            outcomes.append((row, .refused(reason)))
            return
        }
        // A transfer has a number to come after only when the store has it.
        if ready.contains(where: { $0.new.uuid.map(others.contains) ?? false }) { try await addReady() }
        for other in others {
            guard let id = try await number(of: other) else {
                outcomes.append((row, .refused("It comes after \(other), which is not in Ferry's store.")))
                return
            }
            new.after.append(id)
        }
        ready.append((row, new))
    }

    private func number(of uuid: TransferUUID) async throws(StoreError) -> TransferID? {
        if let id = known[uuid] { return id }
        return try await client.find(uuid: uuid)?.id
    }

    /// Whether an earlier attempt may have added the transfer, and the store may have completed and forgotten it since. To add
    /// it again could then send it twice.
    private func mayBeForgotten(_ row: OutboxRow, _ uuid: TransferUUID) async throws(StoreError) -> Bool {
        guard let begun = row.begun, !retention.isUnbounded else { return false }
        guard try await client.find(uuid: uuid) == nil else { return false }
        // The store forgets first what ended first. While it knows one that ended before the attempt, it knows all later ones.
        for try await earlier in client.transfers(.state(.completed)) {
            if earlier.updated < begun.moment { return false }
            break
        }
        // Half of the age leaves room for clocks that differ.
        if let limit = retention.age, begun.age * 2 >= limit { return true }
        let counts = try await client.counts()
        let ended = counts[.completed, default: 0] + counts[.cancelled, default: 0]
        return retention.excess(of: ended + 1) > 0
    }

    /// Adds the ready rows in one commit, or one by one if the store refuses one of them.
    private mutating func addReady() async throws(StoreError) {
        defer { ready = [] }
        guard !ready.isEmpty else { return }
        do throws(StoreError) {
            let additions = try await client.add(ready.map(\.new))
            for (entry, addition) in zip(ready, additions) { note(entry, addition) }
        } catch  where error.concernsOneTransfer {
            for entry in ready { try await addAlone(entry) }
        }
    }

    private mutating func addAlone(_ entry: (row: OutboxRow, new: NewTransfer)) async throws(StoreError) {
        do throws(StoreError) {
            for addition in try await client.add([entry.new]) { note(entry, addition) }
        } catch  where error.concernsOneTransfer {
            outcomes.append((entry.row, .refused(error.description)))
        }
    }

    private mutating func note(_ entry: (row: OutboxRow, new: NewTransfer), _ addition: Addition) {
        if let uuid = entry.new.uuid { known[uuid] = addition.transfer.id }
        outcomes.append((entry.row, .taken(addition.transfer.uuid)))
    }

    // MARK: Afterwards

    /// Deletes rows that were taken over, and notes why others were refused.
    static func settle(_ outcomes: [(row: OutboxRow, outcome: Outcome)], in db: Database) throws {
        let deletion = try db.cachedStatement(sql: "DELETE FROM ferry_outbox WHERE id = ?")
        let refusal = try db.cachedStatement(sql: "UPDATE ferry_outbox SET refused = ? WHERE id = ?")
        for (row, outcome) in outcomes {
            switch outcome {
            case .taken(let uuid):
                if try row.uuid() != uuid { try rename(row, uuid, in: db) }
                try deletion.execute(arguments: [row.id])
            case .refused(let reason): try refusal.execute(arguments: [reason, row.id])
            }
        }
    }

    /// Lets the rows that come after a download come after the existing transfer that does the same.
    private static func rename(_ row: OutboxRow, _ uuid: TransferUUID, in db: Database) throws {
        try db.execute(
            sql: """
                UPDATE ferry_outbox SET comes_after = replace(lower(comes_after), ?1, ?2)
                WHERE instr(lower(comes_after), ?1)
                """,
            arguments: [row.uuidText.lowercased(), uuid.description]
        )
    }
}

extension StoreError {
    /// Whether only one transfer is refused, and the store works.
    fileprivate var concernsOneTransfer: Bool {
        switch self {
        case .noSuchTransfer, .noTransferNamed, .otherTransferNamed, .notPossible, .refusedQueue,
            .refusedNode, .refusedPool,
            .damagedTransfer, .newerTransfer:
            true
        case .claimLost, .ownerRemoved, .foreign, .newer, .unreleased, .corrupt, .unavailable, .writeFailed:
            false
        }
    }
}
