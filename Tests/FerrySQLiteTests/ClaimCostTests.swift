import FerryCore
import FerryTesting
import Foundation
import GRDB
import GRDBSQLite
import Testing

@testable import FerrySQLite

/// The cost of a claim does not grow with the length of any queue.
struct ClaimCostTests {
    @Test func readsEachLineFromAnIndexWithoutSorting() async throws {
        let directory = try StoreDirectory()
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let plans = try await store.group.write(.process) { transaction in
            try [
                StoredLines.nextFree, StoredLines.nextHeld, StoreTransaction.firstFree,
                StoreTransaction.firstHeld,
            ].map { try plan(of: $0, transaction.db) }
        }
        for plan in plans {
            #expect(readsOneIndex(plan) && plan[0].contains("SEARCH"), "\(plan)")
            let index = "INDEX transfer_line (queue=? AND owner=? AND host=? AND runs_in_background=?"
            #expect(plan[0].contains(index), "\(plan)")
        }
        let heads = try await store.group.write(.process) { try plan(of: StoredLines.nextHeads, $0.db) }
        #expect(heads.count == 1 && heads[0].contains("head_order (queue=? AND owner=? AND"), "\(heads)")
        let running = try await store.group.write(.process) { try plan(of: StoreView.running, $0.db) }
        #expect(running.count == 1 && running[0].contains("COVERING INDEX transfer_active"), "\(running)")
        await store.close()
    }

    /// Whether a statement goes through one index, and looks up at most the kind of each transfer that it finds there.
    private func readsOneIndex(_ plan: [String]) -> Bool {
        let kind = ["CORRELATED SCALAR SUBQUERY 1", "SEARCH work USING INTEGER PRIMARY KEY (rowid=?)"]
        return plan.count == 1 || Array(plan.dropFirst()) == kind
    }

    @Test func readsTheLineOfAStrictQueueFromItsIndexWithoutSorting() async throws {
        let directory = try StoreDirectory()
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        for sql in [StoreView.front, StoreView.moves, StoreTransaction.behind] {
            let plan = try await store.group.write(.process) { try self.plan(of: sql, $0.db) }
            #expect(readsOneIndex(plan) && plan[0].contains("INDEX transfer_strict (queue=?"), "\(plan)")
        }
        await store.close()
    }

    @Test func findsByIdentityPathAndDigestWithoutSorting() async throws {
        let directory = try StoreDirectory()
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        for (sql, index) in [
            (StoreView.living, "work_identity (identity=?)"),
            (StoreView.unfetched, "work_identity (identity=?)"),
            (StoreView.latestFailed, "work_identity (identity=?)"),
            (StoreView.latestCompleted, "work_identity (identity=?)"),
            (StoreView.latestCancelled, "work_identity (identity=?)"),
            (StoreView.savedPath, "ended_saved_path (saved_path=?)"),
            (StoreView.savedDigest, "ended_saved_digest (saved_digest=?)"),
        ] {
            let plan = try await store.group.write(.process) { try self.plan(of: sql, $0.db) }
            #expect(plan[0].contains("SEARCH") && plan[0].hasSuffix(index), "\(plan)")
            // Each that is found is looked up by its number.
            let isLookedUp = plan.dropFirst().allSatisfy { $0.contains("INTEGER PRIMARY KEY (rowid=?)") }
            #expect(isLookedUp, "\(plan)")
        }
        await store.close()
    }

    @Test func buildsNoTableOfItsOwnForARow() async throws {
        let directory = try StoreDirectory()
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let updates = (1..<8).map { ColumnGroups(rawValue: $0).statement }
        let insertions = [
            PendingInsertions.work, PendingInsertions.works, PendingInsertions.transfer,
            PendingInsertions.transfers, StoreTransaction.ending,
        ]
        for sql in updates + insertions {
            let steps = try await store.group.write(.process) { transaction in
                let statement = try transaction.db.makeStatement(sql: "EXPLAIN " + sql)
                statement.setUncheckedArguments(StatementArguments())
                return try Row.fetchAll(statement).map { $0["opcode"] as String }
            }
            // A list of three names, or a foreign key, makes SQLite open one for each row: that costs more than the row.
            #expect(steps.contains("Insert") && !steps.contains("OpenEphemeral"), "\(sql)")
        }
        await store.close()
    }

    @Test func notesEachDueWaitOnce() async throws {
        let directory = try StoreDirectory()
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        for condition in [StoreTransaction.isDue, StoreTransaction.isIncredible] {
            for begin in [StoreTransaction.linesOfWaits, StoreTransaction.noteWaits] {
                let sql = begin + condition + (begin == StoreTransaction.noteWaits ? ")" : "")
                let plan = try await store.group.write(.process) { try self.plan(of: sql, $0.db) }
                let index = "INDEX transfer_wake (runnable=? AND condition=? AND wake_at"
                #expect(plan.contains { $0.contains(index) }, "\(plan)")
                #expect(!plan.contains { $0.contains("TEMP B-TREE") || $0.contains("SCAN") }, "\(plan)")
            }
        }
        await store.close()
    }

    @Test func looksUpEachWindowThatMayCloseInAnIndex() async throws {
        let directory = try StoreDirectory()
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        for sql in [
            StoreTransaction.firstWindow, StoreTransaction.nextWindow, StoreTransaction.linesOfWindow,
            StoreTransaction.closing,
        ] {
            let plan = try await store.group.write(.process) { try self.plan(of: sql, $0.db) }
            #expect(plan.contains { $0.contains("INDEX transfer_window") }, "\(plan)")
            #expect(!plan.contains { $0.contains("TEMP B-TREE") || $0.contains("SCAN transfer") }, "\(plan)")
        }
        await store.close()
    }

    @Test func closesAWindowOnceForAllThatHaveIt() async throws {
        let directory = try StoreDirectory()
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let owner = try await store.join(process, at: now)
        let length = 2_000
        _ = try await store.add(
            (0..<length).map { number in
                var new = try new("f\(number)", host: "h\(number % 7).example", queue: "front")
                new.specification.options.window = try TimeWindow(parsing: "22:00-22:30")
                return new
            },
            holder: nil,
            at: now
        )
        let late = now.advanced(by: .seconds(3600))
        var counts: [Int] = []
        for _ in 0..<3 {
            counts.append(
                try await store.group.write(.process) { transaction in
                    try StepCounter.count(transaction.db) {
                        var claimed: [Transfer]?
                        while claimed == nil {
                            claimed = try transaction.claim(8, .nothing, for: owner, at: late)
                        }
                        #expect(claimed == [])
                    }
                }
            )
        }
        #expect(counts[0] > length && counts[1] < 1000 && counts[2] == counts[1], "\(counts)")
        #expect(try await store.counts() == [.waiting: length])
        #expect(try await store.verify() == [])
        await store.close()
    }

    @Test func tellsNobodyOfAClaimThatFoundNothing() async throws {
        let directory = try StoreDirectory()
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let owner = try await store.join(process, at: now)
        let before = try await version(store)
        _ = try await store.claim(upTo: 5, only: nil, for: owner, at: now)
        #expect(try await version(store) == before, "nothing was written that others would be woken by")
        await store.close()
    }

    /// The transfers that come before those that a claim takes.
    enum Obstacle: CaseIterable {
        /// Only transfers that can run.
        case none
        /// The transfers of a host that has reached its limit.
        case fullHost
        /// The transfers of an unreachable host.
        case hostHeldBack
        /// A queue without a free slot.
        case fullQueue
        /// A paused queue.
        case pausedQueue
        /// A strict queue whose first transfers are paused.
        case strictQueue
        /// Transfers of another owner.
        case held
        /// As many hosts as transfers.
        case manyHosts
        /// Transfers whose time window is closed.
        case closedWindow
        /// Transfers that run in the foreground only.
        case foregroundOnly

        /// The unreachable hosts, and whether the application is in the background.
        var heldBack: HeldBack {
            HeldBack(
                hosts: self == .hostHeldBack ? ["front.example"] : [],
                isInBackground: self == .foregroundOnly
            )
        }
    }

    @Test(arguments: Obstacle.allCases)
    func costsTheSameHoweverLongTheLineIs(_ obstacle: Obstacle) async throws {
        let short = try await steps(obstacle, length: 500)
        let long = try await steps(obstacle, length: 10_000)
        #expect(long.first <= short.first + short.first / 2, "\(long) \(short)")
        #expect(long.next <= short.next + short.next / 2, "\(long) \(short)")
        #expect(short.first < 6000, "6,000 steps are a few dozen rows: \(short)")
    }

    /// The steps of SQLite's virtual machine for a claim of ten, and of ten more, behind this many other transfers.
    private func steps(_ obstacle: Obstacle, length: Int) async throws -> (first: Int, next: Int) {
        let directory = try StoreDirectory()
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let owner = try await store.join(process, at: now)
        let other = try await store.join(process, at: now)
        var edit = QueueEdit()
        (edit.slots, edit.perHost) = (obstacle == .fullQueue ? 3 : 0, obstacle == .fullHost ? 3 : 0)
        _ = try await store.edit(queue: "front", edit, at: now)
        var unbound = QueueEdit()
        (unbound.slots, unbound.perHost) = (0, 0)
        _ = try await store.edit(queue: "back", unbound, at: now)
        let isHeld = obstacle == .held
        _ = try await store.add(
            (0..<length).map { number in
                let host = obstacle == .manyHosts ? "h\(number).example" : "front.example"
                var new = try new("f\(number)", host: host, queue: "front")
                // It is 22:13:20.
                if obstacle == .closedWindow {
                    new.specification.options.window = try TimeWindow(parsing: "23:00-23:30")
                }
                new.specification.options.runsInBackground = obstacle != .foregroundOnly
                return new
            },
            holder: isHeld ? other : nil,
            at: now
        )
        try await bring(obstacle, into: store, edit, for: other)
        _ = try await store.add(
            (0..<40).map { try new("b\($0)", host: "back.example", queue: "front") },
            holder: nil,
            at: now
        )
        _ = try await store.add(
            (0..<40).map { try new("c\($0)", host: "other.example", queue: "back") },
            holder: nil,
            at: now
        )
        var counts: [Int] = []
        for _ in 0..<2 {
            counts.append(
                try await store.group.write(.process) { transaction in
                    try StepCounter.count(transaction.db) {
                        let claimed = try transaction.claim(8, obstacle.heldBack, for: owner, at: now)
                        #expect(claimed?.count == 8)
                        try transaction.recordHeads()
                    }
                }
            )
        }
        await store.close()
        return (counts[0], counts[1])
    }

    /// Puts the obstacle in front of the queue.
    private func bring(
        _ obstacle: Obstacle,
        into store: SQLiteTransferStore,
        _ former: QueueEdit,
        for other: OwnerID
    ) async throws {
        var edit = former
        if obstacle == .fullHost || obstacle == .fullQueue {
            #expect(try await store.claim(upTo: 3, only: nil, for: other, at: now).count == 3)
        }
        if obstacle == .strictQueue {
            (edit.slots, edit.order) = (3, .strict)
            for first in try await store.transfers(.all, after: nil, limit: 3) {
                _ = try await store.ask(.pause, of: first.id, at: now)
            }
        }
        if obstacle == .pausedQueue { edit.isPaused = true }
        _ = try await store.edit(queue: "front", edit, at: now)
    }

    private func new(_ name: String, host: String, queue: String) throws -> NewTransfer {
        let specification = DownloadSpecification(
            url: try HTTPURL(parsing: "https://\(host)/\(name)"),
            destination: .file(directory: "/d", name: nil)
        )
        return NewTransfer(specification, queue: queue)
    }

    private func plan(of sql: String, _ db: Database) throws -> [String] {
        let statement = try db.makeStatement(sql: "EXPLAIN QUERY PLAN " + sql)
        let arguments = StatementArguments(Array(repeating: 0, count: statement.sqliteParameterCount))
        return try Row.fetchAll(statement, arguments: arguments).map { $0["detail"] as String }
    }

    private func version(_ store: SQLiteTransferStore) async throws -> Int64? {
        try await store.connections.reader.unsafeRead { try Int64.fetchOne($0, sql: "PRAGMA data_version") }
    }
}

/// Counts the steps of SQLite's virtual machine, which do not depend on the speed of this one.
private final class StepCounter {
    private var count = 0

    static func count(_ db: Database, _ body: () throws -> Void) rethrows -> Int {
        let counter = StepCounter()
        let pointer = Unmanaged.passUnretained(counter).toOpaque()
        sqlite3_progress_handler(
            db.sqliteConnection,
            1,
            { pointer in
                if let pointer {
                    Unmanaged<StepCounter>.fromOpaque(pointer).takeUnretainedValue().count += 1
                }
                return 0
            },
            pointer
        )
        defer { sqlite3_progress_handler(db.sqliteConnection, 0, nil, nil) }
        try body()
        return counter.count
    }
}

extension Statement {
    /// How many arguments it takes.
    fileprivate var sqliteParameterCount: Int { Int(sqlite3_bind_parameter_count(sqliteStatement)) }
}

extension StoreTransaction {
    /// Claims of all that can run and is not held back.
    fileprivate func claim(
        _ limit: Int,
        _ heldBack: HeldBack,
        for owner: OwnerID,
        at now: Instant
    ) throws -> [Transfer]? {
        switch try claim(upTo: limit, only: nil, heldBack: heldBack, for: owner, at: now) {
        case .done(let claimed): claimed
        case .unfinished, .overdue: nil
        }
    }
}
