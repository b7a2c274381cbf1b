import FerryCore
import FerryTesting
import Foundation
import GRDB
import Testing

@testable import FerrySQLite

/// Rows that can be read, and of which another program has changed one column and not the others.
struct ContradictionTests {
    private let directory: StoreDirectory

    init() throws {
        directory = try StoreDirectory()
    }

    /// Damages the first of two transfers that are queued.
    private static let damages = [
        "wake_at = 99999999999999", "wake_at = 1", "host = 'other.example'", "host = ''", "owner = 77",
        "owner = 77, state = 'active', runnable = 0", "owner = NULL, state = 'active'",
        "condition = 'retry', wake_at = 1", "condition = 'nonsense'",
        "state = 'waiting', condition = 'network', wake_at = 99999999999999",
        "state = 'paused'", "time_window = 'nonsense'", "time_window = ''", "deaths = 9",
        "not_after = 1", "not_after = 99999999999999",
        "runs_in_background = 0", "runs_in_background = 7",
        "state = 'completed'",
        "owner = 77, state = 'waiting', condition = 'dependency', runnable = 0",
        "lined = 9223372036854775807, front = -9223372036854775808", "priority = 9223372036854775807",
    ]

    private func damage(_ store: SQLiteTransferStore, _ sql: String) async throws {
        let connection = try DatabaseQueue(path: directory.files.database)
        try await connection.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF; " + sql)
        }
        try connection.close()
    }

    @Test(arguments: damages)
    func noRowKeepsARunFromItsEnd(_ damage: String) async throws {
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let ids = try await store.add(["a", "b"].map { try newTransfer($0) }, holder: nil, at: now)
            .map(\.transfer.id)
        let owner = try await store.join(process, at: now)
        try await self.damage(store, "UPDATE transfer SET \(damage) WHERE id = 1")
        var done: Set<TransferID> = []
        // As an engine does that runs everything.
        for _ in 0..<3 {
            for transfer in try await store.claim(upTo: 9, only: nil, for: owner, at: now) {
                let claim = try #require(transfer.claim)
                _ = try await store.settle(
                    claim,
                    as: Settlement(.completed, progress: DownloadProgress()),
                    at: now
                )
                done.insert(transfer.id)
            }
        }
        #expect(done.contains(ids[1]), "what is whole is run")
        #expect(try await !store.waitsForRoom(owner, at: now), "and nothing is waited for")
        _ = try await store.remove(owner, at: now)
        await store.close()
    }

    /// The others put themselves right as soon as the transfer runs, or mean nothing.
    private static let harmless = ["deaths = 9"]

    @Test(arguments: damages.dropLast(2).filter { !harmless.contains($0) })
    func isFoundAndMended(_ damage: String) async throws {
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        _ = try await store.add(["a", "b"].map { try newTransfer($0) }, holder: nil, at: now)
        try await self.damage(store, "UPDATE transfer SET \(damage) WHERE id = 1")
        #expect(try await !store.verify().isEmpty, "it is not called whole")
        #expect(try await !store.mend().isEmpty)
        #expect(try await store.verify() == [])
        #expect(try await store.mend() == [])
        await store.close()
    }

    /// What is left of transfers of which another program has removed a part, or put back one.
    @Test(
        arguments: [
            ("DELETE FROM work WHERE id = 1", nil), ("DELETE FROM transfer WHERE id = 1", "paused"),
            (
                "INSERT INTO ended SELECT 1, queue, priority, state, attempts, NULL, NULL, updated, finished, 0, 0, 0, 0, 0, 7, 7 "
                    + "FROM ended WHERE id = 3",
                "completed"
            ),
        ] as [(String, String?)]
    )
    func whatIsLeftOfATransferIsFoundAndMended(_ damage: String, state: String?) async throws {
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let ids = try await store.add(["a", "b", "c"].map { try newTransfer($0) }, holder: nil, at: now)
            .map(\.transfer.id)
        let owner = try await store.join(process, at: now)
        let over = try #require(try await store.claim(upTo: 1, only: [ids[2]], for: owner, at: now)[0].claim)
        try await store.settle(over, as: Settlement(.completed, progress: DownloadProgress()), at: now)
        try await self.damage(store, damage)
        #expect(try await !store.verify().isEmpty)
        let claimed = try await store.claim(upTo: 9, only: [ids[1]], for: owner, at: now)
        #expect(claimed.map(\.id) == [ids[1]], "what is whole is run")
        #expect(try await !store.mend().isEmpty)
        #expect(try await store.verify() == [])
        let mended = try await store.transfer(ids[0])
        #expect(mended?.state.name.rawValue == state)
        #expect(try mended.map { try $0.work == newTransfer("a").work } != false)
        #expect(try await store.claim(upTo: 9, only: nil, for: owner, at: now) == [])
        await store.close()
    }

    @Test(
        arguments: [
            "identity = identity + 1", "identity = NULL", "digest = x'00'", "identity = NULL, digest = NULL",
            "identity = 7, digest = x'07'",
        ],
        [false, true]
    )
    func whatIsNotFoundByItsURLIsFoundAgain(_ damage: String, hasFailed: Bool) async throws {
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let id = try await store.add(["a", "b"].map { try newTransfer($0) }, holder: nil, at: now)[0].transfer
            .id
        if hasFailed {
            let owner = try await store.join(process, at: now)
            let claim = try #require(try await store.claim(upTo: 1, only: [id], for: owner, at: now)[0].claim)
            let failure = TransferFailure(.timeout, "late")
            try await store.settle(
                claim,
                as: Settlement(.failed(failure), progress: DownloadProgress()),
                at: now
            )
        }
        #expect(try await store.verify() == [])
        try await self.damage(store, "UPDATE work SET \(damage) WHERE id = 1")
        let faults = try await store.verify()
        #expect(faults == ["transfer 1 is not found by its URL and destination"])
        #expect(try await store.mend() == faults)
        #expect(try await store.verify() == [])
        #expect(try await store.add([newTransfer("a")], holder: nil, at: now)[0].transfer.id == id)
        await store.close()
    }

    /// The first transfer has a UUID that its store made, the second one that the application gave it.
    @Test(
        arguments: [
            ("UPDATE work SET is_given = 1 WHERE id = 1", 1, true),
            ("UPDATE work SET is_given = 0 WHERE id = 2", 2, true),
            ("UPDATE work SET is_given = 7 WHERE id = 2", 2, true),
            ("UPDATE work SET uuid = (SELECT uuid FROM work WHERE id = 2) WHERE id = 1", 1, false),
            (
                "UPDATE work SET uuid = (SELECT uuid FROM work WHERE id = 1), is_given = 0 WHERE id = 2", 2,
                false
            ),
        ]
    )
    func whatIsNotFoundByItsUUIDIsFoundAgain(_ damage: String, number: Int64, keepsIt: Bool) async throws {
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        var given = try newTransfer("b")
        given.uuid = TransferUUID("0198d2c4-7b1e-7c3a-9f00-5e6d7c8b9a01")
        let added = try await store.add([newTransfer("a"), given], holder: nil, at: now).map(\.transfer)
        #expect(try await store.verify() == [])
        try await self.damage(store, damage)
        let faults = try await store.verify()
        #expect(faults == ["transfer \(number) is not found by its UUID"])
        #expect(try await store.mend() == faults)
        #expect(try await store.verify() == [])
        for former in added {
            let mended = try #require(try await store.transfer(former.id))
            #expect(try await store.transfer(uuid: mended.uuid)?.id == former.id)
            #expect((mended.uuid == former.uuid) == (keepsIt || former.id.rawValue != number))
        }
        await store.close()
    }

    @Test func aNoteOfATransferThatDoesNotExistEndsNothing() async throws {
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let first = try await store.add([newTransfer("a")], holder: nil, at: now)[0].transfer.id
        var dependent = try newTransfer("b")
        dependent.after = [first]
        let second = try await store.add([dependent], holder: nil, at: now)[0].transfer.id
        try await damage(
            store,
            "INSERT INTO dependency VALUES (99, 1); UPDATE transfer SET owner = 77 WHERE id = 2"
        )
        let faults = try await store.verify()
        #expect(faults.contains { $0.contains("transfer 99 does not exist") }, "\(faults)")
        #expect(faults.contains { $0.contains("transfer 2 is held by an owner") }, "\(faults)")
        let owner = try await store.join(process, at: now)
        let claim = try #require(try await store.claim(upTo: 1, only: nil, for: owner, at: now).first?.claim)
        try await damage(
            store,
            "INSERT OR IGNORE INTO dependency VALUES (99, 1); UPDATE transfer SET owner = 77 WHERE id = 2"
        )
        _ = try await store.settle(claim, as: Settlement(.completed, progress: DownloadProgress()), at: now)
        #expect(try await store.claim(upTo: 1, only: nil, for: owner, at: now).map(\.id) == [second])
        #expect(try await store.verify() == [])
        await store.close()
    }

    @Test func theFailureOfWhatDoesNotExistIsNoOnesEnd() async throws {
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let first = try await store.add([newTransfer("a")], holder: nil, at: now)[0].transfer.id
        try await damage(store, "INSERT INTO dependency VALUES (99, 1)")
        #expect(try await store.ask(.cancel(keepingPart: false), of: first, at: now).state == .cancelled)
        #expect(try await store.verify() == [])
        await store.close()
    }

    @Test func whatWaitsForNothingIsQueued() async throws {
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let first = try await store.add([newTransfer("a")], holder: nil, at: now)[0].transfer.id
        var dependent = try newTransfer("b")
        dependent.after = [first]
        let second = try await store.add([dependent], holder: nil, at: now)[0].transfer.id
        try await damage(store, "DELETE FROM dependency")
        #expect(try await store.verify().contains { $0.contains("transfer \(second) waits") })
        #expect(try await !store.mend().isEmpty)
        #expect(try await store.transfer(second)?.state == .queued)
        #expect(try await store.verify() == [])
        await store.close()
    }
}
