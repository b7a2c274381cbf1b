import FerryCore
import Foundation

/// A transfer together with what only its row knows.
struct TransferRow {
    /// The transfer.
    var transfer: Transfer
    /// The latest token that was given out for it, whoever holds it now.
    var token: Int64
    /// The line in which it stood when it was read, as the columns say by which lines are found; `nil` for none.
    let formerLine: HeadKey?
    /// Whether it is found under a host or a window that is not the one in its request.
    let isMisfiled: Bool
    /// Whether it tells why it failed, although it has not failed: only another program leaves that.
    let hasStrayFailure: Bool
    /// The transfer as it was read.
    let former: Transfer

    /// The columns, in the order in which ``init(_:)`` reads them.
    static let columns = """
        id, kind, queue, priority, url, directory, name, stream, options, state, condition, wake_at, needed,
        failure, owner, token, attempts, wish, latest_failure, note, checkpoint, segments, added, updated,
        finished,
        CASE WHEN condition = 'dependency' OR state IN ('paused', 'failed') THEN
            (SELECT group_concat(needs) FROM dependency WHERE dependency.transfer = transfer.id)
        END AS needs,
        for_queue, host, runnable, time_window,
        deaths, best_received, received_at_death, unknown_hosts, is_left, left_retry_at
        """

    /// Finds the row of a number.
    static let byNumber = "SELECT \(columns) FROM transfer WHERE id = ?"

    /// The token that the next holder gets.
    var nextToken: Int64 { token + 1 }

    /// Reads a row.
    ///
    /// - Throws: ``StoreError/damagedTransfer(_:_:)`` when it does not mean anything. A row is never
    ///   left out in silence: it would be lost work that nobody hears of.
    init(_ reader: ColumnReader) throws(StoreError) {
        do {
            let id = TransferID(rawValue: try reader.integer(0))
            var transfer = Transfer(
                id: id,
                adding: try Self.new(reader),
                at: Instant(milliseconds: try reader.integer(22))
            )
            transfer.state = try Self.state(reader)
            let token = try Self.counted(reader, 15, "token")
            transfer.claim = try reader.optionalInteger(14).map {
                Claim(transfer: id, owner: OwnerID(rawValue: $0), token: token)
            }
            transfer.attempts = Int(try Self.counted(reader, 16, "number of attempts"))
            transfer.wish = try reader.optionallyNamed(17, "wish", Wish.init(name:))
            transfer.isForQueue = try reader.integer(26) != 0
            transfer.latestFailure = try reader.optionalJSON(18, TransferFailure.self)
            if let progress = try Self.progress(reader, of: transfer.kind) {
                transfer.work.progress = progress
            }
            transfer.ledger = try Self.ledger(reader)
            transfer.updated = Instant(milliseconds: try reader.integer(23))
            transfer.finished = try reader.optionalInteger(24).map { Instant(milliseconds: $0) }
            transfer.dependencies = try Self.dependencies(reader)
            self.transfer = transfer
            self.token = token
            let host = try reader.text(27)
            formerLine =
                try reader.integer(28) == 0
                ? nil : HeadKey(queue: transfer.queue, owner: transfer.claim?.owner.rawValue, host: host)
            isMisfiled =
                try reader.optionalText(29) != StoredWork.text(of: transfer.work.terms.window)
                || host != transfer.work.host
            hasStrayFailure = try reader.optionalText(13) != nil && !transfer.state.isFailed
            former = transfer
        } catch {
            let id = TransferID(rawValue: Int64(reader.rowNumber) ?? 0)
            throw .damagedTransfer(id, "\(error)")
        }
    }

    /// A number that only ever counts up from zero: one that could not be counted further was never counted.
    private static func counted(_ reader: ColumnReader, _ column: Int, _ what: String) throws -> Int64 {
        let number = try reader.integer(column)
        guard (0..<Int64.max).contains(number) else { throw RowDamage("its \(what) is \(number)") }
        return number
    }

    private static func state(_ reader: ColumnReader) throws -> TransferState {
        switch try reader.text(9) {
        case "queued": return .queued
        case "active": return .active
        case "paused": return .paused
        case "completed": return .completed
        case "cancelled": return .cancelled
        case "failed": return .failed(try reader.json(13, TransferFailure.self))
        case "waiting": return .waiting(try condition(reader))
        case let other: throw RowDamage("its state is \"\(other)\"")
        }
    }

    private static func condition(_ reader: ColumnReader) throws -> WaitCondition {
        switch try reader.text(10) {
        case "retry": return .retry(at: Instant(milliseconds: try reader.integer(11)))
        case "window": return .window(opens: Instant(milliseconds: try reader.integer(11)))
        case "network": return .network
        case "dependency": return .dependency
        case "applicationInactive": return .applicationInactive
        case "diskSpace": return .diskSpace(needed: try reader.integer(12))
        case "newURL": return .newURL
        case let other: throw RowDamage("its condition is \"\(other)\"")
        }
    }

    /// What it is to come after, as numbers with commas between them.
    private static func dependencies(_ reader: ColumnReader) throws -> [TransferID] {
        guard let text = try reader.optionalText(25) else { return [] }
        return try text.split(separator: ",").map { number in
            guard let number = Int64(number) else { throw RowDamage("what it comes after is no number") }
            return TransferID(rawValue: number)
        }
        .sorted()
    }

    /// What its attempts have come to. A count that makes no sense counts as the nearest one that does.
    private static func ledger(_ reader: ColumnReader) throws -> AttemptLedger {
        func count(_ column: Int) throws -> Int {
            Int(max(0, min(try reader.integer(column), Int64(Int32.max))))
        }
        var ledger = AttemptLedger()
        ledger.deaths = try count(30)
        ledger.bestReceived = try reader.integer(31)
        ledger.receivedAtDeath = try reader.integer(32)
        ledger.unknownHosts = try count(33)
        if try reader.integer(34) != 0 {
            ledger.left = Leaving(retryAt: try reader.optionalInteger(35).map { Instant(milliseconds: $0) })
        }
        return ledger
    }
}
