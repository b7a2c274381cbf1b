import FerryCore
import GRDB
import Testing

@testable import FerrySQLite

/// Changes to a great many transfers are made in portions, so that no other write waits for all of them.
struct PortionTests {
    private let directory: StoreDirectory
    private let log = EventLog()
    private let count = StoreTransaction.portion * 2 + 500

    init() throws {
        directory = try StoreDirectory()
    }

    @Test func freesWhatADeadOwnerHeldInPortions() async throws {
        let store = try await open()
        let dead = try await store.join(process, at: now)
        let added = try await store.add((0..<count).map { try newTransfer("\($0)") }, holder: dead, at: now)
        log.clear()
        #expect(try await store.remove(dead, at: now) == added.map(\.transfer.id))
        #expect(log.commits.count == 3)
        #expect(try await store.owners() == [])
        #expect(try await store.verify() == [])
        await store.close()
    }

    @Test func leavesTheRestToTheNextWhenItIsKilledInBetween() async throws {
        let store = try await open()
        let dead = try await store.join(process, at: now)
        let added = try await store.add((0..<3).map { try newTransfer("\($0)") }, holder: dead, at: now)
        let first = try await store.group.write(.process) { try $0.remove(dead, upTo: 2, at: now) }
        #expect(first == added.prefix(2).map(\.transfer.id))
        #expect(try await store.owners().map(\.id) == [dead], "what it still holds is found by it")
        #expect(try await store.verify() == [])
        #expect(try await store.remove(dead, at: now) == [added[2].transfer.id])
        #expect(try await store.owners() == [])
        await store.close()
    }

    /// Transfers that are due are queued in portions, but a claim still takes the first of all.
    @Test(arguments: ["retry", "window"])
    func notesWaitsThatAreDueInPortions(condition: String) async throws {
        let store = try await open()
        let owner = try await store.join(process, at: now)
        let added = try await store.add((0..<count).map { try newTransfer("\($0)") }, holder: nil, at: now)
        try await store.group.write(.process) { transaction in
            // The first in line has been waiting for the latest moment.
            try transaction.db.execute(
                sql: """
                    UPDATE transfer SET state = 'waiting', condition = ?1, wake_at = ?2 - id, runnable = 0;
                    """,
                arguments: [condition, now.milliseconds]
            )
            _ = try DerivedTables(db: transaction.db).mend()
        }
        log.clear()
        let claimed = try await store.claim(upTo: 1, only: nil, for: owner, at: now)
        #expect(claimed.map(\.id) == [try #require(added.first).transfer.id])
        #expect(log.commits.count == 3)
        #expect(try await store.verify() == [])
        await store.close()
    }

    private func open() async throws -> SQLiteTransferStore {
        let store = try await SQLiteTransferStore.open(directory: directory.path) { [log] in log.note($0) }
        log.clear()
        return store
    }
}
