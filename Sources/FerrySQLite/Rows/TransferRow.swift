import FerryCore
import FoundationEssentials

/// A transfer, with data that only its row records.
struct TransferRow: StoredTransfer {
    /// The transfer.
    var transfer: Transfer
    /// The latest token that was issued for it, even if another owner holds it now.
    var token: Int64
    /// Its line when it was read; `nil` if it was in no line.
    let formerLine: HeadKey?
    /// Whether its columns for host, window, deadline or background differ from its request.
    let isMisfiled: Bool
    /// Whether it has a failure although it has not failed. Only another program leaves such a row.
    let hasStrayFailure: Bool
    /// The transfer as it was read.
    let former: Transfer
    /// Its request, valid until it is edited.
    let work: RememberedWork

    /// Finds the row of a number in the table `transfer`.
    static let fromTransfer = TransferColumn.fromTransfer + " WHERE transfer.id = ?"
    static let fromEnded = TransferColumn.fromEnded + " WHERE work.id = ?"

    /// Finds the columns outside `work` of a transfer in the table `transfer`, unless its request has been edited since
    /// `revision`.
    static let place = TransferColumn.place + " WHERE transfer.id = ? AND revision = ?"

    /// The token that the next holder gets.
    var nextToken: Int64 { token + 1 }

    /// Reads a row.
    ///
    /// - Throws: ``StoreError/damagedTransfer(_:_:)`` when the row makes no sense. A row is never silently
    ///   skipped: that would lose work without a report.
    ///
    /// - Parameter known: its request, if the columns do not contain it.
    init(_ reader: ColumnReader<TransferColumn>, known: RememberedWork? = nil) throws(StoreError) {
        do {
            let id = TransferID(rawValue: try reader.integer(.id))
            work =
                try known
                ?? RememberedWork(
                    new: Self.new(reader),
                    added: Instant(milliseconds: reader.integer(.added)),
                    revision: reader.integer(.revision)
                )
            var transfer = Transfer(id: id, adding: work.new, at: work.added)
            transfer.queue = try reader.text(.queue)
            transfer.priority = Int(try reader.integer(.priority))
            transfer.state = try Self.state(reader)
            let token = try Self.counted(reader, .token, "token")
            transfer.claim = try reader.optionalInteger(.owner).map {
                Claim(transfer: id, owner: OwnerID(rawValue: $0), token: token)
            }
            transfer.attempts = Int(try Self.counted(reader, .attempts, "number of attempts"))
            transfer.attemptStarted = try reader.optionalInteger(.attemptStarted).map {
                Instant(milliseconds: $0)
            }
            transfer.wish = try reader.optionallyNamed(.wish, "wish", Wish.init(name:))
            transfer.isForQueue = try reader.integer(.forQueue) != 0
            transfer.latestFailure = try reader.optionalJSON(.latestFailure, TransferFailure.self)
            if let progress = try Self.progress(reader, of: transfer, isKnown: known != nil) {
                transfer.work.progress = progress
            }
            transfer.ledger = try Self.ledger(reader)
            transfer.updated = Instant(milliseconds: try reader.integer(.updated))
            transfer.finished = try reader.optionalInteger(.finished).map { Instant(milliseconds: $0) }
            transfer.dependencies = try Self.dependencies(reader)
            self.transfer = transfer
            self.token = token
            let host = try reader.text(.host)
            let background = try reader.integer(.runsInBackground)
            formerLine =
                try reader.integer(.runnable) == 0
                ? nil
                : HeadKey(
                    queue: transfer.queue,
                    owner: transfer.claim?.owner.rawValue,
                    host: host,
                    runsInBackground: background != 0
                )
            isMisfiled =
                try reader.optionalText(.timeWindow) != StoredWork.text(of: transfer.work.terms.window)
                || reader.optionalInteger(.notAfter) != transfer.work.terms.notAfter?.milliseconds
                || host != transfer.work.host || background != (transfer.runsInBackground ? 1 : 0)
            hasStrayFailure = try reader.optionalText(.failure) != nil && !transfer.state.isFailed
            former = transfer
        } catch {
            let id = TransferID(rawValue: Int64(reader.rowNumber) ?? 0)
            throw StoreError(unreadable: id, error)
        }
    }

    /// A number that only counts up from zero. No count can reach a value that is too large to count further.
    private static func counted(
        _ reader: ColumnReader<TransferColumn>,
        _ column: TransferColumn,
        _ what: String
    ) throws -> Int64 {
        let number = try reader.integer(column)
        guard (0..<Int64.max).contains(number) else { throw RowDamage("its \(what) is \(number)") }
        return number
    }

    private static func state(_ reader: ColumnReader<TransferColumn>) throws -> TransferState {
        switch try reader.named(.state, "state", TransferState.Name.init(rawValue:)) {
        case .queued: .queued
        case .active: .active
        case .paused: .paused
        case .completed: .completed
        case .cancelled: .cancelled
        case .failed: .failed(try reader.json(.failure, TransferFailure.self))
        case .waiting: .waiting(try condition(reader))
        }
    }

    private static func condition(_ reader: ColumnReader<TransferColumn>) throws -> WaitCondition {
        switch try reader.named(.condition, "condition", WaitCondition.Name.init(rawValue:)) {
        case .retry: .retry(at: Instant(milliseconds: try reader.integer(.wakeAt)))
        case .window: .window(opens: Instant(milliseconds: try reader.integer(.wakeAt)))
        case .network: .network
        case .dependency: .dependency
        case .applicationInactive: .applicationInactive
        case .diskSpace: .diskSpace(needed: try reader.integer(.needed))
        case .diskMount: .diskMount
        case .newURL: .newURL
        }
    }

    /// The transfers that it comes after, as numbers separated by commas.
    private static func dependencies(_ reader: ColumnReader<TransferColumn>) throws -> [TransferID] {
        guard let text = try reader.optionalText(.needs) else { return [] }
        return try text.split(separator: ",").map { number in
            guard let number = Int64(number) else {
                throw RowDamage("a transfer that it comes after has no valid number")
            }
            return TransferID(rawValue: number)
        }
        .sorted()
    }

    /// The ledger of its attempts. An impossible count is clamped to the nearest possible one.
    private static func ledger(_ reader: ColumnReader<TransferColumn>) throws -> AttemptLedger {
        func count(_ column: TransferColumn) throws -> Int {
            Int(max(0, min(try reader.integer(column), Int64(Int32.max))))
        }
        var ledger = AttemptLedger()
        ledger.deaths = try count(.deaths)
        ledger.bestReceived = try reader.integer(.bestReceived)
        ledger.receivedAtDeath = try reader.integer(.receivedAtDeath)
        ledger.unknownHosts = try count(.unknownHosts)
        if try reader.integer(.isLeft) != 0 {
            ledger.left = Leaving(
                retryAt: try reader.optionalInteger(.leftRetryAt).map { Instant(milliseconds: $0) }
            )
        }
        return ledger
    }
}
