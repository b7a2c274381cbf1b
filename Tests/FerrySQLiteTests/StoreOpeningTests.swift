import FerryCore
import FerryTesting
import Foundation
import GRDB
import Subprocess
import Testing

@testable import FerrySQLite

/// Opening creates what is not there, finds what is, and leaves alone what is not Ferry's.
struct StoreOpeningTests {
    private let directory: StoreDirectory

    init() throws {
        directory = try StoreDirectory()
    }

    @Test func keepsEverybodyElseOut() async throws {
        let path = directory.path + "/state/ferry"
        let store = try await SQLiteTransferStore.open(directory: path)
        _ = try await store.add([newTransfer("a")], holder: nil, at: now)
        #expect(try StoreDirectory.mode(path) == 0o700)
        #expect(try StoreDirectory.mode(directory.path + "/state") == 0o700)
        let names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        #expect(names == ["ferry.lock", "ferry.sqlite", "ferry.sqlite-shm", "ferry.sqlite-wal"])
        for name in names { #expect(try StoreDirectory.mode("\(path)/\(name)") == 0o600, "\(name)") }
        await store.close()
        let rest = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        #expect(rest == ["ferry.lock", "ferry.sqlite"])
        for name in rest { #expect(try StoreDirectory.mode("\(path)/\(name)") == 0o600, "\(name)") }
    }

    @Test func opensAgainWithEverythingInIt() async throws {
        let former = try await SQLiteTransferStore.open(directory: directory.path)
        let owner = try await former.join(process, at: now)
        _ = try await former.add([newTransfer("a"), newTransfer("b")], holder: nil, at: now)
        _ = try await former.claim(upTo: 1, only: nil, for: owner, at: now)
        let expected = try await former.transfers(.all, after: nil, limit: 10)
        await former.close()
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        #expect(try await store.transfers(.all, after: nil, limit: 10) == expected)
        #expect(try await store.owners().map(\.id) == [owner])
        #expect(try await store.verify() == [])
        await store.close()
    }

    /// An empty file in the place of a store has lost its transfers, and no crash of Ferry leaves one.
    @Test(arguments: [false, true]) func refusesAnEmptyFile(_ toRead: Bool) async throws {
        try Data().write(to: URL(filePath: directory.files.database))
        let error = StoreError.corrupt(path: directory.files.database, "it is empty")
        #expect(error.remedies == [.moveStoreAway])
        await #expect(throws: error) {
            try await SQLiteTransferStore.open(directory: directory.path, toRead: toRead)
        }
        #expect(try directory.contents().filter { $0.key == "ferry.sqlite" }.map(\.value) == [Data()])
    }

    @Test func aNewStoreIsOfItsUserOnly() async throws {
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        #expect(try StoreDirectory.mode(directory.files.database) == 0o600)
        await store.close()
    }

    @Test func beginsAnewAfterABirthThatWasCutShort() async throws {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            try Data("rubbish".utf8).write(to: URL(filePath: directory.files.newborn + suffix))
        }
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        _ = try await store.add([newTransfer("a")], holder: nil, at: now)
        await store.close()
        #expect(Set(try directory.contents().keys) == ["ferry.lock", "ferry.sqlite"])
    }

    @Test(arguments: ["hello", "SQLite format 2\0" + String(repeating: "x", count: 200), "S"])
    func leavesWhatIsNoDatabaseAlone(_ content: String) async throws {
        try Data(content.utf8).write(to: URL(filePath: directory.files.database))
        try await expectRefusal(.foreign(path: directory.files.database))
    }

    @Test func leavesADirectoryInTheDatabasesPlaceAlone() async throws {
        let path = directory.files.database
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        await #expect(throws: StoreError.foreign(path: path)) {
            try await SQLiteTransferStore.open(directory: directory.path)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["ferry.sqlite"])
    }

    @Test func leavesAStoreAloneThatCannotBeLookedAt() async throws {
        // A link to itself: there is something, and nothing can be said of it.
        let path = directory.files.database
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "ferry.sqlite")
        do {
            try await SQLiteTransferStore.open(directory: directory.path).close()
            Issue.record("it was taken for no store")
        } catch {
            guard case .unavailable(path, _, _) = error else { throw error }
        }
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == "ferry.sqlite")
    }

    @Test(arguments: ["DELETE", "WAL"])
    func leavesADatabaseOfAnotherProgramAlone(_ journal: String) async throws {
        let other = try DatabaseQueue(path: directory.files.database)
        try await other.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA journal_mode = \(journal); CREATE TABLE transfer (id INTEGER)")
        }
        try other.close()
        try await expectRefusal(.foreign(path: directory.files.database))
    }

    @Test(arguments: ["1 transfers", "store 1", "store 2", "store 3", "store 4"])
    func leavesAStoreOfBeforeTheFirstReleaseAlone(_ identifier: String) async throws {
        try await makeStore { db in
            try db.execute(
                sql: """
                    UPDATE grdb_migrations SET identifier = '\(identifier)' WHERE identifier LIKE 'store %';
                    DROP TABLE server
                    """
            )
        }
        try await expectRefusal(.unreleased(path: directory.files.database))
    }

    @Test func addsPoolsToAStoreThatHasNone() async throws {
        try await makeStore { db in
            try db.execute(
                sql: """
                    DROP TABLE retain; DROP TABLE entry; DROP TABLE pool;
                    DELETE FROM grdb_migrations WHERE identifier = 'cache 1'
                    """
            )
        }
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        #expect(try await store.counts() == [.queued: 1])
        #expect(try await store.pools() == [])
        await store.close()
    }

    @Test func addsTheNodesOfEntriesToAStoreThatHasNone() async throws {
        try await makeStore { db in
            try db.execute(
                sql: "DROP TABLE node_entry; DELETE FROM grdb_migrations WHERE identifier = 'cache 2'"
            )
        }
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        _ = try await store.discover([NodeDiscovery(Node("a", name: "a"))], in: "tree")
        // It looks for the entries of the node.
        let removal = try await store.removeNodes(["a"], in: "tree", upTo: 9, holder: nil, at: now)
        #expect(removal.count == 1)
        await store.close()
    }

    @Test func addsTheIndexOfEmptyFailuresToAStoreThatHasNone() async throws {
        try await makeStore { db in
            try db.execute(
                sql: """
                    DROP INDEX transfer_empty_failure;
                    DELETE FROM grdb_migrations WHERE identifier = 'failures 1'
                    """
            )
        }
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        // The statement names the index, and fails without it.
        #expect(try await store.prune(.standard, upTo: 9, at: now).isEmpty)
        #expect(try await store.counts() == [.queued: 1])
        await store.close()
    }

    @Test func addsTheIndexOfNamedQueuesToAStoreThatHasNone() async throws {
        let present = "SELECT count(*) FROM sqlite_schema WHERE name = 'transfer_queue'"
        try await makeStore { db in
            try db.execute(
                sql: """
                    DROP INDEX transfer_queue;
                    DELETE FROM grdb_migrations WHERE identifier = 'queues 1'
                    """
            )
        }
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        #expect(try await store.connections.reader.read { try Int.fetchOne($0, sql: present) } == 1)
        #expect(try await store.counts() == [.queued: 1])
        await store.close()
    }

    @Test func leavesANewerStoreAlone() async throws {
        try await makeStore { db in
            try db.execute(sql: "INSERT INTO grdb_migrations VALUES ('9999 from the future')")
        }
        try await expectRefusal(.newer(path: directory.files.database))
        try FileManager.default.removeItem(atPath: directory.files.lock)
        try await expectRefusal(.newer(path: directory.files.database))
    }

    /// Without the log, a writing connection would apply a journal before it could look at anything.
    @Test(arguments: [nil, "journal"])
    func leavesANewerStoreAloneWhoseLogWasTurnedOff(_ content: String?) async throws {
        try await makeStore { db in
            try db.execute(sql: "INSERT INTO grdb_migrations VALUES ('9999 from the future')")
        }
        let other = try DatabaseQueue(path: directory.files.database)
        try await other.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
        try other.close()
        if let content { try Data(content.utf8).write(to: URL(filePath: directory.files.journal)) }
        try await expectRefusal(.newer(path: directory.files.database))
    }

    @Test(arguments: [false, true])
    func leavesANewerStoreAloneWhoseLogIsStillThere(hasIndex: Bool) async throws {
        let crashed = try await crashedCopy { db in
            try db.execute(sql: "INSERT INTO grdb_migrations VALUES ('9999 from the future')")
        }
        if !hasIndex { try FileManager.default.removeItem(atPath: crashed.files.logIndex) }
        let before = try crashed.contents()
        #expect(try #require(before["ferry.sqlite-wal"]).isEmpty == false)
        await #expect(throws: StoreError.newer(path: crashed.files.database)) {
            try await SQLiteTransferStore.open(directory: crashed.path)
        }
        #expect(try crashed.contents() == before)
    }

    @Test func findsWhatWasCommittedBeforeACrash() async throws {
        let crashed = try await crashedCopy { db in
            try db.execute(sql: "INSERT INTO owner (pid, start_time, boot, joined) VALUES (7, 1, 'b', 0)")
        }
        let store = try await SQLiteTransferStore.open(directory: crashed.path)
        #expect(try await store.owners().map(\.process.pid) == [7])
        #expect(try await store.counts() == [.queued: 1])
        await store.close()
    }

    /// A log is written header first. What its process leaves when it dies there, or the power goes, holds nothing.
    @Test(arguments: LogRemnant.allCases, [true, false])
    func opensBesideALogThatWasJustBegun(_ remnant: LogRemnant, hasIndex: Bool) async throws {
        let crashed = try await crashedCopy { _ in }
        let log = try Data(contentsOf: URL(filePath: crashed.files.log))
        try #require(log.count > 5_000)
        let index = try Data(contentsOf: URL(filePath: crashed.files.logIndex))
        // What was in that log is then in the database.
        let store = try await SQLiteTransferStore.open(directory: crashed.path)
        await store.close()
        try remnant.of(log).write(to: URL(filePath: crashed.files.log))
        if hasIndex { try index.write(to: URL(filePath: crashed.files.logIndex)) }

        let again = try await SQLiteTransferStore.open(directory: crashed.path)
        #expect(try await again.counts() == [.queued: 1])
        _ = try await again.add([newTransfer("b")], holder: nil, at: now)
        #expect(try await again.verify() == [])
        await again.close()
        let last = try await SQLiteTransferStore.open(directory: crashed.path)
        #expect(try await last.counts() == [.queued: 2])
        await last.close()
    }

    enum LogRemnant: CaseIterable {
        case halfHeader, header, headerAndHalfAFrame, tornHeader, zeros

        func of(_ log: Data) -> Data {
            switch self {
            case .halfHeader: log.prefix(20)
            case .header: log.prefix(32)
            case .headerAndHalfAFrame: log.prefix(2_000)
            // The salt is an old one's, and the checksum no longer fits.
            case .tornHeader: log.prefix(16) + Data([1, 2, 3, 4]) + log.dropFirst(20).prefix(4_132)
            case .zeros: Data(count: 4_152)
            }
        }
    }

    @Test(arguments: [16, 50, 99, 100, 4_096, 4_097, 20_000])
    func leavesATruncatedStoreAlone(length: Int) async throws {
        try await makeStore { _ in }
        let whole = try Data(contentsOf: URL(filePath: directory.files.database))
        try #require(whole.count > length)
        try whole.prefix(length).write(to: URL(filePath: directory.files.database))
        try await expectRefusal { error in
            if case .corrupt(directory.files.database, let detail) = error { return !detail.isEmpty }
            return false
        }
    }

    @Test(arguments: ["owner", "attempt", "node_transfer"])
    func leavesAStoreWithADamagedSchemaAlone(_ table: String) async throws {
        try await makeStore { db in try db.execute(sql: "DROP TABLE \(table)") }
        try await expectRefusal { isCorrupt($0, naming: table) }
    }

    @Test func findsADamagedSchemaAlsoWhenThisProcessHasTheStoreOpen() async throws {
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        try await store.group.write(.power) { try $0.db.execute(sql: "DROP TABLE attempt") }
        do {
            try await SQLiteTransferStore.open(directory: directory.path).close()
            Issue.record("it was opened")
        } catch {
            #expect(isCorrupt(error, naming: "attempt"), "\(error)")
        }
        await store.close()
    }

    private func isCorrupt(_ error: StoreError, naming table: String) -> Bool {
        if case .corrupt(directory.files.database, let detail) = error { return detail.contains(table) }
        return false
    }

    @Test func doesNotGiveANewDatabaseTheLogOfALostOne() async throws {
        let crashed = try await crashedCopy { _ in }
        try FileManager.default.removeItem(atPath: crashed.files.database)
        let before = try crashed.contents()
        await #expect {
            try await SQLiteTransferStore.open(directory: crashed.path)
        } throws: { error in
            if case .corrupt? = error as? StoreError { return true }
            return false
        }
        var after = try crashed.contents()
        after["ferry.lock"] = before["ferry.lock"]
        #expect(after == before)
    }

    @Test func saysSoWhenTheDirectoryCannotBeUsed() async throws {
        let file = directory.path + "/file"
        try Data("x".utf8).write(to: URL(filePath: file))
        for path in [file, file + "/below", "/proc/ferry-store"] {
            do {
                _ = try await SQLiteTransferStore.open(directory: path)
                Issue.record("\(path) was opened")
            } catch {
                guard case .unavailable(_, let detail, _) = error else {
                    Issue.record(error)
                    continue
                }
                #expect(!detail.isEmpty)
                #expect(error.remedies == [.chooseOtherStore], "\(path)")
            }
        }
        #expect(try directory.contents() == ["file": Data("x".utf8)])
    }

    @Test func readsPathsThatLookLikeOptionsOfAURI() async throws {
        let path = directory.path + "/a?mode=memory&x=%41#ä 🚢"
        let store = try await SQLiteTransferStore.open(directory: path)
        _ = try await store.add([newTransfer("a")], holder: nil, at: now)
        await store.close()
        let again = try await SQLiteTransferStore.open(directory: path)
        #expect(try await again.counts() == [.queued: 1])
        await again.close()
    }

    /// Makes a store with one transfer, lets `change` at it and closes it.
    private func makeStore(_ change: @escaping @Sendable (Database) throws -> Void) async throws {
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        _ = try await store.add([newTransfer("a")], holder: nil, at: now)
        try await store.group.write(.power) { try change($0.db) }
        await store.close()
    }

    /// The files of a store as the death of its process leaves them.
    private func crashedCopy(
        _ change: @escaping @Sendable (Database) throws -> Void
    ) async throws -> StoreDirectory {
        let copy = try StoreDirectory()
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        _ = try await store.add([newTransfer("a")], holder: nil, at: now)
        try await store.group.write(.power) { try change($0.db) }
        // `cp` is another process, so that this one's locks on the database stay.
        let copying = try await run(
            .name("sh"),
            arguments: ["-c", "cp \"$1\"/* \"$2\"", "sh", directory.path, copy.path],
            output: .discarded
        )
        try #require(copying.terminationStatus.isSuccess)
        await store.close()
        return copy
    }

    private func expectRefusal(
        _ expected: StoreError,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await expectRefusal({ $0 == expected }, sourceLocation: sourceLocation)
    }

    /// Checks that the store is not opened and that not a byte in its directory is another one afterwards.
    private func expectRefusal(
        _ isExpected: (StoreError) -> Bool,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let before = try directory.contents()
        do {
            let store = try await SQLiteTransferStore.open(directory: directory.path)
            await store.close()
            Issue.record("it was opened", sourceLocation: sourceLocation)
        } catch {
            #expect(isExpected(error), "\(error)", sourceLocation: sourceLocation)
        }
        let after = try directory.contents()
        #expect(after == before, "\(after.keys) \(before.keys)", sourceLocation: sourceLocation)
    }
}
