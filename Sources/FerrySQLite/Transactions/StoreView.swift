import FerryCore
import GRDB

/// The content of a store at one moment, for one caller's read.
///
/// It lives on the reader's queue only.
struct StoreView {
    /// The reading connection, inside a transaction.
    let db: Database
    /// The path of the database, for errors.
    let path: String
    /// Codes the parts of rows.
    let codec: RowCodec

    /// Creates a view on the reading connection.
    init(_ db: Database, path: String, codec: RowCodec) {
        self.db = db
        self.path = path
        self.codec = codec
    }

    /// One transfer.
    func transfer(_ id: TransferID) throws -> Transfer? {
        try BareStatement(TransferRow.byNumber, on: db).transfer({ $0.add(id.rawValue) }, codec: codec)?
            .transfer
    }

    /// One of many transfers; `nil` for a damaged one as well.
    func readableTransfer(_ id: TransferID) throws -> Transfer? {
        try codec.damage.reading(id) { try transfer(id) }
    }

    /// The damage of a row; `nil` for an intact or missing row.
    func damage(of id: TransferID) throws -> String? {
        do {
            _ = try transfer(id)
            return nil
        } catch let error as StoreError {
            guard let problem = error.damage else { throw error }
            return problem
        }
    }

    /// The latest completed transfer with an identity, unless it is `known`.
    ///
    /// Runs for each added transfer, so it reads the row only if it is not `known`.
    func completed(identity: StoredIdentity, besides known: TransferID? = nil) throws -> Transfer? {
        let latest = try BareStatement(Self.latestCompleted, on: db).first(
            { $0.add(identity.bytes) },
            codec: codec
        ) {
            TransferID(rawValue: try $0.integer(0))
        }
        guard let latest, latest != known else { return nil }
        return try readableTransfer(latest)
    }

    /// A page of transfers.
    ///
    /// The numbers come from the index of each wanted state. So a page of the few unfinished transfers does
    /// not read past the many final ones.
    func transfers(_ filter: TransferFilter, after: TransferID?, limit: Int) throws -> [Transfer] {
        var found: [Transfer] = []
        var last = after
        // Others replace damaged rows, so that a page that is not full is the last one.
        while found.count < limit {
            let numbers = try numbers(filter, after: last, limit: limit)
            for number in numbers where found.count < limit {
                if let transfer = try readableTransfer(TransferID(rawValue: number)) {
                    found.append(transfer)
                }
            }
            guard numbers.count == limit, let end = numbers.last else { break }
            last = TransferID(rawValue: end)
        }
        return found
    }

    private func numbers(_ filter: TransferFilter, after: TransferID?, limit: Int) throws -> [Int64] {
        let after = after?.rawValue ?? .min
        var numbers: [Int64] = []
        if case .waiting(let condition) = filter {
            let statement = try db.cachedStatement(sql: Self.waiting)
            numbers = try Int64.fetchAll(statement, arguments: [condition, after, limit])
        } else {
            let (queue, tag) = (filter.queue, filter.tag)
            let among = (queue == nil ? "" : " AND queue = ?") + (tag == nil ? "" : " AND tag = ?")
            // Few transfers have a tag, and very many share a state.
            let index = tag == nil ? "" : " INDEXED BY transfer_tag"
            let sql = { (state: String) in
                "SELECT id FROM transfer\(index) WHERE \(state)id > ?\(among) ORDER BY id LIMIT ?"
            }
            let names = [queue, tag?.text].compactMap(\.self)
            let behind = StatementArguments([after]) + StatementArguments(names) + [limit]
            if let states = filter.states {
                let statement = try db.cachedStatement(sql: sql("state = ? AND "))
                for state in Set(states) {
                    numbers += try Int64.fetchAll(statement, arguments: [state] + behind)
                }
                numbers = Array(numbers.sorted().prefix(limit))
            } else {
                numbers = try Int64.fetchAll(db.cachedStatement(sql: sql("")), arguments: behind)
            }
        }
        return numbers
    }

    static let waiting = "SELECT id FROM transfer WHERE condition = ? AND id > ? ORDER BY id LIMIT ?"

    /// The failed attempts of a transfer, oldest first.
    func attempts(of id: TransferID) throws -> [Attempt] {
        let statement = try db.cachedStatement(
            sql: "SELECT ended, failure, received FROM attempt WHERE transfer = ? ORDER BY number"
        )
        let cursor = try Row.fetchCursor(statement, arguments: [id.rawValue])
        var attempts: [Attempt] = []
        do {
            while let row = try cursor.next() {
                let reader = ColumnReader<Int>(row: row, codec: codec)
                attempts.append(
                    Attempt(
                        ended: Instant(milliseconds: try reader.integer(0)),
                        failure: try reader.json(1, TransferFailure.self),
                        received: try reader.integer(2)
                    )
                )
            }
        } catch let error as RowDamage {
            throw StoreError.damagedTransfer(id, "of an attempt: \(error)")
        }
        return attempts
    }

    /// The number of transfers in each state.
    func counts() throws -> [String: Int] {
        let cursor = try Row.fetchCursor(db, sql: "SELECT state, count FROM tally WHERE count > 0")
        var counts: [String: Int] = [:]
        while let row = try cursor.next() {
            counts[try row.decode(String.self, atIndex: 0)] = try row.decode(Int.self, atIndex: 1)
        }
        return counts
    }

    /// The earliest moment later than `moment` at which a waiting transfer becomes claimable by `owner`.
    func nextWakeTime(for owner: OwnerID, after moment: Instant) throws -> Instant? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT wake_at FROM transfer
                WHERE runnable = ? AND condition = ? AND wake_at IS NOT NULL AND wake_at > ?
                    AND (owner IS NULL OR owner = ?)
                ORDER BY wake_at LIMIT 1
                """
        )
        var moments: [Int64] = []
        for (condition, _) in StoreTransaction.timedWaits {
            moments += try [0, 1].compactMap { runnable in
                try Int64.fetchOne(
                    statement,
                    arguments: [runnable, condition, moment.milliseconds, owner.rawValue]
                )
            }
        }
        return moments.min().map { Instant(milliseconds: $0) }
    }
}

extension TransferFilter {
    /// The names of the states that pass; `nil` for all.
    fileprivate var states: [String]? {
        switch self {
        case .all, .waiting: nil
        case .unfinished: ["queued", "active", "waiting", "paused"]
        case .incomplete: ["queued", "active", "waiting", "paused", "failed"]
        case .state(let name): [name]
        case .among(let names, _, _): names
        }
    }

    /// The queue that passes; `nil` for every queue.
    fileprivate var queue: String? { if case .among(_, let queue, _) = self { queue } else { nil } }

    /// The tag that passes; `nil` for any or no tag.
    fileprivate var tag: TransferTag? { if case .among(_, _, let tag) = self { tag } else { nil } }
}
