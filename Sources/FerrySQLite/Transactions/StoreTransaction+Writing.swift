import FerryCore
import GRDB

extension StoreTransaction {
    /// The parts of a row. Writing only changed parts saves updates of the other indexes. The checkpoint is
    /// not one of them: every change to it is written.
    struct Parts: OptionSet {
        let rawValue: Int

        /// Its state and its holder.
        static let standing = Parts(rawValue: 1)
        /// Its request and its priority.
        static let request = Parts(rawValue: 2)
    }

    /// Writes parts of a row back, and passes its end on to the transfers that come after it.
    func write(_ row: inout TransferRow, _ parts: Parts) throws {
        try put(&row, parts)
        let state = row.transfer.state
        if state.isFinal { try passOn(row.transfer, isNew: row.former.state.name != state.name) }
    }

    /// Writes parts of a row back. A runnable transfer outside its time window is written as waiting for it.
    func put(_ row: inout TransferRow, _ parts: Parts) throws {
        if parts.contains(.standing) {
            row.transfer.heedWindow(at: row.transfer.updated, in: localTime)
        }
        try checkTwin(of: row.transfer, formerly: row.former)
        try write(ColumnGroups(changedIn: row, standing: parts.contains(.standing)), of: row)
        if row.transfer.hasNoSecrets {
            try writeRemains(of: row)
        } else if parts.contains(.request) {
            try writeRequest(row.transfer)
        } else if row.isMisfiled {
            try refile(row.transfer)
        }
        if row.transfer.dependencies != row.former.dependencies { try writeDependencies(row.transfer) }
        if row.transfer.state.isFinal { requirePower() }
        noteState(from: row.former.state.name, to: row.transfer.state.name)
        touch(row.formerLine)
        touch(HeadKey(row.transfer))
    }

    private func writeRequest(_ transfer: Transfer) throws {
        if let payload = transfer.payload { try write(payload, of: transfer.id) }
        let work = try StoredWork(transfer.work, codec: codec)
        try BareStatement(Self.request, on: db).execute { values in
            for _ in 1...3 { values.add(transfer.queue) }
            values.add(transfer.priority)
            values.add(work)
            values.add(transfer.tag?.text)
            values.add(transfer.updated.milliseconds)
            values.add(transfer.id.rawValue)
        }
    }

    /// Sets host and window columns to those of the request, after another program changed one of them.
    private func refile(_ transfer: Transfer) throws {
        let statement = try db.cachedStatement(
            sql: "UPDATE transfer SET host = ?, time_window = ? WHERE id = ?"
        )
        let (host, window) = (transfer.work.host, transfer.work.terms.window)
        try statement.execute(arguments: [host, StoredWork.text(of: window), transfer.id.rawValue])
    }

    /// Stores what is left of the request of a final transfer. It keeps the identity that it had with its
    /// secrets.
    private func writeRemains(of row: TransferRow) throws {
        let (former, work) = (row.former.work, row.transfer.work)
        guard !work.asksForTheSame(as: former) else { return }
        let remains = try StoredWork(work, codec: codec)
        try BareStatement(Self.remains, on: db).execute { values in
            values.add(remains.url)
            values.add(remains.options)
            values.add(StoredIdentity.completed(former)?.bytes)
            values.add(row.transfer.id.rawValue)
        }
    }

    private static let remains = "UPDATE transfer SET url = ?, options = ?, identity = ? WHERE id = ?"

    private static let request = """
        UPDATE transfer SET front = CASE WHEN queue = ? THEN front END, strict = \(strictness), queue = ?,
            priority = ?, host = ?, url = ?, directory = ?, name = ?, stream = ?, options = ?, identity = ?, time_window = ?, tag = ?, updated = ?
        WHERE id = ?
        """
}

extension Transfer {
    /// Whether its secrets are dropped, because it never runs again.
    fileprivate var hasNoSecrets: Bool { state == .completed || state == .cancelled }
}
