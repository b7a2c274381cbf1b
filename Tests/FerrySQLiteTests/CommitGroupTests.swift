import FerryCore
import FerryTesting
import Foundation
import GRDB
import Testing

@testable import FerrySQLite

/// Writes that arrive together share a commit, and nothing else.
@Suite(.timeLimit(.minutes(10)))
struct CommitGroupTests {
    private let directory: StoreDirectory
    private let log = EventLog()

    init() throws {
        directory = try StoreDirectory()
    }

    @Test func commitsTogetherWhatArrivesWhileTheLockIsTaken() async throws {
        let store = try await open()
        let results = try await withLockHeldElsewhere(until: 30) {
            try await withThrowingTaskGroup(of: Addition?.self) { group in
                for number in 0..<30 {
                    group.addTask {
                        try await store.add([newTransfer("file-\(number)")], holder: nil, at: now).first
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
        #expect(results.count == 30)
        #expect(log.commits == [.committed(writes: 30, .power)])
        #expect(try await store.counts() == [.queued: 30])
        await store.close()
    }

    @Test func waitsForTheLockThatAnotherHolds() async throws {
        let store = try await open()
        let other = try await SQLiteTransferStore.open(directory: directory.path)
        let lock = try WriteLock(path: directory.files.lock)
        try lock.lock(willWait: {})
        let added = try await perform {
            try await store.add([newTransfer("a")], holder: nil, at: now)
        } meanwhile: {
            defer { lock.unlock() }
            try await log.wait { $0.contains(.waitingForLock) }
            #expect(log.commits == [])
            #expect(try await other.counts() == [:], "reading does not wait")
            #expect(try await store.counts() == [:])
        }
        #expect(added.count == 1)
        #expect(try await other.counts() == [.queued: 1])
        await store.close()
        await other.close()
    }

    @Test func commitsAsDurablyAsTheMostImportantWriteOfAGroupNeeds() async throws {
        let store = try await open()
        let owner = try await store.join(process, at: now)
        _ = try await store.add((0..<6).map { try newTransfer("\($0)") }, holder: nil, at: now)
        let claims = try await store.claim(upTo: 6, only: nil, for: owner, at: now).compactMap(\.claim)
        log.clear()
        let progress = DownloadProgress()
        try await store.record(progress, for: claims[0], durability: .process, at: now)
        try await store.settle(claims[0], as: Settlement(.waiting(.network), progress: progress), at: now)
        #expect(Set(log.commits) == [.committed(writes: 1, .process)])
        log.clear()
        try await store.record(progress, for: claims[1], durability: .power, at: now)
        try await store.settle(claims[1], as: Settlement(.completed, progress: progress), at: now)
        let failure = TransferFailure(.timeout, "late")
        try await store.settle(claims[2], as: Settlement(.failed(failure), progress: progress), at: now)
        #expect(log.commits.count == 3 && Set(log.commits) == [.committed(writes: 1, .power)])
        log.clear()
        try await withLockHeldElsewhere(until: 2) {
            async let record: Void = store.record(progress, for: claims[3], durability: .process, at: now)
            async let end = store.settle(
                claims[4],
                as: Settlement(.completed, progress: progress),
                at: now
            )
            _ = try await (record, end)
        }
        #expect(log.commits == [.committed(writes: 2, .power)])
        await store.close()
    }

    @Test func commitsDurablyWhatOnlyTurnsOutToBeFinal() async throws {
        let store = try await open()
        let owner = try await store.join(process, at: now)
        _ = try await store.add([newTransfer("a"), newTransfer("b")], holder: nil, at: now)
        let claims = try await store.claim(upTo: 2, only: nil, for: owner, at: now).compactMap(\.claim)
        for claim in claims {
            _ = try await store.ask(.cancel(keepingPart: false), of: claim.transfer, at: now)
        }
        log.clear()
        let settled = try await store.settle(
            claims[0],
            as: Settlement(.waiting(.network), progress: DownloadProgress()),
            at: now
        )
        #expect(settled.state == .cancelled)
        #expect(try await store.remove(owner, at: now) == [claims[1].transfer])
        #expect(log.commits == [.committed(writes: 1, .power), .committed(writes: 1, .power)])
        #expect(try await store.counts() == [.cancelled: 2])
        await store.close()
    }

    @Test func notesWithoutASyncThatAPartFileIsRemoved() async throws {
        let store = try await open()
        let owner = try await store.join(process, at: now)
        var edit = QueueEdit()
        (edit.slots, edit.overflow) = (1, .cancelOldestAlsoWaiting)
        _ = try await store.edit(queue: NewTransfer.defaultQueue, edit, at: now)
        _ = try await store.add([newTransfer("a")], holder: nil, at: now)
        let claim = try #require(try await store.claim(upTo: 1, only: nil, for: owner, at: now).first?.claim)
        var progress = DownloadProgress()
        progress.part = PartFileClaim(
            name: .fallback,
            identity: FileIdentity(device: 1, inode: 1),
            boot: BootID(rawValue: "b")
        )
        try await store.settle(claim, as: Settlement(.waiting(.network), progress: progress), at: now)
        _ = try await store.add([newTransfer("b")], holder: nil, at: now)
        let left = try await store.displacedResidues(limit: 2)
        #expect(left == [claim.transfer])
        log.clear()
        try await store.noteResidueRemoved(of: left)
        #expect(log.commits == [.committed(writes: 1, .process)])
        #expect(try await store.displacedResidues(limit: 2) == [])
        await store.close()
    }

    @Test func undoesAFailedWriteAndKeepsItsNeighbours() async throws {
        let store = try await open()
        let errors = try await withLockHeldElsewhere(until: 12) {
            await withTaskGroup(of: StoreError?.self) { group in
                for number in 0..<12 {
                    group.addTask {
                        do throws(StoreError) {
                            try await store.group.write(.process) { transaction in
                                _ = try transaction.add([newTransfer("file-\(number)")], holder: nil, at: now)
                                if number % 3 == 1 {
                                    throw StoreError.noSuchTransfer(TransferID(rawValue: 1))
                                }
                                if number % 3 == 2 {
                                    try transaction.db.execute(sql: "SELECT * FROM nowhere")
                                }
                            }
                            return nil
                        } catch {
                            return error
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
        }
        #expect(errors.count == 12 && errors.count { $0 == nil } == 4)
        #expect(errors.count { $0 == .noSuchTransfer(TransferID(rawValue: 1)) } == 4)
        let names = try await store.transfers(.all, after: nil, limit: 50).map(
            \.specification.url.absoluteString
        )
        #expect(Set(names) == Set([0, 3, 6, 9].map { "https://example.com/file-\($0)" }))
        await store.close()
    }

    @Test func runsTheNeighboursOfAWriteAgainThatTookTheTransactionWithIt() async throws {
        let store = try await open()
        let outcomes = try await withLockHeldElsewhere(until: 5) {
            await withTaskGroup(of: Bool.self) { group in
                for number in 0..<5 {
                    group.addTask {
                        do throws(StoreError) {
                            try await store.group.write(.process) { transaction in
                                _ = try transaction.add([newTransfer("file-\(number)")], holder: nil, at: now)
                                guard number == 2 else { return }
                                // SQLite does this automatically when the disk is full.
                                try transaction.db.rollback()
                                throw DatabaseError(resultCode: .SQLITE_FULL)
                            }
                            return number != 2
                        } catch {
                            guard case .writeFailed(_, _, isDiskFull: true) = error else { return false }
                            return number == 2
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
        }
        #expect(outcomes == Array(repeating: true, count: 5))
        #expect(try await store.counts() == [.queued: 4])
        await store.close()
    }

    @Test func failsEveryWriteOfACommitThatFails() async throws {
        let store = try await open()
        let outcomes = try await withLockHeldElsewhere(until: 4) {
            await withTaskGroup(of: Bool.self) { group in
                for number in 0..<4 {
                    group.addTask {
                        do throws(StoreError) {
                            try await store.group.write(.process) { transaction in
                                _ = try transaction.add([newTransfer("file-\(number)")], holder: nil, at: now)
                                // A broken reference that is only found out by the commit.
                                guard number == 1 else { return }
                                try transaction.db.execute(
                                    sql:
                                        "PRAGMA defer_foreign_keys = ON; INSERT INTO attempt VALUES (99, 1, 0, 0, '', 0)"
                                )
                            }
                            return false
                        } catch {
                            return true
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
        }
        #expect(outcomes == Array(repeating: true, count: 4), "none is acknowledged")
        #expect(try await store.counts() == [:])
        _ = try await store.add([newTransfer("next")], holder: nil, at: now)
        #expect(try await store.counts() == [.queued: 1])
        await store.close()
    }

    @Test func commitsWhatWaitsWhenTheStoreIsClosed() async throws {
        let store = try await open()
        let lock = try WriteLock(path: directory.files.lock)
        try lock.lock(willWait: {})
        let adding = Task { try await store.add([newTransfer("a")], holder: nil, at: now) }
        let closing: Task<Void, Never>
        do {
            defer { lock.unlock() }
            try await log.wait { $0.contains(.waitingForLock) }
            closing = Task { await store.close() }
        }
        #expect(try await adding.value.count == 1)
        await closing.value
        let again = try await SQLiteTransferStore.open(directory: directory.path)
        #expect(try await again.counts() == [.queued: 1])
        await again.close()
    }

    @Test func keepsTheLogFromGrowing() async throws {
        let store = try await open()
        var note = 0
        while !log.events.contains(.checkpointed(isTruncated: true)) {
            try #require(note < 200, "the log has not been copied")
            _ = try await store.add(
                (0..<500).map { try newTransfer("file-\(note)-\($0)") },
                holder: nil,
                at: now
            )
            note += 1
        }
        #expect(try #require(try FileStatus(path: directory.files.log)).length < LogKeeper.bound)
        #expect(try await store.counts() == [.queued: note * 500])
        await store.close()
    }

    private func open() async throws -> SQLiteTransferStore {
        let store = try await SQLiteTransferStore.open(directory: directory.path) { [log] in log.note($0) }
        log.clear()
        return store
    }

    /// Runs `body` while the write lock is held, until this many writes wait for it.
    private func withLockHeldElsewhere<Value: Sendable>(
        until waiting: Int,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let lock = try WriteLock(path: directory.files.lock)
        try lock.lock(willWait: {})
        return try await perform(body) {
            defer { lock.unlock() }
            try await log.wait { $0.contains(.submitted(waiting: waiting)) }
        }
    }
}
