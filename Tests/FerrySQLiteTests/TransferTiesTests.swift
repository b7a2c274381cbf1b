import FerryCore
import FerryTesting
import GRDB
import Synchronization
import Testing

@testable import FerrySQLite

/// The end of a transfer changes what is tied to it, and costs one look in a store in which nothing is.
struct TransferTiesTests {
    private let directory: StoreDirectory
    private static let completion = Settlement(.completed, progress: DownloadProgress())

    init() throws {
        directory = try StoreDirectory()
    }

    @Test func oneStatementShowsForAllEndsOfATransactionThatNothingIsTied() async throws {
        let (store, claims) = try await store(3)
        let made = Mutex<[String]>([])
        try await store.connections.writer.writeWithoutTransaction { db in
            db.trace(options: .statement) { event in
                guard case .statement(let statement) = event else { return }
                made.withLock { $0.append(statement.sql) }
            }
        }
        try await store.group.write(.power) { transaction in
            for claim in claims { _ = try transaction.settle(claim, as: Self.completion, at: now) }
        }
        let reads = ["FROM node_transfer", "WHERE awaited", "FROM dependency WHERE needs"]
        let looks = made.withLock { $0 }.filter { sql in reads.contains { sql.contains($0) } }
        #expect(looks.count == 1, "\(looks)")
        #expect(try await store.counts() == [.completed: 3])
        await store.close()
    }

    @Test func whatIsTiedAfterAnEndIsFoundByTheNextEndOfTheTransaction() async throws {
        let (store, claims) = try await store(2)
        let later = try await store.add([newTransfer("later")], holder: nil, at: now)[0].transfer.id
        try await store.group.write(.power) { transaction in
            _ = try transaction.settle(claims[0], as: Self.completion, at: now)
            let next = claims[1].transfer
            var edit = TransferEdit()
            edit.after = [next]
            #expect(try transaction.edit(later, edit, at: now).state == .waiting(.dependency))
            try transaction.nodes.put(
                NodeLink(node: 1, transfer: next, components: .data, generation: 1, etag: nil)
            )
            var entry = StoredEntry(CacheTerms(pool: "p"), named: "n", label: "l", at: now)
            entry.awaited = StoredEntry.Awaited(next, .cached)
            try transaction.cache.put(entry)
            _ = try transaction.settle(claims[1], as: Self.completion, at: now)
            #expect(try transaction.nodes.link(of: 1) == nil)
            let settled = try transaction.cache.entry("n", in: "p")
            #expect(settled != nil && settled?.awaited == nil)
        }
        #expect(try await store.transfer(later)?.state == .queued)
        await store.close()
    }

    /// A store, and the claims of this many transfers in it.
    private func store(_ count: Int) async throws -> (SQLiteTransferStore, [Claim]) {
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let owner = try await store.join(process, at: now)
        _ = try await store.add((0..<count).map { try newTransfer("\($0)") }, holder: nil, at: now)
        let claims = try await store.claim(upTo: count, only: nil, for: owner, at: now).compactMap(\.claim)
        try #require(claims.count == count)
        return (store, claims)
    }
}
