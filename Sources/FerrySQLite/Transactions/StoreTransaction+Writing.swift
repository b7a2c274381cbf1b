import FerryCore
import GRDB

extension StoreTransaction {
    /// The parts of a row; writing only what changed spares the indexes of the rest.
    struct Parts: OptionSet {
        let rawValue: Int

        /// Where it stands and who holds it.
        static let standing = Parts(rawValue: 1)
        /// The checkpoint.
        static let progress = Parts(rawValue: 2)
        /// What was asked for, and its priority.
        static let request = Parts(rawValue: 4)
    }

    /// Writes parts of a row back; what its end means for those that come after it is written as well.
    func write(_ row: TransferRow, _ parts: Parts) throws {
        try put(row, parts)
        if row.transfer.state.isFinal { try passOn(row.transfer) }
    }

    /// Writes parts of a row back.
    func put(_ row: TransferRow, _ parts: Parts) throws {
        if parts.contains(.standing) { try writeStanding(row) }
        if parts.contains(.progress) { try writeProgress(row.transfer) }
        if parts.contains(.request) { try writeRequest(row.transfer) }
        if row.transfer.dependencies != row.formerDependencies { try writeDependencies(row.transfer) }
        if row.transfer.state.isFinal { requirePower() }
        touch(row.formerLine)
        touch(HeadKey(row.transfer))
    }

    private func writeStanding(_ row: TransferRow) throws {
        let transfer = row.transfer
        let standing = Standing(transfer.state)
        // A token that was given out is never taken back, even when the hold did not come about.
        let token = max(row.token, transfer.claim?.token ?? 0)
        let statement = try db.cachedStatement(
            sql: """
                UPDATE transfer SET state = ?, condition = ?, wake_at = ?, needed = ?, failure = ?, runnable = ?,
                    owner = ?, token = ?, attempts = ?, wish = ?, latest_failure = ?, updated = ?,
                    finished = ?
                WHERE id = ?
                """
        )
        try statement.execute(arguments: [
            transfer.state.name, standing.condition, standing.wakeAt, standing.needed,
            try standing.failure.map { try codec.encodeJSON($0) }, standing.runnable,
            transfer.claim?.owner.rawValue, token, transfer.attempts, transfer.wish?.name,
            try transfer.latestFailure.map { try codec.encodeJSON($0) },
            transfer.updated.milliseconds, transfer.finished?.milliseconds, transfer.id.rawValue,
        ])
    }

    private func writeProgress(_ transfer: Transfer) throws {
        let progress = try StoredProgress(transfer.checkpoint, codec: codec)
        let statement = try db.cachedStatement(
            sql: "UPDATE transfer SET checkpoint = ?, segments = ?, note = ?, updated = ? WHERE id = ?"
        )
        try statement.execute(arguments: [
            progress.checkpoint, progress.segments, progress.note, transfer.updated.milliseconds,
            transfer.id.rawValue,
        ])
    }

    private func writeRequest(_ transfer: Transfer) throws {
        let request = try StoredRequest(transfer.specification, codec: codec)
        let statement = try db.cachedStatement(
            sql: """
                UPDATE transfer SET queue = ?, priority = ?, host = ?, url = ?, directory = ?, name = ?,
                    stream = ?, options = ?, identity = ?, updated = ?
                WHERE id = ?
                """
        )
        try statement.execute(arguments: [
            transfer.queue, transfer.priority, request.host, request.url, request.directory, request.name,
            request.stream, request.options, request.identity, transfer.updated.milliseconds,
            transfer.id.rawValue,
        ])
    }
}
