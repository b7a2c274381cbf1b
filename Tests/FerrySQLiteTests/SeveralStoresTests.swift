import FerryCore
import FerryTesting
import Foundation
import GRDB
import Subprocess
import Testing

@testable import FerrySQLite

/// Several stores, in one process or several, meet in one directory.
@Suite(.timeLimit(.minutes(10)))
struct SeveralStoresTests {
    private let directory: StoreDirectory

    init() throws {
        directory = try StoreDirectory()
    }

    @Test func noticesWhatAnotherStoreWrites() async throws {
        let first = try await SQLiteTransferStore.open(directory: directory.path)
        let second = try await SQLiteTransferStore.open(directory: directory.path)
        var changes = second.changes().makeAsyncIterator()
        let added = try await first.add([newTransfer("a")], holder: nil, at: now)
        #expect(await changes.next() != nil)
        #expect(try await second.transfers(.all, after: nil, limit: 9) == added.map(\.transfer))
        await first.close()
        _ = try await second.add([newTransfer("b")], holder: nil, at: now)
        #expect(try await second.counts() == [.queued: 2])
        await second.close()
    }

    @Test func locksNobodyOutBetweenItsWrites() async throws {
        let first = try await SQLiteTransferStore.open(directory: directory.path)
        let second = try await SQLiteTransferStore.open(directory: directory.path)
        let (own, new, now) = ([try newTransfer("a")], [try newTransfer("b")], now)
        async let early = first.add(own, holder: nil, at: now)
        await first.betweenWrites {
            // A process that stands still in here stands still for others as well, if it has the lock.
            let isWritten = DispatchSemaphore(value: 0)
            Task {
                defer { isWritten.signal() }
                do {
                    let added = try await second.add(new, holder: nil, at: now)
                    #expect(added.count == 1)
                } catch {
                    Issue.record(error)
                }
            }
            isWritten.wait()
        }
        _ = try await early
        #expect(try await first.counts() == [.queued: 2])
        await first.close()
        await second.close()
    }

    @Test(.enabled(if: isInstalled("sqlite3")))
    func noticesWhatAnotherProcessWrites() async throws {
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let added = try await store.add([newTransfer("a")], holder: nil, at: now)
        let id = try #require(added.first).transfer.id
        var changes = store.changes().makeAsyncIterator()
        async let writing = run(
            .name("sqlite3"),
            arguments: [directory.files.database, "UPDATE transfer SET priority = 77"],
            output: .discarded
        )
        #expect(await changes.next() != nil)
        #expect(try await writing.terminationStatus.isSuccess)
        while try await store.transfer(id)?.priority != 77 { try #require(await changes.next() != nil) }
        await store.close()
    }

    @Test func looksForChangesOnlyWhileSomebodyListens() async throws {
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        #expect(!store.watch.isPolling)
        let first = Task { for await _ in store.changes() {} }
        let second = store.changes()
        #expect(store.watch.isPolling)
        let listening = Task { for await _ in second {} }
        first.cancel()
        listening.cancel()
        await first.value
        await listening.value
        #expect(!store.watch.isPolling)
        await store.close()
    }

    /// It does not know what was written before it was open, so the first listener is told of a change in any case.
    @Test func opensTheConnectionThatLooksForChangesForItsFirstListener() async throws {
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        _ = try await store.add([newTransfer("a")], holder: nil, at: now)
        #expect(!store.watch.isConnected)
        var changes = store.changes().makeAsyncIterator()
        #expect(await changes.next() != nil)
        #expect(store.watch.isConnected)
        let second = try await SQLiteTransferStore.open(directory: directory.path)
        _ = try await second.add([newTransfer("b")], holder: nil, at: now)
        #expect(await changes.next() != nil)
        await second.close()
        await store.close()
        #expect(Set(try directory.contents().keys) == ["ferry.lock", "ferry.sqlite"])
    }

    @Test func takesTurnsWithAnotherStoreOverManyWrites() async throws {
        let stores = [
            try await SQLiteTransferStore.open(directory: directory.path),
            try await SQLiteTransferStore.open(directory: directory.path),
            try await SQLiteTransferStore.open(directory: directory.path),
        ]
        _ = try await stores[0].add((0..<300).map { try newTransfer("\($0)") }, holder: nil, at: now)
        let claimed = try await withThrowingTaskGroup(of: [TransferID].self) { group in
            for store in stores {
                group.addTask {
                    let owner = try await store.join(process, at: now)
                    var mine: [TransferID] = []
                    while case let more = try await store.claim(upTo: 8, only: nil, for: owner, at: now),
                        !more.isEmpty
                    {
                        for claim in more.compactMap(\.claim) {
                            try await store.settle(
                                claim,
                                as: Settlement(.completed, progress: DownloadProgress()),
                                at: now
                            )
                        }
                        mine += more.map(\.id)
                    }
                    return mine
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(claimed.count == 300 && Set(claimed).count == 300)
        #expect(try await stores[1].counts() == [.completed: 300])
        for store in stores { await store.close() }
    }

    @Test(.enabled(if: isInstalled("python3")))
    func keepsTheLocksOfAnOpenStoreWhenTheSameOneIsOpenedAgain() async throws {
        let first = try await SQLiteTransferStore.open(directory: directory.path)
        let identity = try #require(try StoreFileStatus(path: directory.files.database)).identity
        #expect(OpenStores.contains(identity))
        // Another process sees SQLite's locks on the file only while none of them has been dropped.
        #expect(try await isLockedForOthers())
        let link = directory.path + "-link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: directory.path)
        let second = try await SQLiteTransferStore.open(directory: link)
        #expect(try await isLockedForOthers())
        await second.close()
        #expect(try await isLockedForOthers())
        #expect(OpenStores.contains(identity))
        await first.close()
        #expect(!OpenStores.contains(identity))
        try FileManager.default.removeItem(atPath: link)
    }

    @Test func refusesToWriteToADatabaseThatWasRemoved() async throws {
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        for path in [directory.files.database, directory.files.log, directory.files.logIndex] {
            try FileManager.default.removeItem(atPath: path)
        }
        await #expect(throws: StoreError.self) {
            try await store.add([newTransfer("a")], holder: nil, at: now)
        }
        #expect(!FileManager.default.fileExists(atPath: directory.files.database))
        await store.close()
    }

    @Test func meetsTheOthersAtANewLockFileWhenTheOldOneWasRemoved() async throws {
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        try FileManager.default.removeItem(atPath: directory.files.lock)
        _ = try await store.add([newTransfer("a")], holder: nil, at: now)
        let named = try #require(try StoreFileStatus(path: directory.files.lock))
        let lock = try WriteLock(path: directory.files.lock)
        #expect(!lock.wasCreated)
        try lock.lock(willWait: {})
        lock.unlock()
        #expect(try StoreFileStatus(path: directory.files.lock)?.identity == named.identity)
        await store.close()
    }

    @Test func closesByItselfWhenNobodyHasItAnyMore() async throws {
        var store: SQLiteTransferStore? = try await SQLiteTransferStore.open(directory: directory.path)
        _ = try await store?.add([newTransfer("a")], holder: nil, at: now)
        let identity = try #require(try StoreFileStatus(path: directory.files.database)).identity
        store = nil
        let again = try await SQLiteTransferStore.open(directory: directory.path)
        #expect(try await again.counts() == [.queued: 1])
        await again.close()
        #expect(!OpenStores.contains(identity))
    }

    /// Whether another process meets a lock on the database, asked of the kernel by one.
    ///
    /// The list in `/proc/locks` would not do: it is read piece by piece while other tests lock and unlock.
    private func isLockedForOthers() async throws -> Bool {
        let question = """
            import fcntl, struct, sys
            lock = struct.pack("hhqqi", fcntl.F_WRLCK, 0, 0, 0, 0)
            with open(sys.argv[1], "r+b") as database:
                answer = fcntl.fcntl(database, fcntl.F_GETLK, lock)
            sys.exit(0 if struct.unpack("hhqqi", answer)[0] != fcntl.F_UNLCK else 3)
            """
        let answer = try await run(
            .name("python3"),
            arguments: ["-c", question, directory.files.database],
            output: .discarded
        )
        #expect([.exited(0), .exited(3)].contains(answer.terminationStatus))
        return answer.terminationStatus.isSuccess
    }

    /// Whether a program is there, which then stands for another process.
    private static func isInstalled(_ program: String) -> Bool {
        ProcessInfo.processInfo.environment["PATH", default: "/usr/bin"].split(separator: ":")
            .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
    }
}
