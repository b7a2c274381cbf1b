import FerryCore
import GRDB

extension StoreTransaction {
    /// Maximum failed attempts kept for one transfer.
    static let keptAttempts = 100

    /// Records progress, if the claim still holds.
    ///
    /// This is the most frequent write. It does not read the row: the statement itself checks the claim.
    func record(_ progress: RememberedProgress, for claim: Claim, at now: Instant) throws {
        try BareStatement(Self.recording, on: db).execute { values in
            values.add(now.milliseconds)
            values.add(claim.transfer.rawValue)
            values.add(claim.owner.rawValue)
            values.add(claim.token)
        }
        if db.changesCount == 0 { throw StoreError.claimLost(claim.transfer) }
        codec.noteWritten(progress, of: claim.transfer)
        try write(progress.columns, of: claim.transfer)
    }

    private static let recording = """
        UPDATE transfer SET updated = ? WHERE id = ? AND owner = ? AND token = ? AND state = 'active'
        """

    /// Stores an attempt that failed.
    func append(_ attempt: Attempt, to id: TransferID) throws {
        let latest = try db.cachedStatement(sql: "SELECT max(number) FROM attempt WHERE transfer = ?")
        let number = (try Int64.fetchOne(latest, arguments: [id.rawValue]) ?? 0) + 1
        let insert = try db.cachedStatement(
            sql: """
                INSERT INTO attempt (transfer, number, started, ended, failure, received) VALUES (?, ?, ?, ?, ?, ?)
                """
        )
        try insert.execute(arguments: [
            id.rawValue, number, attempt.started.milliseconds, attempt.ended.milliseconds,
            try codec.texts.encodeJSON(attempt.failure), attempt.received,
        ])
        guard number > Self.keptAttempts else { return }
        let trim = try db.cachedStatement(sql: "DELETE FROM attempt WHERE transfer = ? AND number <= ?")
        try trim.execute(arguments: [id.rawValue, number - Int64(Self.keptAttempts)])
    }
}
