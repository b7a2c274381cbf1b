import FerryCore
import GRDB

extension StoreTransaction {
    /// Writes a row back.
    func put(_ row: TransferRow, request: Bool) throws {
        let transfer = row.transfer
        if !transfer.work.hasProgress(of: row.former.work) {
            try write(transfer.work.progress, of: transfer.id)
        }
        if transfer.hasDroppedSecrets {
            if transfer.claim == nil {
                try end(transfer)
            } else {
                try write(ColumnGroups(changedIn: row), of: row)
            }
            try writeRemains(of: row)
        } else {
            try write(ColumnGroups(changedIn: row), of: row)
            if request {
                try writeRequest(transfer)
            } else if row.isMisfiled {
                try refile(transfer)
            }
        }
        if transfer.dependencies != row.former.dependencies { try writeDependencies(transfer) }
        if transfer.claim == nil { codec.forgetProgress(of: transfer.id) }
        noteState(from: row.former.state.name, to: transfer.state.name)
        touch(row.formerLine)
        touch(HeadKey(transfer))
    }

    /// Stores the tag and the payload of a transfer.
    func putLabels(of transfer: Transfer) throws {
        if let payload = transfer.payload { try write(payload, of: transfer.id) }
        try BareStatement("UPDATE work SET tag = ? WHERE id = ?", on: db).execute { values in
            values.add(transfer.tag?.text)
            values.add(transfer.id.rawValue)
        }
    }

    private func writeRequest(_ transfer: Transfer) throws {
        if let payload = transfer.payload { try write(payload, of: transfer.id) }
        let work = try StoredWork(transfer.work, codec: codec)
        try BareStatement(Self.request, on: db).execute { values in
            values.add(transfer.type?.text)
            values.add(transfer.tag?.text)
            values.add(work)
            values.add(transfer.id.rawValue)
        }
        try BareStatement(Self.position, on: db).execute { values in
            for _ in 1...3 { values.add(transfer.queue) }
            values.add(transfer.priority)
            values.add(transfer.work.host)
            values.add(StoredWork.text(of: transfer.work.terms.window))
            values.add(transfer.work.terms.notAfter?.milliseconds)
            values.add(transfer.runsInBackground)
            values.add(transfer.updated.milliseconds)
            values.add(transfer.id.rawValue)
        }
    }

    /// Sets the columns of ``TransferRow/isMisfiled`` from the request, after another program changed one.
    private func refile(_ transfer: Transfer) throws {
        let statement = try db.cachedStatement(
            sql: """
                UPDATE transfer SET host = ?, time_window = ?, not_after = ?, runs_in_background = ? WHERE id = ?
                """
        )
        let (host, terms) = (transfer.work.host, transfer.work.terms)
        try statement.execute(arguments: [
            host, StoredWork.text(of: terms.window), terms.notAfter?.milliseconds, transfer.runsInBackground,
            transfer.id.rawValue,
        ])
    }

    /// Stores the request of a final transfer without its secrets. The transfer keeps the identity that it had with
    /// them.
    private func writeRemains(of row: TransferRow) throws {
        let (former, work) = (row.former.work, row.transfer.work)
        guard !work.asksForTheSame(as: former) else { return }
        let remains = try StoredWork(work, identity: StoredIdentity.completed(former), codec: codec)
        try BareStatement(Self.remains, on: db).execute { values in
            values.add(remains.url)
            values.add(remains.options)
            values.add(remains.body)
            values.add(remains.identity?.number)
            values.add(remains.identity?.digest)
            values.add(row.transfer.id.rawValue)
        }
    }

    private static let remains =
        "UPDATE work SET url = ?, options = ?, body = ?, identity = ?, digest = ? WHERE id = ?"

    private static let request = """
        UPDATE work SET type = ?, tag = ?, url = ?, directory = ?, name = ?, stream = ?, options = ?, body = ?, identity = ?, digest = ?
        WHERE id = ?
        """

    private static let position = """
        UPDATE transfer SET front = CASE WHEN queue = ? THEN front END, strict = \(strictness), queue = ?,
            priority = ?, host = ?, time_window = ?, not_after = ?, runs_in_background = ?, updated = ?, revision = revision + 1
        WHERE id = ?
        """

    /// The value of the column `strict` for a transfer of a queue.
    private static let strictness = "ifnull((SELECT strict FROM queue WHERE name = ?), 0)"
}
