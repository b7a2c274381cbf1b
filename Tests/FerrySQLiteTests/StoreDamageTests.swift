import FerryCore
import FerryTesting
import Foundation
import GRDB
import Testing

@testable import FerrySQLite

/// A row that does not decode is named in the error, and never ignored.
struct StoreDamageTests {
    private let directory: StoreDirectory

    init() throws {
        directory = try StoreDirectory()
    }

    @Test(arguments: [
        "state = 'nonsense'", "kind = 'no kind'", "url = 'ftp://x'", "options = '{'", "segments = x'00'",
        "details = '[]'", "wish = 'nonsense'",
        "latest_failure = '{\"code\":\"nonsense\",\"message\":\"\"}'",
        "state = 'waiting', condition = 'nonsense'", "state = 'waiting', condition = 'retry'",
        "state = 'failed'", "segments = x'0101050009'", "directory = NULL",
        "token = 9223372036854775807", "token = -1", "attempts = 9223372036854775807", "attempts = -1",
    ])
    func namesTheRowThatCannotBeRead(_ damage: String) async throws {
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let additions = try await store.add([newTransfer("a"), newTransfer("b")], holder: nil, at: now)
        let id = additions[1].transfer.id
        try await store.group.write(.process) { transaction in
            try transaction.db.execute(sql: "PRAGMA ignore_check_constraints = ON")
            try transaction.db.damage(damage, of: [id])
        }
        await #expect { try await store.transfer(id) } throws: { names(id, $0) }
        let others = try await store.transfers(.all, after: nil, limit: 1)
        #expect(others.map(\.id) == [additions[0].transfer.id])
        #expect(try await store.transfers(.all, after: others[0].id, limit: 1).isEmpty)
        #expect(try await store.transfers([id, others[0].id]) == [nil, others[0]])
        let damaged = await store.damagedTransfers()
        #expect(damaged.map(\.id) == [id] && damaged.allSatisfy { $0.problem.contains("transfer \(id)") })
        let faults = try await store.verify()
        #expect(faults.contains { $0.contains("transfer \(id)") }, "\(faults)")
        #expect(try await store.transfer(additions[0].transfer.id) != nil, "the others can still be read")
        await store.close()
    }

    @Test func aDamagedRowKeepsNobodyFromRunningTheOthers() async throws {
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let additions = try await store.add(
            ["a", "b", "c"].map { try newTransfer($0) },
            holder: nil,
            at: now
        )
        let ids = additions.map(\.transfer.id)
        let owner = try await store.join(process, at: now)
        _ = try await store.claim(upTo: 1, only: [ids[1]], for: owner, at: now)
        try await store.group.write(.process) { transaction in
            try transaction.db.damage("options = '{'", of: Array(ids[0...1]))
        }
        #expect(try await store.claim(upTo: 3, only: nil, for: owner, at: now).map(\.id) == [ids[2]])
        #expect(try await store.claim(upTo: 3, only: nil, for: owner, at: now).isEmpty)
        #expect(try await store.remove(owner, at: now) == [ids[1], ids[2]])
        #expect(try await store.owners().isEmpty)
        #expect(try await store.verify().count >= 2, "what is wrong is still told")
        await store.close()
    }

    @Test func aRowWhoseStateIsNoneIsSetAsideAndCountedAsPaused() async throws {
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let ids = try await store.add(["a", "b"].map { try newTransfer($0) }, holder: nil, at: now)
            .map(\.transfer.id)
        let owner = try await store.join(process, at: now)
        try await store.group.write(.process) { transaction in
            try transaction.db.execute(sql: "PRAGMA ignore_check_constraints = ON")
            try transaction.db.damage("state = 'asleep'", of: [ids[0]])
        }
        #expect(try await store.claim(upTo: 2, only: nil, for: owner, at: now).map(\.id) == [ids[1]])
        #expect(try await store.counts() == [.active: 1, .paused: 1])
        #expect(try await store.transfers(.state(.paused), after: nil, limit: 9).map(\.id) == [ids[0]])
        await store.close()
    }

    @Test func tellsWhatAWritePassedOverUntilItIsForgotten() async throws {
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let ids = try await store.add(["a", "b"].map { try newTransfer($0) }, holder: nil, at: now)
            .map(\.transfer.id)
        let owner = try await store.join(process, at: now)
        try await store.group.write(.process) {
            try $0.db.damage("options = '{'", of: [ids[0]])
        }
        #expect(try await store.claim(upTo: 2, only: nil, for: owner, at: now).map(\.id) == [ids[1]])
        #expect(await store.damagedTransfers().map(\.id) == [ids[0]], "only a write has come upon it")
        try await store.forget([ids[0]])
        #expect(await store.damagedTransfers() == [])
        await store.close()
    }

    @Test(arguments: ["overflow = 'nonsense'", "slots = -1", "rate_limit = -7", "per_host = -1"])
    func aDamagedQueueStandsStillAndTheOthersGoOn(_ damage: String) async throws {
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        var edit = QueueEdit()
        edit.slots = 3
        _ = try await store.edit(queue: "bad", edit, at: now)
        var transfers = try ["a", "b"].map { try newTransfer($0) }
        transfers[0].queue = "bad"
        let ids = try await store.add(transfers, holder: nil, at: now).map(\.transfer.id)
        let owner = try await store.join(process, at: now)
        try await store.group.write(.process) {
            try $0.db.execute(sql: "PRAGMA ignore_check_constraints = ON; UPDATE queue SET \(damage)")
        }
        #expect(try await store.claim(upTo: 2, only: nil, for: owner, at: now).map(\.id) == [ids[1]])
        #expect(try await store.queue(named: "bad").isPaused)
        #expect(try await store.queues().contains { $0.id == "bad" && $0.queue.isPaused })
        #expect(try await !store.waitsForRoom(owner, at: now), "it is not waited for")
        #expect(try await store.verify().contains { $0.contains("queue") && $0.contains("bad") })

        let mended = try await store.mend()
        #expect(mended.contains { $0.contains("bad") && $0.contains("is paused") }, "\(mended)")
        #expect(try await store.verify() == [])
        edit = QueueEdit()
        edit.isPaused = false
        _ = try await store.edit(queue: "bad", edit, at: now)
        #expect(try await store.claim(upTo: 2, only: nil, for: owner, at: now).map(\.id) == [ids[0]])
        await store.close()
    }

    @Test func aDamagedOwnerKeepsNobodyFromWorkingUntilItIsMended() async throws {
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let ids = try await store.add(["a", "b"].map { try newTransfer($0) }, holder: nil, at: now)
            .map(\.transfer.id)
        let bad = try await store.join(process, at: now)
        let claim = try #require(try await store.claim(upTo: 1, only: nil, for: bad, at: now).first?.claim)
        let good = try await store.join(process, at: now)
        try await store.group.write(.process) {
            try $0.db.execute(sql: "UPDATE owner SET pid = 1 << 40 WHERE id = ?", arguments: [bad.rawValue])
        }
        #expect(try await store.owners().map(\.id) == [good])
        #expect(try await store.claim(upTo: 2, only: nil, for: good, at: now).map(\.id) == [ids[1]])
        #expect(try await store.verify().contains { $0.contains("owner \(bad.rawValue)") })

        let mended = try await store.mend()
        #expect(mended.contains { $0.contains("owner \(bad.rawValue)") }, "\(mended)")
        #expect(try await store.verify() == [])
        #expect(try await store.claim(upTo: 2, only: nil, for: good, at: now).map(\.id) == [ids[0]])
        // If it lives after all, it changes nothing.
        await #expect(throws: StoreError.claimLost(claim.transfer)) {
            try await store.settle(claim, as: Settlement(.queued, progress: DownloadProgress()), at: now)
        }
        await store.close()
    }

    /// Every engine that runs a queue reads the waiting transfers: for disk space, the network, a fresh URL or a time.
    @Test(arguments: WaitCondition.Name.allCases)
    func aDamagedRowThatWaitsKeepsNobodyFromRunningTheOthers(_ condition: WaitCondition.Name) async throws {
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let additions = try await store.add(["a", "b"].map { try newTransfer($0) }, holder: nil, at: now)
        let (bad, good) = (additions[0].transfer.id, additions[1].transfer.id)
        let owner = try await store.join(process, at: now)
        let active = try #require(try await store.claim(upTo: 1, only: [good], for: owner, at: now).first)
        try await store.group.write(.process) { transaction in
            try transaction.db.execute(
                sql: """
                    UPDATE transfer SET state = 'waiting', condition = ?, runnable = 0, needed = 1,
                        wake_at = CASE WHEN ?1 IN ('retry', 'window') THEN 1 END WHERE id = ?
                    """,
                arguments: [condition.rawValue, bad.rawValue]
            )
            try transaction.db.damage("options = '{'", of: [bad])
            try transaction.db.execute(sql: "DELETE FROM head WHERE transfer = ?", arguments: [bad.rawValue])
            try DerivedTables(db: transaction.db).recount()
        }
        #expect(try await store.transfers(.waiting(condition), after: nil, limit: 1).isEmpty)
        #expect(try await store.endWait(of: bad, for: .network, holder: owner, at: now) == nil)
        #expect(try await store.takeUp([bad], holder: owner, at: now).isEmpty)
        #expect(try await store.pauseHeld([bad], by: owner, at: now).isEmpty)
        #expect(try await store.orders(for: [bad, good]).map { $0 == nil } == [true, false])
        #expect(try await store.completed(like: [newTransfer("a").specification]) == [nil])
        #expect(try await store.prune(Retention(age: .zero, count: 0), upTo: 9, at: now).isEmpty)
        #expect(try await store.claim(upTo: 9, only: nil, for: owner, at: now).isEmpty)
        let claim = try #require(active.claim)
        let ended = try await store.settle(
            claim,
            as: Settlement(.completed, progress: DownloadProgress()),
            at: now
        )
        #expect(ended.state == .completed)
        #expect(await store.damagedTransfers().map(\.id) == [bad])
        try await store.forget([bad])
        #expect(try await store.counts() == [.completed: 1])
        #expect(try await store.verify() == [])
        await store.close()
    }

    /// A row that is damaged while it runs is taken from its owner, which continues with the others.
    @Test func aRowThatIsDamagedWhileItRunsIsGivenUp() async throws {
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let id = try await store.add([newTransfer("a")], holder: nil, at: now)[0].transfer.id
        let owner = try await store.join(process, at: now)
        let claim = try #require(try await store.claim(upTo: 1, only: nil, for: owner, at: now).first?.claim)
        try await store.group.write(.process) {
            try $0.db.execute(sql: "UPDATE transfer SET wish = 'nonsense'")
        }
        #expect(try await store.orders(for: [id]) == [nil])
        await #expect(throws: StoreError.claimLost(claim.transfer)) {
            try await store.settle(claim, as: Settlement(.queued, progress: DownloadProgress()), at: now)
        }
        await store.close()
    }

    /// Set aside, it would be the twin of one that is not over, and what it comes after could not be completed.
    @Test func aDamagedRowThatFailedStaysSo() async throws {
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let owner = try await store.join(process, at: now)
        let first = try await store.add([newTransfer("first")], holder: nil, at: now)[0].transfer.id
        var second = try newTransfer("second")
        second.after = [first]
        let failed = try await store.add([second], holder: nil, at: now)[0].transfer.id
        let failure = TransferFailure(.connectionLost, "The connection broke.")
        let claim = try #require(
            try await store.claim(upTo: 1, only: [first], for: owner, at: now).first?.claim
        )
        try await store.settle(claim, as: Settlement(.failed(failure), progress: DownloadProgress()), at: now)
        let twin = try await store.add([newTransfer("twin")], holder: nil, at: now)[0].transfer.id
        var edit = TransferEdit()
        edit.url = second.specification.url
        _ = try await store.edit(twin, edit, at: now)
        try await store.group.write(.process) { transaction in
            try transaction.db.damage("options = '{'", of: [failed])
        }
        _ = try await store.requeue(first, holder: nil, at: now)
        let again = try #require(
            try await store.claim(upTo: 1, only: [first], for: owner, at: now).first?.claim
        )
        let ended = try await store.settle(
            again,
            as: Settlement(.completed, progress: DownloadProgress()),
            at: now
        )
        #expect(ended.state == .completed)
        #expect(try await store.counts() == [.completed: 1, .failed: 1, .queued: 1])
        await store.close()
    }

    @Test func tellsNoSecretOfARowThatCannotBeRead() async throws {
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let id = try await store.add([newTransfer("a")], holder: nil, at: now)[0].transfer.id
        for damage in ["url = 'hunter2'", "options = 'hunter2'", "details = 'hunter2'"] {
            try await store.group.write(.process) { try $0.db.damage(damage, of: [id]) }
            let faults = try await store.verify()
            #expect(!faults.isEmpty && !faults.contains { $0.contains("hunter2") })
        }
        await store.close()
    }

    @Test func findsADamagedPage() async throws {
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        _ = try await store.add((0..<2_000).map { try newTransfer("\($0)") }, holder: nil, at: now)
        await store.close()
        var content = try Data(contentsOf: URL(filePath: directory.files.database))
        let middle = content.count / 2
        content.replaceSubrange(middle..<(middle + 20_000), with: Data(repeating: 0xFF, count: 20_000))
        try content.write(to: URL(filePath: directory.files.database))
        let damaged = try await SQLiteTransferStore.open(directory: directory.path)
        #expect(try await damaged.verify() != [])
        await damaged.close()
    }

    private func names(_ id: TransferID, _ error: any Error) -> Bool {
        guard case .damagedTransfer(id, let detail)? = error as? StoreError else { return false }
        return !detail.isEmpty
    }
}

extension Database {
    /// Changes columns of some transfers, in the table that has them.
    fileprivate func damage(_ change: String, of ids: [TransferID]) throws {
        let column = change.prefix { $0 != " " }
        let (table, key) =
            switch column {
            case "kind", "url", "options", "directory": ("work", "id")
            case "details", "segments": ("progress", "transfer")
            default: ("transfer", "id")
            }
        for id in ids.map(\.rawValue) {
            if table == "progress" {
                try execute(sql: "INSERT OR IGNORE INTO progress (transfer) VALUES (?)", arguments: [id])
            }
            try execute(sql: "UPDATE \(table) SET \(change) WHERE \(key) = ?", arguments: [id])
        }
    }
}
