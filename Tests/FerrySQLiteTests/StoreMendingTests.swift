import FerryCore
import FerryTesting
import Foundation
import GRDB
import Testing

@testable import FerrySQLite

/// Other programs do no lasting harm to an open store: a newer Ferry that changes its tables, or a program that does not
/// update the derived data.
struct StoreMendingTests {
    private let directory: StoreDirectory

    init() throws {
        directory = try StoreDirectory()
    }

    /// The changes of a newer Ferry that opens the store.
    private static let migration = """
        CREATE TABLE future (id INTEGER PRIMARY KEY);
        DROP TABLE tally;
        INSERT INTO grdb_migrations VALUES ('9999 from the future')
        """

    @Test func writesNothingAfterANewerFerryHasChangedTheTables() async throws {
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let owner = try await store.join(process, at: now)
        _ = try await store.add([newTransfer("a")], holder: nil, at: now)
        let claimed = try await store.claim(upTo: 1, only: nil, for: owner, at: now)
        let claim = try #require(claimed.first?.claim)
        try await change(Self.migration)
        let newer = StoreError.newer(path: directory.files.database)
        for _ in 0..<2 {
            await #expect(throws: newer) { try await store.add([newTransfer("b")], holder: nil, at: now) }
            await #expect(throws: newer) {
                try await store.record(DownloadProgress(), for: claim, durability: .process, at: now)
            }
        }
        #expect(try await store.transfers(.all, after: nil, limit: 9) == claimed, "nothing was written")
        await #expect(throws: newer, "it is not damaged") { try await store.counts() }
        await store.close()
    }

    @Test func goesOnWhenOnlyTheShapeOfTheFileWasChanged() async throws {
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        try await change("CREATE INDEX somebody ON owner (pid); VACUUM")
        for name in ["a", "b"] { _ = try await store.add([newTransfer(name)], holder: nil, at: now) }
        #expect(try await store.counts() == [.queued: 2])
        await store.close()
    }

    /// The changes of a program that does not know the derived tables or their content.
    private static let damages = [
        "DELETE FROM head", "DELETE FROM tally", "UPDATE tally SET count = count + 1",
        "UPDATE tally SET count = -1", "UPDATE head SET transfer = transfer + 1000",
        "UPDATE head SET place = place + 5", "UPDATE head SET place = place - 5",
        "INSERT INTO head VALUES ('gone', 0, 'h', 0, 1, 1)",
        "UPDATE transfer SET state = 'completed', runnable = 0 WHERE id = 1",
        "DELETE FROM transfer WHERE id < 3; DELETE FROM work WHERE id < 3",
        "UPDATE transfer SET queue = 'other' WHERE id = 2", "DELETE FROM number",
        "UPDATE number SET latest = 1", "UPDATE number SET latest = -1",
        "UPDATE number SET latest = 9223372036854775807",
    ]

    @Test func mendsWhatIsNotedOfAStrictQueue() async throws {
        let store = try await filled(3)
        for damage in [
            "UPDATE transfer SET strict = 1 WHERE id = 2",
            "INSERT INTO queue (name, slots, overflow, per_host, is_paused, priority, line_order, on_failure) "
                + "VALUES ('default', 1, 'wait', 0, 0, 0, 'strict', 'fail')",
        ] {
            try await change(damage)
            let faults = try await store.verify()
            #expect(faults.count == 1 && faults[0].contains("strict"), "\(faults)")
            #expect(try await store.mend() == faults)
            #expect(try await store.verify() == [])
        }
        let owner = try await store.join(process, at: now)
        #expect(try await store.claim(upTo: 9, only: nil, for: owner, at: now).count == 1)
        await store.close()
    }

    @Test(arguments: damages)
    func openingMendsWhatIsDerived(_ damage: String) async throws {
        let former = try await filled(3)
        await former.close()
        try await change(damage)
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        #expect(try await store.verify() == [])
        #expect(try await !store.mend().isEmpty, "who asks is told")
        let owner = try await store.join(process, at: now)
        let queued = try await store.counts()[.queued]
        #expect(try await store.claim(upTo: 9, only: nil, for: owner, at: now).count == queued)
        #expect(try await store.waitsForRoom(owner, at: now) == false)
        await store.close()
        let again = try await SQLiteTransferStore.open(directory: directory.path)
        #expect(try await again.mend() == [])
        await again.close()
    }

    @Test(arguments: damages)
    func mendsAnOpenStore(_ damage: String) async throws {
        let store = try await filled(200)
        #expect(try await store.mend() == [])
        try await change(damage)
        let faults = try await store.verify()
        #expect(!faults.isEmpty)
        let transfers = try await store.transfers(.all, after: nil, limit: .max)
        #expect(try await store.mend() == faults)
        #expect(try await store.verify() == [])
        #expect(try await store.mend() == [])
        #expect(try await store.transfers(.all, after: nil, limit: .max) == transfers)
        await store.close()
    }

    @Test func aWrongCountKeepsNothingFromBeingWrittenAndRightsItself() async throws {
        let store = try await filled(3)
        try await change("UPDATE tally SET count = 1")
        for id in try await store.transfers(.all, after: nil, limit: 9).map(\.id) {
            _ = try await store.ask(.cancel(keepingPart: false), of: id, at: now)
        }
        #expect(try await store.counts() == [.cancelled: 3])
        #expect(try await store.verify() == [])
        await store.close()
    }

    @Test(arguments: ["UPDATE number SET latest = 1", "UPDATE number SET latest = 9223372036854775807"])
    func aWrongLatestNumberGivesNoNumberTwice(_ damage: String) async throws {
        let store = try await filled(3)
        try await change(damage)
        #expect(try await store.mend().count == 1)
        let added = try await store.add([newTransfer("new")], holder: nil, at: now)[0].transfer
        #expect(added.id == TransferID(rawValue: 4))
        #expect(try await store.verify() == [])
        await store.close()
    }

    /// A store with this many queued transfers.
    private func filled(_ count: Int) async throws -> SQLiteTransferStore {
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        _ = try await store.add((0..<count).map { try newTransfer("\($0)") }, holder: nil, at: now)
        return store
    }

    /// Changes the database as another program does, over a connection that no store has.
    private func change(_ sql: String) async throws {
        let connection = try DatabaseQueue(path: directory.files.database)
        try await connection.writeWithoutTransaction { db in try db.execute(sql: sql) }
    }
}
