import FerryCore
import GRDB

/// The columns of a transfer that change together.
///
/// A change writes only the groups with a difference. SQLite checks each index of a column that a statement
/// names, even if the value stays the same.
struct ColumnGroups: OptionSet {
    let rawValue: Int

    /// Its state, its holder and its wish.
    static let place = ColumnGroups(rawValue: 1)
    /// Its end, or its latest failure.
    static let outcome = ColumnGroups(rawValue: 2)
    /// The ledger of its attempts.
    static let ledger = ColumnGroups(rawValue: 4)
    init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The groups to write of a row whose place may have changed.
    init(changedIn row: TransferRow) {
        let (former, latest) = (row.former, row.transfer)
        self = .place
        if former.ledger != latest.ledger { insert(.ledger) }
        let isSameEnd = former.state == latest.state || !former.state.isFinal && !latest.state.isFinal
        if !isSameEnd || row.hasStrayFailure || former.latestFailure != latest.latestFailure
            || former.finished != latest.finished
        {
            insert(.outcome)
        }
    }

    /// The statement that writes these groups of one transfer.
    var statement: String { Self.statements[rawValue] }

    private static let statements = (0..<8).map { number -> String in
        let groups = ColumnGroups(rawValue: number)
        let columns = all.filter { groups.contains($0.group) }.map(\.columns) + ["updated = ?"]
        return "UPDATE transfer SET \(columns.joined(separator: ", ")) WHERE id = ?"
    }

    private static let all: [(group: ColumnGroups, columns: String)] = [
        (
            .place,
            """
            state = ?, condition = ?, wake_at = ?, needed = ?, runnable = ?, owner = ?, token = ?, attempts = ?,
            attempt_started = ?, wish = ?, for_queue = ?, front = CASE WHEN ? THEN front END
            """
        ),
        (.outcome, "failure = ?, latest_failure = ?, finished = ?"),
        (
            .ledger,
            "deaths = ?, best_received = ?, received_at_death = ?, unknown_hosts = ?, is_left = ?, left_retry_at = ?"
        ),
    ]
}

extension StoreTransaction {
    /// Writes groups of a row in one statement, so that SQLite writes the row once.
    func write(_ groups: ColumnGroups, of row: TransferRow) throws {
        let transfer = row.transfer
        let state = StateColumns(transfer.state)
        try BareStatement(groups.statement, on: db).execute { values in
            if groups.contains(.place) {
                values.add(transfer.state.name.rawValue)
                values.add(state)
                values.add(transfer.claim?.owner.rawValue)
                // An issued token is never withdrawn, even if the owner did not get the transfer.
                values.add(max(row.token, transfer.claim?.token ?? 0))
                values.add(transfer.attempts)
                values.add(transfer.attemptStarted?.milliseconds)
                values.add(transfer.wish?.name)
                values.add(transfer.isForQueue)
                values.add(transfer.keepsFront)
            }
            if groups.contains(.outcome) {
                values.add(try state.failure.map { try codec.texts.encodeJSON($0) })
                values.add(try transfer.latestFailure.map { try codec.texts.encodeJSON($0) })
                values.add(transfer.finished?.milliseconds)
            }
            if groups.contains(.ledger) { values.add(transfer.ledger) }
            values.add(transfer.updated.milliseconds)
            values.add(transfer.id.rawValue)
        }
    }

    /// Moves a completed or cancelled transfer to the table `ended`.
    func end(_ transfer: Transfer) throws {
        try BareStatement(Self.ending, on: db).execute { values in
            values.add(transfer.id.rawValue)
            values.add(transfer.queue)
            values.add(transfer.priority)
            values.add(transfer.state.name.rawValue)
            values.add(transfer.attempts)
            values.add(transfer.attemptStarted?.milliseconds)
            values.add(try transfer.latestFailure.map { try codec.texts.encodeJSON($0) })
            values.add(transfer.updated.milliseconds)
            values.add(transfer.finished?.milliseconds)
            values.add(transfer.ledger.deaths)
            values.add(transfer.ledger.bestReceived)
            values.add(transfer.ledger.receivedAtDeath)
            values.add(transfer.ledger.unknownHosts)
            values.add(transfer.remover.rawValue)
            values.add(transfer.savedPath.map { StoredTrace(path: $0).number })
            values.add(transfer.savedDigest.map { StoredTrace(digest: $0).number })
        }
        let removal = try BareStatement("DELETE FROM transfer WHERE id = ?", on: db)
        try removal.execute { $0.add(transfer.id.rawValue) }
    }

    static let ending = """
        INSERT OR REPLACE INTO ended (id, queue, priority, state, attempts, attempt_started, latest_failure, updated,
            finished, deaths, best_received, received_at_death, unknown_hosts, residue, saved_path, saved_digest)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    /// Writes the progress of a transfer; a transfer that has not begun has no row.
    func write(_ progress: WorkProgress, of id: TransferID) throws {
        try write(codec.columns(of: progress, of: id), of: id)
    }

    /// Writes the columns of a progress; without any, there is no row.
    func write(_ stored: StoredProgress, of id: TransferID) throws {
        guard !stored.isEmpty else {
            let removal = try BareStatement("DELETE FROM progress WHERE transfer = ?", on: db)
            return try removal.execute { $0.add(id.rawValue) }
        }
        try BareStatement(Self.advancing, on: db).execute { values in
            values.add(id.rawValue)
            values.add(stored)
        }
    }

    private static let advancing =
        "INSERT OR REPLACE INTO progress (transfer, details, segments, response_body) VALUES (?, ?, ?, ?)"
}
