import FerryCore
import GRDB

extension StoreTransaction {
    /// The parts of a row; writing only what changed spares the indexes of the rest. The checkpoint is none of them: it is
    /// written whenever it is another one.
    struct Parts: OptionSet {
        let rawValue: Int

        /// Where it stands and who holds it.
        static let standing = Parts(rawValue: 1)
        /// What was asked for, and its priority.
        static let request = Parts(rawValue: 2)
    }

    /// Writes parts of a row back; what its end means for those that come after it is written as well.
    func write(_ row: inout TransferRow, _ parts: Parts) throws {
        try put(&row, parts)
        let state = row.transfer.state
        if state.isFinal { try passOn(row.transfer, isNew: row.former.state.name != state.name) }
    }

    /// Writes parts of a row back. What could run from now on, but is outside of its time window, is written as waiting for
    /// that.
    func put(_ row: inout TransferRow, _ parts: Parts) throws {
        if parts.contains(.standing) {
            row.transfer.heedWindow(at: row.transfer.updated, in: localTime)
        }
        try checkTwin(of: row.transfer, formerly: row.former)
        if row.former.work.progress != row.transfer.work.progress {
            try write(row.transfer.work.progress, of: row.transfer.id)
        }
        if row.transfer.hasNoSecrets, row.transfer.claim == nil {
            try end(row.transfer)
        } else if parts.contains(.standing) {
            try write(ColumnGroups(changedIn: row), of: row)
        }
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
            values.add(transfer.tag?.text)
            values.add(work)
            values.add(transfer.id.rawValue)
        }
        try BareStatement(Self.position, on: db).execute { values in
            for _ in 1...3 { values.add(transfer.queue) }
            values.add(transfer.priority)
            values.add(transfer.work.host)
            values.add(StoredWork.text(of: transfer.work.terms.window))
            values.add(transfer.updated.milliseconds)
            values.add(transfer.id.rawValue)
        }
    }

    /// Lets a transfer be found under what was asked for: another program has changed the one or the other.
    private func refile(_ transfer: Transfer) throws {
        let statement = try db.cachedStatement(
            sql: "UPDATE transfer SET host = ?, time_window = ? WHERE id = ?"
        )
        let (host, window) = (transfer.work.host, transfer.work.terms.window)
        try statement.execute(arguments: [host, StoredWork.text(of: window), transfer.id.rawValue])
    }

    /// What is left of the request of a transfer that is over. It keeps the identity that it had with its secrets.
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

    private static let remains = "UPDATE work SET url = ?, options = ?, identity = ? WHERE id = ?"

    private static let request = """
        UPDATE work SET tag = ?, url = ?, directory = ?, name = ?, stream = ?, options = ?, identity = ? WHERE id = ?
        """

    private static let position = """
        UPDATE transfer SET front = CASE WHEN queue = ? THEN front END, strict = \(strictness), queue = ?,
            priority = ?, host = ?, time_window = ?, updated = ?
        WHERE id = ?
        """

    /// What the column `strict` is for a transfer of a queue.
    private static let strictness = "ifnull((SELECT strict FROM queue WHERE name = ?), 0)"
}

extension Transfer {
    /// Whether its secrets are dropped, as it is never run again.
    fileprivate var hasNoSecrets: Bool { state == .completed || state == .cancelled }
}
