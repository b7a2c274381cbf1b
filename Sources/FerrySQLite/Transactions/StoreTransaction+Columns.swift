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
    /// Its progress.
    static let progress = ColumnGroups(rawValue: 8)

    init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The groups of a row that have to be written.
    ///
    /// - Parameter standing: whether the place, the outcome and the ledger may have changed.
    init(changedIn row: TransferRow, standing: Bool) {
        let (former, latest) = (row.former, row.transfer)
        self = former.work.progress == latest.work.progress ? [] : .progress
        guard standing else { return }
        insert(.place)
        if former.ledger != latest.ledger { insert(.ledger) }
        let isSameEnd = former.state == latest.state || !former.state.isFinal && !latest.state.isFinal
        if !isSameEnd || row.hasStrayFailure || former.latestFailure != latest.latestFailure
            || former.finished != latest.finished || former.residue != latest.residue
        {
            insert(.outcome)
        }
    }

    /// The statement that writes these groups of one transfer.
    var statement: String { Self.statements[rawValue] }

    private static let statements = (0..<16).map { number -> String in
        let groups = ColumnGroups(rawValue: number)
        let columns = all.filter { groups.contains($0.group) }.map(\.columns) + ["updated = ?"]
        return "UPDATE transfer SET \(columns.joined(separator: ", ")) WHERE id = ?"
    }

    private static let all: [(group: ColumnGroups, columns: String)] = [
        (
            .place,
            """
            state = ?, condition = ?, wake_at = ?, needed = ?, runnable = ?, owner = ?, token = ?, attempts = ?, wish = ?,
            for_queue = ?, front = CASE WHEN ? THEN front END
            """
        ),
        (
            .outcome,
            "failure = ?, latest_failure = ?, finished = ?, residue = ?, saved_path = ?, saved_digest = ?"
        ),
        (
            .ledger,
            "deaths = ?, best_received = ?, received_at_death = ?, unknown_hosts = ?, is_left = ?, left_retry_at = ?"
        ),
        (.progress, "checkpoint = ?, segments = ?, note = ?"),
    ]
}

extension StoreTransaction {
    /// Writes groups of a row in one statement, so that SQLite writes the row once.
    func write(_ groups: ColumnGroups, of row: TransferRow) throws {
        guard !groups.isEmpty else { return }
        let transfer = row.transfer
        let standing = Standing(transfer.state)
        let progress =
            groups.contains(.progress) ? try StoredProgress(transfer.work.progress, codec: codec) : nil
        try BareStatement(groups.statement, on: db).execute { values in
            if groups.contains(.place) {
                values.add(transfer.state.name)
                values.add(standing)
                values.add(transfer.claim?.owner.rawValue)
                // An issued token is never taken back, even if the hold was not established.
                values.add(max(row.token, transfer.claim?.token ?? 0))
                values.add(transfer.attempts)
                values.add(transfer.wish?.name)
                values.add(transfer.isForQueue)
                values.add(transfer.keepsFront)
            }
            if groups.contains(.outcome) {
                values.add(try standing.failure.map { try codec.encodeJSON($0) })
                values.add(try transfer.latestFailure.map { try codec.encodeJSON($0) })
                values.add(transfer.finished?.milliseconds)
                values.add(transfer.residue == nil ? 0 : transfer.displacement == nil ? 1 : 2)
                values.add(transfer.savedPath.map { StoredTrace(path: $0).number })
                values.add(transfer.savedDigest.map { StoredTrace(digest: $0).number })
            }
            if groups.contains(.ledger) { values.add(transfer.ledger) }
            if let progress { values.add(progress) }
            values.add(transfer.updated.milliseconds)
            values.add(transfer.id.rawValue)
        }
    }
}
