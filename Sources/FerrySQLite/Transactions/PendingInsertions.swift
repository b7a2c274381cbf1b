import FerryCore
import GRDB

/// A new transfer, which is inserted into `work` and `transfer`.
struct Insertion {
    /// The transfer.
    let transfer: Transfer
    /// What it does.
    let work: StoredWork
    /// When its wait in line began, if later than its addition.
    let lined: Int64?
    /// The kind of its queue for the column `strict`.
    let strictness: Int
}

/// New transfers that are inserted many at a time.
///
/// SQLite opens a table and all its indexes once for each statement. For one row that takes as long as the insertion.
struct PendingInsertions {
    /// How many transfers one statement inserts.
    static let portion = 32

    private let db: Database
    private var insertions: [Insertion] = []
    private var identities: Set<StoredIdentity> = []

    /// Creates an empty list.
    init(_ db: Database) {
        self.db = db
    }

    /// Whether a pending transfer has this identity.
    func contains(_ identity: StoredIdentity?) -> Bool {
        identity.map(identities.contains) ?? false
    }

    /// Adds a transfer to the list, and inserts the whole list when it is full.
    mutating func add(_ insertion: Insertion) throws {
        insertions.append(insertion)
        if let identity = insertion.work.identity { identities.insert(identity) }
        if insertions.count == Self.portion { try insert() }
    }

    /// Inserts the transfers of the list and empties it.
    mutating func insert() throws {
        if insertions.count == Self.portion {
            try insert(insertions[...], Self.works, Self.transfers)
        } else {
            for index in insertions.indices {
                try insert(insertions[index...index], Self.work, Self.transfer)
            }
        }
        insertions.removeAll(keepingCapacity: true)
        identities.removeAll(keepingCapacity: true)
    }

    private func insert(_ insertions: ArraySlice<Insertion>, _ works: String, _ transfers: String) throws {
        let room = insertions.count * StatementBinder.room
        try BareStatement(works, on: db).execute(room: room) { values in
            for insertion in insertions { insertion.addWork(to: &values) }
        }
        try BareStatement(transfers, on: db).execute(room: room) { values in
            for insertion in insertions { insertion.addTransfer(to: &values) }
        }
    }

    /// Inserts one row into `work`.
    static let work = statement(into: "work", workColumns, rows: 1)

    /// Inserts one row into `transfer`.
    static let transfer = statement(into: "transfer", transferColumns, rows: 1)

    /// Inserts ``portion`` rows into `work`.
    static let works = statement(into: "work", workColumns, rows: portion)

    /// Inserts ``portion`` rows into `transfer`.
    static let transfers = statement(into: "transfer", transferColumns, rows: portion)

    private static func statement(into table: String, _ columns: String, rows: Int) -> String {
        let count = columns.split(separator: ",").count
        let row = "(" + Array(repeating: "?", count: count).joined(separator: ", ") + ")"
        let values = Array(repeating: row, count: rows).joined(separator: ", ")
        // A failure ends the whole write, so SQLite need not undo this statement alone. That would copy each page that a
        // statement for several rows changes.
        return "INSERT OR FAIL INTO \(table) (\(columns)) VALUES \(values)"
    }

    private static let workColumns =
        "id, kind, uuid, is_given, type, tag, url, directory, name, stream, options, body, identity, digest, added, lined"

    private static let transferColumns = """
        id, queue, priority, host, time_window, not_after, runs_in_background, state, condition, wake_at, runnable, owner, token, updated,
        lined, for_queue, strict
        """
}

extension Insertion {
    /// The columns of `work`.
    fileprivate func addWork(to values: inout StatementBinder) {
        values.add(transfer.id.rawValue)
        values.add(transfer.kind.rawValue)
        values.add(transfer.uuid.bytes)
        values.add(transfer.uuid.number != transfer.id)
        values.add(transfer.type?.text)
        values.add(transfer.tag?.text)
        values.add(work)
        values.add(transfer.added.milliseconds)
        values.add(lined)
    }

    /// The columns of `transfer`.
    fileprivate func addTransfer(to values: inout StatementBinder) {
        let state = StateColumns(transfer.state)
        values.add(transfer.id.rawValue)
        values.add(transfer.queue)
        values.add(transfer.priority)
        values.add(transfer.work.host)
        values.add(StoredWork.text(of: transfer.work.terms.window))
        values.add(transfer.work.terms.notAfter?.milliseconds)
        values.add(transfer.runsInBackground)
        values.add(transfer.state.name.rawValue)
        values.add(state.condition?.rawValue)
        values.add(state.wakeAt)
        values.add(state.runnable)
        values.add(transfer.claim?.owner.rawValue)
        values.add(transfer.claim?.token ?? 0)
        values.add(transfer.updated.milliseconds)
        values.add(lined ?? transfer.added.milliseconds)
        values.add(transfer.isForQueue)
        values.add(strictness)
    }
}
