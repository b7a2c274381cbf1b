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
        if state.isFinal { try passOn(row.transfer, isNew: row.formerState != state.name) }
    }

    /// Writes parts of a row back. What could run from now on, but is outside of its time window, is written as waiting for
    /// that.
    func put(_ row: inout TransferRow, _ parts: Parts) throws {
        if parts.contains(.standing) {
            row.transfer.heedWindow(at: row.transfer.updated, in: localTime)
        }
        let hasProgress = row.transfer.work.progress != row.formerWork.progress
        switch (parts.contains(.standing), hasProgress) {
        case (true, true): try writeStandingAndProgress(row)
        case (true, false): try writeStanding(row)
        case (false, true): try writeProgress(row.transfer)
        case (false, false): break
        }
        if row.transfer.hasNoSecrets {
            try writeRemains(of: row)
        } else if parts.contains(.request) {
            try writeRequest(row.transfer)
        } else if row.isMisfiled {
            try refile(row.transfer)
        }
        if row.transfer.dependencies != row.formerDependencies { try writeDependencies(row.transfer) }
        if row.transfer.state.isFinal { requirePower() }
        noteState(from: row.formerState, to: row.transfer.state.name)
        touch(row.formerLine)
        touch(HeadKey(row.transfer))
    }

    private func writeStanding(_ row: TransferRow) throws {
        let transfer = row.transfer
        try BareStatement(Self.standing, on: db).execute { values in
            try add(row, to: &values)
            values.add(transfer.updated.milliseconds)
            values.add(transfer.id.rawValue)
        }
    }

    private func writeProgress(_ transfer: Transfer) throws {
        let progress = try StoredProgress(transfer.work.progress, codec: codec)
        try BareStatement(Self.progress, on: db).execute { values in
            values.add(progress)
            values.add(transfer.updated.milliseconds)
            values.add(transfer.id.rawValue)
        }
    }

    /// Both in one statement, which writes the row once: the end of an attempt changes both.
    private func writeStandingAndProgress(_ row: TransferRow) throws {
        let transfer = row.transfer
        let progress = try StoredProgress(transfer.work.progress, codec: codec)
        try BareStatement(Self.standingAndProgress, on: db).execute { values in
            try add(row, to: &values)
            values.add(progress)
            values.add(transfer.updated.milliseconds)
            values.add(transfer.id.rawValue)
        }
    }

    private func writeRequest(_ transfer: Transfer) throws {
        let work = try StoredWork(transfer.work, codec: codec)
        try BareStatement(Self.request, on: db).execute { values in
            for _ in 1...3 { values.add(transfer.queue) }
            values.add(transfer.priority)
            values.add(work)
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
        let (former, work) = (row.formerWork, row.transfer.work)
        guard !work.asksForTheSame(as: former) else { return }
        let remains = try StoredWork(work, codec: codec)
        try BareStatement(Self.remains, on: db).execute { values in
            values.add(remains.url)
            values.add(remains.options)
            values.add(StoredIdentity.completed(former)?.text)
            values.add(row.transfer.id.rawValue)
        }
    }

    /// The values of ``standingColumns``.
    private func add(_ row: TransferRow, to values: inout StatementBinder) throws {
        let transfer = row.transfer
        let standing = Standing(transfer.state)
        values.add(transfer.state.name)
        values.add(standing.condition)
        values.add(standing.wakeAt)
        values.add(standing.needed)
        values.add(try standing.failure.map { try codec.encodeJSON($0) })
        values.add(standing.runnable)
        values.add(transfer.claim?.owner.rawValue)
        // A token that was given out is never taken back, even when the hold did not come about.
        values.add(max(row.token, transfer.claim?.token ?? 0))
        values.add(transfer.attempts)
        values.add(transfer.wish?.name)
        values.add(transfer.isForQueue)
        values.add(transfer.ledger)
        values.add(try transfer.latestFailure.map { try codec.encodeJSON($0) })
        values.add(transfer.finished?.milliseconds)
        values.add(transfer.residue != nil)
        values.add(transfer.keepsFront)
        values.add(transfer.savedPath.map { StoredTrace(path: $0).number })
        values.add(transfer.savedDigest.map { StoredTrace(digest: $0).number })
    }

    private static let standingColumns = """
        state = ?, condition = ?, wake_at = ?, needed = ?, failure = ?, runnable = ?, owner = ?, token = ?,
        attempts = ?, wish = ?, for_queue = ?, deaths = ?, best_received = ?,
        received_at_death = ?, unknown_hosts = ?, is_left = ?, left_retry_at = ?, latest_failure = ?, finished = ?, residue = ?,
        front = CASE WHEN ? THEN front END, saved_path = ?, saved_digest = ?
        """

    private static let progressColumns = "checkpoint = ?, segments = ?, note = ?"

    private static let standing = "UPDATE transfer SET \(standingColumns), updated = ? WHERE id = ?"

    private static let progress = "UPDATE transfer SET \(progressColumns), updated = ? WHERE id = ?"

    private static let standingAndProgress =
        "UPDATE transfer SET \(standingColumns), \(progressColumns), updated = ? WHERE id = ?"

    private static let remains = "UPDATE transfer SET url = ?, options = ?, identity = ? WHERE id = ?"

    private static let request = """
        UPDATE transfer SET front = CASE WHEN queue = ? THEN front END, strict = \(strictness), queue = ?,
            priority = ?, host = ?, url = ?, directory = ?, name = ?, stream = ?, options = ?, identity = ?, time_window = ?, updated = ?
        WHERE id = ?
        """
}

extension Transfer {
    /// Whether its secrets are dropped, as it is never run again.
    fileprivate var hasNoSecrets: Bool { state == .completed || state == .cancelled }
}
