import FerryCore
import FerryTesting
import GRDB
import Testing

@testable import FerrySQLite

/// What a newer Ferry added to a store, and this one does not know, is left as it is.
struct NewerKindTests {
    private let directory: StoreDirectory

    init() throws {
        directory = try StoreDirectory()
    }

    @Test func aTransferOfAnUnknownKindIsNamedAsThatOfANewerFerry() async throws {
        let (store, newer, others) = try await store()
        let error = StoreError.newerTransfer(newer, kind: "orchard")
        #expect(error.remedies == [.updateFerry])
        await #expect(throws: error) { try await store.transfer(newer) }
        await #expect(throws: error) { try await store.requeue(newer, holder: nil, at: now) }
        await #expect(throws: error) { try await store.forget([newer]) }
        await #expect(throws: error) {
            try await store.ask(.cancel(keepingPart: false), of: newer, holder: nil, at: now)
        }
        #expect(try await store.transfers(.all, after: nil, limit: 9).map(\.id) == others)
        let unread = await store.damagedTransfers()
        #expect(unread.map(\.id) == [newer] && unread.allSatisfy(\.isOfNewerFerry))
        #expect(try await store.verify() == [], "nothing is wrong with it")
        await store.close()
    }

    @Test(
        arguments: TransferQueue.Order.allCases,
        [
            "priority = 0", "not_after = 1", "time_window = '00:00-00:01', deaths = 2",
            "state = 'waiting', condition = 'retry', wake_at = 1, runnable = 0",
        ]
    )
    func isNeverClaimedNorChanged(_ order: TransferQueue.Order, _ columns: String) async throws {
        let (store, newer, others) = try await store(queue: "line", order: order)
        try await store.run("UPDATE transfer SET \(columns) WHERE id = ?", newer)
        try await store.rebuild()
        let before = try await store.row(of: newer)
        let owner = try await store.join(process, at: now)
        let claimed = try await store.claim(upTo: 1, only: nil, for: owner, at: now)
        #expect(claimed.map(\.id) == (order == .strict ? [] : [others[0]]), "a strict queue waits for it")
        #expect(try await store.claim(upTo: 9, only: [newer], for: owner, at: now).isEmpty)
        #expect(try await !store.waitsForRoom(owner, at: now), "nothing else is in line")
        #expect(try await store.mend() == [])
        #expect(try await store.row(of: newer) == before)
        await store.close()
    }

    @Test func staysWhereItIsWhenItsOwnerOrWhatItComesAfterIsGone() async throws {
        let (store, newer, others) = try await store()
        let owner = try await store.join(process, at: now)
        let first = try #require(try await store.claim(upTo: 1, only: [others[0]], for: owner, at: now).first)
        try await store.run("INSERT INTO dependency (transfer, needs) VALUES (?, \(others[0]))", newer)
        try await store.run(
            "UPDATE transfer SET state = 'waiting', condition = 'dependency' WHERE id = ?",
            newer
        )
        try await store.run("UPDATE transfer SET owner = 7777, runnable = 0 WHERE id = ?", newer)
        try await store.rebuild()
        let before = try await store.row(of: newer)
        let claim = try #require(first.claim)
        try await store.settle(claim, as: Settlement(.completed, progress: DownloadProgress()), at: now)
        #expect(try await store.remove(owner, at: now) == [])
        let next = try await store.join(process, at: now)
        _ = try await store.claim(upTo: 1, only: nil, for: next, at: now)
        #expect(try await store.mend() != ["transfer \(newer) is held by an owner that does not exist"])
        #expect(try await store.row(of: newer) == before)
        await store.close()
    }

    @Test func whatComesAfterItWaits() async throws {
        let (store, newer, _) = try await store()
        var late = try newTransfer("late")
        late.after = [newer]
        let id = try await store.add([late], holder: nil, at: now)[0].transfer.id
        let owner = try await store.join(process, at: now)
        #expect(try await store.claim(upTo: 9, only: [id], for: owner, at: now).isEmpty)
        #expect(try await store.transfer(id)?.state == .waiting(.dependency))
        await store.close()
    }

    @Test func oneThatIsOverIsNotForgotten() async throws {
        let (store, newer, others) = try await store()
        let owner = try await store.join(process, at: now)
        try await store.run("UPDATE work SET kind = 'download' WHERE id = ?", newer)
        for transfer in try await store.claim(upTo: 2, only: [newer, others[0]], for: owner, at: now) {
            let claim = try #require(transfer.claim)
            try await store.settle(claim, as: Settlement(.completed, progress: DownloadProgress()), at: now)
        }
        try await store.run("UPDATE work SET kind = 'orchard' WHERE id = ?", newer)
        #expect(try await store.prune(Retention(age: .zero, count: 0), upTo: 9, at: now) == [others[0]])
        #expect(await store.damagedTransfers().map(\.id) == [])
        await #expect(throws: StoreError.newerTransfer(newer, kind: "orchard")) {
            try await store.transfer(newer)
        }
        await store.close()
    }

    /// A store with a transfer of a newer Ferry in front of one that this Ferry knows.
    private func store(
        queue: String = NewTransfer.defaultQueue,
        order: TransferQueue.Order = .fair
    ) async throws -> (SQLiteTransferStore, newer: TransferID, others: [TransferID]) {
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        var edit = QueueEdit()
        edit.order = order
        edit.slots = 1
        if order == .strict { _ = try await store.edit(queue: queue, edit, at: now) }
        var new = try ["a", "b"].map { try newTransfer($0) }
        for index in new.indices { new[index].queue = queue }
        let ids = try await store.add(new, holder: nil, at: now).map(\.transfer.id)
        try await store.run(
            "UPDATE work SET kind = 'orchard', options = '{\"parts\":7}' WHERE id = ?",
            ids[0]
        )
        return (store, ids[0], [ids[1]])
    }
}

extension SQLiteTransferStore {
    /// Changes a row behind the store's back.
    fileprivate func run(_ sql: String, _ id: TransferID) async throws {
        try await group.write(.process) { try $0.db.execute(sql: sql, arguments: [id.rawValue]) }
    }

    /// Derives from the rows what a store derives from them.
    fileprivate func rebuild() async throws {
        try await group.write(.process) { _ = try DerivedTables(db: $0.db).mend() }
    }

    /// Everything that the row of a transfer holds, in words.
    fileprivate func row(of id: TransferID) async throws -> String {
        try await group.write(.process) { transaction in
            try ["transfer", "work"].map { table in
                let sql = "SELECT * FROM \(table) WHERE id = ?"
                return try Row.fetchOne(transaction.db, sql: sql, arguments: [id.rawValue])?.description
                    ?? "none"
            }
            .joined(separator: "\n")
        }
    }
}
