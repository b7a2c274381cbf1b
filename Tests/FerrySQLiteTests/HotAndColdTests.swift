import FerryCore
import FerryTesting
import GRDB
import Synchronization
import Testing

@testable import FerrySQLite

/// What was asked for is kept apart from where each transfer stands, and what is over apart from what is not.
struct HotAndColdTests {
    private let directory: StoreDirectory

    init() throws {
        directory = try StoreDirectory()
    }

    /// What is done to a transfer that neither changes what is asked for nor drops a secret.
    @Test func neitherAClaimNorAWishNorASettlementWritesWhatWasAskedFor() async throws {
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let ids = try await store.add(["a", "b"].map { try newTransfer($0) }, holder: nil, at: now)
            .map(\.transfer.id)
        let owner = try await store.join(process, at: now)
        let written = Mutex<Set<String>>([])
        try await store.connections.writer.writeWithoutTransaction { db in
            db.trace(options: .statement) { event in
                guard case .statement(let statement) = event else { return }
                let words = statement.sql.split(separator: " ")
                guard let first = words.first, ["INSERT", "UPDATE", "DELETE"].contains(first) else { return }
                let known = ["work", "transfer", "ended", "progress", "head", "tally"]
                guard let table = words.first(where: { known.contains(String($0)) }) else { return }
                written.withLock { _ = $0.insert("\(first) \(table)") }
            }
        }
        let claims = try await store.claim(upTo: 2, only: nil, for: owner, at: now).compactMap(\.claim)
        _ = try await store.ask(.pause, of: ids[0], at: now)
        _ = try await store.settle(claims[0], as: Settlement(.queued, progress: DownloadProgress()), at: now)
        _ = try await store.requeue(ids[0], holder: nil, at: now)
        _ = try await store.settle(
            claims[1],
            as: Settlement(.completed, progress: DownloadProgress()),
            at: now
        )
        let tables = written.withLock { $0 }
        #expect(tables.contains("UPDATE transfer") && tables.contains("DELETE transfer"), "\(tables)")
        #expect(!tables.contains { $0.hasSuffix("work") || $0.hasSuffix("progress") }, "\(tables)")
        await store.close()
    }

    @Test func whatIsOverLeavesTheTableOfWhatIsNot() async throws {
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let names = ["completed", "cancelled", "failed", "held", "queued"]
        let ids = try await store.add(try names.map { try newTransfer($0) }, holder: nil, at: now)
            .map(\.transfer.id)
        let owner = try await store.join(process, at: now)
        for (id, end) in [
            (ids[0], TransferState.completed), (ids[2], .failed(TransferFailure(.timeout, "It was late."))),
        ] {
            let claim = try #require(try await store.claim(upTo: 1, only: [id], for: owner, at: now)[0].claim)
            _ = try await store.settle(claim, as: Settlement(end, progress: DownloadProgress()), at: now)
        }
        _ = try await store.ask(.cancel(keepingPart: false), of: ids[1], at: now)
        // Of this one something has still to be removed, by who holds it.
        var partly = DownloadProgress()
        partly.part = PartFileClaim(
            name: try FileName(userGiven: "held.part"),
            identity: FileIdentity(device: 1, inode: 1),
            boot: BootID(rawValue: "b")
        )
        let claim = try #require(try await store.claim(upTo: 1, only: [ids[3]], for: owner, at: now)[0].claim)
        _ = try await store.settle(claim, as: Settlement(.queued, progress: partly), at: now)
        let held = try await store.ask(.cancel(keepingPart: false), of: ids[3], holder: owner, at: now)
        #expect(try await numbers("transfer", store) == ids[2...4].map(\.rawValue))
        #expect(try await numbers("ended", store) == ids[0...1].map(\.rawValue))
        #expect(try await store.counts() == [.completed: 1, .cancelled: 2, .failed: 1, .queued: 1])
        let cancelled = try await store.transfers(.state(.cancelled), after: nil, limit: 9)
        #expect(cancelled.map(\.id) == [ids[1], ids[3]])
        #expect(try await store.transfers(.unfinished, after: nil, limit: 9).map(\.id) == [ids[4]])
        let listed = try await store.transfers(.unfinishedOrFailed, after: nil, limit: 9)
        #expect(listed.map(\.id) == [ids[2], ids[4]])
        #expect(try await store.transfers(.all, after: ids[0], limit: 2).map(\.id) == [ids[1], ids[2]])

        let hold = try #require(held.claim)
        _ = try await store.settle(hold, as: Settlement(.cancelled, progress: DownloadProgress()), at: now)
        #expect(try await numbers("transfer", store) == [ids[2], ids[4]].map(\.rawValue))
        #expect(try await numbers("ended", store) == [ids[0], ids[1], ids[3]].map(\.rawValue))
        #expect(try await store.verify() == [])
        await store.close()
    }

    /// What is asked for is not read again for a settlement unless it was edited, also by another process.
    @Test(arguments: [false, true])
    func aSettlementKnowsWhatWasEditedMeanwhile(isElsewhere: Bool) async throws {
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let other = try await SQLiteTransferStore.open(directory: directory.path)
        let id = try await store.add([newTransfer("a")], holder: nil, at: now)[0].transfer.id
        let owner = try await store.join(process, at: now)
        let claim = try #require(try await store.claim(upTo: 1, only: nil, for: owner, at: now)[0].claim)
        var edit = TransferEdit()
        edit.url = try HTTPURL(parsing: "https://other.example/b")
        edit.retries = 3
        edit.priority = 7
        _ = try await (isElsewhere ? other : store).edit(id, edit, at: now)
        let settled = try await store.settle(
            claim,
            as: Settlement(.queued, progress: DownloadProgress()),
            at: now
        )
        #expect(settled.work.url == edit.url && settled.work.terms.retries == 3 && settled.priority == 7)
        #expect(try await other.transfer(id) == settled)
        // The next one goes by what was read last.
        let again = try #require(try await store.claim(upTo: 1, only: nil, for: owner, at: now)[0].claim)
        let ended = try await store.settle(
            again,
            as: Settlement(.completed, progress: DownloadProgress()),
            at: now
        )
        #expect(ended.work.url == edit.url)
        #expect(try await other.transfer(id) == ended)
        #expect(try await store.verify() == [])
        await other.close()
        await store.close()
    }

    @Test(arguments: ["UPDATE number SET latest = 0", "DELETE FROM number", "SELECT 1"])
    func aNumberIsGivenOnce(_ damage: String) async throws {
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let ids = try await store.add(["a", "b"].map { try newTransfer($0) }, holder: nil, at: now)
            .map(\.transfer.id)
        _ = try await store.ask(.cancel(keepingPart: false), of: ids[1], at: now)
        if damage == "SELECT 1" { try await store.forget([ids[1]]) }
        try await store.group.write(.process) { try $0.db.execute(sql: damage) }
        await store.close()
        let again = try await SQLiteTransferStore.open(directory: directory.path)
        let next = try await again.add([newTransfer("c")], holder: nil, at: now)[0].transfer.id
        #expect(next.rawValue == ids[1].rawValue + 1)
        await again.close()
    }

    private func numbers(_ table: String, _ store: SQLiteTransferStore) async throws -> [Int64] {
        try await store.connections.reader.read { db in
            try Int64.fetchAll(db, sql: "SELECT id FROM \(table) ORDER BY id")
        }
    }

    // MARK: Bodies

    /// It is large enough to need pages of its own.
    private let body = [UInt8](repeating: 0x62, count: 100_000)

    @Test func bodiesStandInColumnsOfTheirOwn() async throws {
        let (store, id) = try await storeWithBody()
        var progress = RequestProgress()
        progress.response = StoredResponse(status: 503, fields: [], body: body)
        let owner = try await store.join(process, at: now)
        let claim = try #require(try await store.claim(upTo: 1, only: nil, for: owner, at: now)[0].claim)
        try await store.record(.request(progress), for: claim, durability: .process, at: now)
        let counts: [Int] = try await store.connections.writer.read { db in
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT length(options), length(body), length(details), length(response_body)
                    FROM work JOIN progress ON transfer = id
                    """
            )
            return try (0..<4).map { try #require(row)[$0] }
        }
        #expect(counts[0] < 1_000 && counts[2] < 1_000, "\(counts)")
        #expect(counts[1] == body.count && counts[3] == body.count, "\(counts)")
        let request = try #require(try await store.transfer(id)?.request)
        #expect(request.specification.body.bytes == body && request.progress == progress)
        await store.close()
    }

    @Test func ordersAndSettlementsDoNotReadTheBody() async throws {
        let (store, id) = try await storeWithBody()
        let owner = try await store.join(process, at: now)
        let claim = try #require(try await store.claim(upTo: 1, only: nil, for: owner, at: now)[0].claim)
        try await store.connections.writer.write { db in
            let longest = RequestSpecification.longestBody
            try db.execute(sql: "UPDATE work SET body = zeroblob(?)", arguments: [longest + 1])
        }
        await #expect(throws: StoreError.damagedTransfer(id, "its body has a wrong length")) {
            try await store.transfer(id)
        }
        let orders = try #require(try await store.orders(for: [id])[0])
        #expect(orders.claim == claim && orders.rateLimit == .off)
        let settled = try await store.settle(
            claim,
            as: Settlement(.paused, progress: .request(RequestProgress())),
            at: now
        )
        #expect(settled.state == .paused && settled.request?.specification.body.bytes == body)
        await store.close()
    }

    private func storeWithBody() async throws -> (SQLiteTransferStore, TransferID) {
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let url = try HTTPURL(parsing: "https://api.example/orders")
        let request = try RequestSpecification(method: .post, url: url, body: StoredBody(body))
        let added = try await store.add([NewTransfer(request)], holder: nil, at: now)
        return (store, added[0].transfer.id)
    }
}
