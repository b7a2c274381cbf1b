import FerryCore
import FerryTesting
import Foundation
import GRDB
import Testing

@testable import FerrySQLite

/// A database is a file, and a file may hold anything.
struct RowOfAnythingTests {
    /// For each column, values that a row may have, and some that it may not.
    private static let values: [(column: String, usual: [DatabaseValue], odd: [DatabaseValue])] = [
        ("id", [1.databaseValue], numbers),
        ("kind", ["download".databaseValue], words),
        ("uuid", [DatabaseValue(blob: (0..<16).map { UInt8($0) })], [.null, DatabaseValue(blob: [7])]),
        ("type", [.null, "t".databaseValue], words),
        ("tag", [.null, "t".databaseValue], words),
        (
            "payload", [.null, DatabaseValue(blob: [0])],
            [DatabaseValue(blob: Array(repeating: 1, count: 65_537))]
        ),
        ("queue", ["default".databaseValue], words),
        ("priority", [0.databaseValue, (-3).databaseValue], numbers),
        ("url", ["https://u:p@h.example/f?q#g".databaseValue], words),
        ("directory", ["/d".databaseValue], words),
        ("name", [.null, "f".databaseValue], words),
        ("stream", [.null, "-".databaseValue], words),
        ("options", [.null, #"{"terms":{"retries":9223372036854775807}}"#.databaseValue], json),
        (
            "state", ["queued", "active", "waiting", "paused", "completed", "failed"].map(\.databaseValue),
            words
        ),
        (
            "condition",
            ["retry", "network", "diskSpace", "diskMount", "newURL", "window"].map(\.databaseValue), words
        ),
        ("wake_at", [1_700_000_000_000.databaseValue], numbers),
        ("needed", [.null, 4096.databaseValue], numbers),
        ("failure", [#"{"code":"gone","message":"{id}"}"#.databaseValue], json),
        ("owner", [.null, 1.databaseValue], numbers),
        ("token", [0.databaseValue, 7.databaseValue], numbers),
        ("attempts", [0.databaseValue, 7.databaseValue], numbers),
        ("attempt_started", [.null, 1_700_000_000_000.databaseValue], numbers),
        ("wish", [.null, "pause".databaseValue, "cancel".databaseValue], words),
        ("latest_failure", [.null, #"{"code":"timeout","message":""}"#.databaseValue], json),
        ("details", [.null, #"{"phase":"publishing","name":"f"}"#.databaseValue], json),
        ("segments", [.null, DatabaseValue(blob: [1, 1, 8, 4, 4])], [DatabaseValue(blob: [2, 1, 0])]),
        ("body", [.null, DatabaseValue(blob: [0])], [1.databaseValue]),
        ("response_body", [.null, DatabaseValue(blob: [0])], [1.databaseValue]),
        ("added", [1_700_000_000_000.databaseValue], numbers),
        ("updated", [1_700_000_000_000.databaseValue], numbers),
        ("finished", [.null, 1.databaseValue], numbers),
        ("needs", [.null, "5".databaseValue, "5,6".databaseValue], words),
        ("for_queue", [0.databaseValue, 1.databaseValue], numbers),
        ("host", ["h.example".databaseValue], words),
        ("runnable", [0.databaseValue, 1.databaseValue], numbers),
        ("time_window", [.null, "mon-fri 22:00-06:00".databaseValue], words),
        ("not_after", [.null, 1_700_000_000_000.databaseValue], numbers),
        ("runs_in_background", [0.databaseValue, 1.databaseValue], numbers),
        ("deaths", [0.databaseValue, 7.databaseValue], numbers),
        ("best_received", [0.databaseValue, 7.databaseValue], numbers),
        ("received_at_death", [0.databaseValue, 7.databaseValue], numbers),
        ("unknown_hosts", [0.databaseValue, 7.databaseValue], numbers),
        ("is_left", [0.databaseValue, 1.databaseValue], numbers),
        ("left_retry_at", [.null, 1.databaseValue], numbers),
        ("revision", [0.databaseValue, 7.databaseValue], numbers),
    ]

    private static let numbers: [DatabaseValue] =
        [.null, (-1).databaseValue, Int64.max.databaseValue, Int64.min.databaseValue, "x".databaseValue]
    private static let words: [DatabaseValue] =
        [.null, "".databaseValue, "../x\0".databaseValue, "\u{FFFD}\n".databaseValue, 1.databaseValue]
    private static let json: [DatabaseValue] =
        [
            .null, "{}".databaseValue, "[]".databaseValue,
            #"{"refusedParts":9223372036854775807}"#.databaseValue,
        ]
        + [
            #"{"exchange":{"connection":{"idleTimeout":[9223372036854775807,0]}}}"#.databaseValue,
            0.5.databaseValue,
        ]

    @Test(arguments: UInt64(0)..<20)
    func aRowOfAnythingIsRefusedOrCanBeRun(seed: UInt64) throws {
        let queue = try DatabaseQueue()
        try queue.read { db in
            let names = TransferColumn.allCases.map { "? AS \($0.name)" }.joined(separator: ", ")
            let statement = try db.makeStatement(sql: "SELECT \(names)")
            var random = SeededRandom(seed: seed)
            var read = 0
            for _ in 0..<500 {
                let cursor = try Row.fetchCursor(statement, arguments: try Self.arguments(using: &random))
                let row = try #require(try cursor.next())
                let codec = RowCodec()
                let found = Self.transfer(of: ColumnReader<TransferColumn>(row: row, codec: codec))
                // Both ways to read a row give the same result.
                let bare = ColumnReader<TransferColumn>(statement: statement.sqliteStatement, codec: codec)
                #expect(Self.transfer(of: bare)?.transfer == found?.transfer, "seed \(seed)")
                guard let transfer = found else { continue }
                read += 1
                try Self.use(transfer)
            }
            #expect(read > 50, "seed \(seed): hardly any row was read at all")
        }
    }

    private static func arguments(using random: inout SeededRandom) throws -> StatementArguments {
        try StatementArguments(
            TransferColumn.allCases.map { name in
                let column = try #require(values.first { $0.column == name.name })
                let isOdd = Int.random(in: 0..<30, using: &random) == 0
                return (isOdd ? column.odd : column.usual).randomElement(using: &random) ?? .null
            }
        )
    }

    /// What the row means; `nil` when it is refused.
    private static func transfer(of row: ColumnReader<TransferColumn>) -> TransferRow? {
        do throws(StoreError) {
            return try TransferRow(row)
        } catch {
            switch error {
            case .damagedTransfer, .newerTransfer: break
            default: Issue.record("a damaged row is told as such: \(error)")
            }
            return nil
        }
    }

    /// Does to a transfer what its owner would; nothing may trap, and what comes of it can be stored.
    private static func use(_ row: TransferRow) throws {
        let now = Instant(seconds: 1_800_000_000)
        let owner = OwnerID(rawValue: 1)
        var transfer = row.transfer
        if transfer.isClaimable(by: owner, at: now) {
            transfer.becomeActive(for: owner, token: row.nextToken, at: now)
        }
        var random = SeededRandom(seed: 1)
        for outcome in [
            AttemptOutcome.failed(.transient(.timeout, "m")), .released, .completed,
        ] {
            var copy = transfer
            let settlement = Settlement(
                of: copy,
                after: outcome,
                progress: copy.downloadProgress,
                keepsHold: false,
                at: now,
                using: &random
            )
            if copy.state == .active { copy.settle(settlement, at: now) }
            _ = try StoredProgress(copy.work.progress, codec: RowCodec())
            _ = try StoredWork(copy.work, codec: RowCodec())
            _ = StateColumns(copy.state)
        }
    }
}

extension DatabaseValue {
    fileprivate init(blob bytes: [UInt8]) {
        self = Data(bytes).databaseValue
    }
}
