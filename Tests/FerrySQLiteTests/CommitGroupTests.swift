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
    private let synchronized = SynchronizedCommits()

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
        #expect(commits == [.committed(writes: 30, .power)])
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
            #expect(commits == [])
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
        clear()
        let progress = DownloadProgress()
        try await store.record(progress, for: claims[0], durability: .process, at: now)
        try await store.settle(claims[0], as: Settlement(.waiting(.network), progress: progress), at: now)
        #expect(Set(commits) == [.committed(writes: 1, .process)])
        clear()
        try await store.record(progress, for: claims[1], durability: .power, at: now)
        try await store.settle(claims[1], as: Settlement(.completed, progress: progress), at: now)
        let failure = TransferFailure(.timeout, "late")
        try await store.settle(claims[2], as: Settlement(.failed(failure), progress: progress), at: now)
        #expect(commits.count == 3 && Set(commits) == [.committed(writes: 1, .power)])
        clear()
        try await withLockHeldElsewhere(until: 2) {
            async let record: Void = store.record(progress, for: claims[3], durability: .process, at: now)
            async let end = store.settle(
                claims[4],
                as: Settlement(.completed, progress: progress),
                at: now
            )
            _ = try await (record, end)
        }
        #expect(commits == [.committed(writes: 2, .power)])
        await store.close()
    }

    /// What was promised stays after a power loss. What a power loss may undo costs no sync.
    @Test func commitsTreesAndPinsAsDurablyAsTheyPromise() async throws {
        let store = try await open()
        let owner = try await store.join(process, at: now)
        func expect(_ durability: Durability, _ what: String, _ write: () async throws -> Void) async throws {
            clear()
            try await write()
            #expect(commits == [.committed(writes: 1, durability)], "\(what)")
        }
        let node = NodeDiscovery(Node("node", name: "node"), marking: .data)
        try await expect(.power, "discover") { _ = try await store.discover([node], in: "tree") }
        try await expect(.process, "unmark") {
            _ = try await store.unmark(.data, of: "node", ifETagMatches: nil, in: "tree")
        }
        try await expect(.power, "mark") { _ = try await store.mark(.data, of: "node", in: "tree") }
        try await expect(.power, "add") {
            let needed = NodeDownload(try Self.specification("node"))
            _ = try await store.add([("node", needed)], in: "tree", holder: nil, at: now)
        }
        let claims = try await store.claim(upTo: 1, only: nil, for: owner, at: now).compactMap(\.claim)
        let claim = try #require(claims.first)
        try await expect(.power, "complete and unmark") {
            _ = try await store.settle(
                claim,
                as: Settlement(.completed, progress: DownloadProgress()),
                at: now
            )
        }
        let marked = try await store.node("node", in: "tree")?.mark?.components ?? []
        #expect(marked.isEmpty)

        var cached = try Self.specification("entry")
        cached.options.cache = CacheTerms(pool: "pool")
        _ = try await store.add([NewTransfer(cached)], holder: nil, at: now)
        let entry = try #require(try await store.entry("entry", in: "pool")).number
        let changes: [(EntryChange, Durability)] = [
            (.retain(owner), .process), (.release(owner), .process), (.mode(.persistent), .power),
            (.mode(.cached), .power), (.remove(nil), .power),
        ]
        for (change, durability) in changes {
            try await expect(durability, "\(change)") {
                _ = try await store.change([entry], change, at: now)
            }
        }
        await store.close()
    }

    private static func specification(_ name: String) throws -> DownloadSpecification {
        DownloadSpecification(
            url: try HTTPURL(parsing: "https://example.com/\(name)"),
            destination: .file(directory: "/d", name: try FileName(userGiven: name))
        )
    }

    @Test func aGroupIsAnOwnersIfOnlyItsAttemptsWrite() {
        func owner(of writers: [Int64?]) -> OwnerID? {
            let writes = writers.map { number in
                let owner = number.map(OwnerID.init(rawValue:))
                return PendingWrite(.process, by: owner, { _ in return {} }, refuse: { _ in })
            }
            return GroupOutcome(writes).attemptOwner
        }
        #expect(owner(of: [1, 1]) == OwnerID(rawValue: 1))
        #expect(owner(of: [1, 2]) == nil)
        #expect(owner(of: [1, nil]) == nil)
        #expect(owner(of: [nil, 1]) == nil)
    }

    @Test func commitsDurablyWhatOnlyTurnsOutToBeFinal() async throws {
        let store = try await open()
        let owner = try await store.join(process, at: now)
        _ = try await store.add([newTransfer("a"), newTransfer("b")], holder: nil, at: now)
        let claims = try await store.claim(upTo: 2, only: nil, for: owner, at: now).compactMap(\.claim)
        for claim in claims {
            _ = try await store.ask(.cancel(keepingPart: false), of: claim.transfer, at: now)
        }
        clear()
        let settled = try await store.settle(
            claims[0],
            as: Settlement(.waiting(.network), progress: DownloadProgress()),
            at: now
        )
        #expect(settled.state == .cancelled)
        #expect(try await store.remove(owner, at: now) == [claims[1].transfer])
        #expect(commits == [.committed(writes: 1, .power), .committed(writes: 1, .power)])
        #expect(try await store.counts() == [.cancelled: 2])
        await store.close()
    }

    /// A wrong guess about the next claim costs a sync, never the record.
    @Test func commitsDurablyAClaimThatRecordsASending() async throws {
        let store = try await open()
        let owner = try await store.join(process, at: now)
        let request = NewTransfer(
            try RequestSpecification(
                url: HTTPURL(parsing: "https://example.com/"),
                key: IdempotencyKey(value: "\"1\"")
            )
        )
        let files = try ["a", "b", "c"].map { try newTransfer($0) }
        let line = [files[0], request, request, files[1], request, files[2]]
        _ = try await store.add(line, holder: nil, at: now)
        clear()
        func claim(recordsSending: Bool = true) async throws -> Transfer? {
            try await store.claim(
                upTo: 1,
                only: nil,
                heldBack: .nothing,
                beside: [],
                recordsSending: recordsSending,
                for: owner,
                at: now
            )
            .first
        }
        let durabilities: [(isRecorded: Bool, Durability)] = [
            (false, .process), (true, .power), (true, .power), (false, .power), (true, .power),
        ]
        for (isRecorded, durability) in durabilities {
            let transfer = try #require(try await claim())
            #expect((transfer.request?.progress.sent == now) == isRecorded)
            #expect(commits == [.committed(writes: 1, durability)])
            clear()
        }
        #expect(try await claim(recordsSending: false)?.kind == .download)
        #expect(commits == [.committed(writes: 1, .process)])
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
        let left = try await store.residues(for: .anyProcess, after: nil, limit: 2)
        #expect(left == [claim.transfer])
        clear()
        try await store.settleResidues(of: left, as: .removed)
        #expect(commits == [.committed(writes: 1, .process)])
        #expect(try await store.residues(for: .anyProcess, after: nil, limit: 2) == [])
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

    @Test func findsWhatAnUndoneNeighbourHasDeleted() async throws {
        let store = try await open()
        let owner = try await store.join(process, at: now)
        _ = try await store.add([newTransfer("a"), newTransfer("b")], holder: nil, at: now)
        let claims = try await store.claim(upTo: 2, only: nil, for: owner, at: now).compactMap(\.claim)
        var new = try newTransfer("later")
        new.after = [claims[1].transfer]
        let later = try await store.add([new], holder: nil, at: now)[0].transfer.id
        let completion = Settlement(.completed, progress: DownloadProgress())
        clear()
        let lock = try WriteLock(path: directory.files.lock)
        try lock.lock(willWait: {})
        let undone: Task<Void, any Error>
        let ended: Task<Transfer, any Error>
        do {
            defer { lock.unlock() }
            undone = Task {
                try await store.group.write(.process) { transaction in
                    var edit = TransferEdit()
                    edit.after = []
                    _ = try transaction.edit(later, edit, at: now)
                    // Looks for dependents of any transfer, and there are none.
                    _ = try transaction.settle(claims[0], as: completion, at: now)
                    throw StoreError.noSuchTransfer(later)
                }
            }
            try await log.wait { $0.contains(.submitted(waiting: 1)) }
            ended = Task { try await store.settle(claims[1], as: completion, at: now) }
            try await log.wait { $0.contains(.submitted(waiting: 2)) }
        }
        await #expect(throws: StoreError.noSuchTransfer(later)) { try await undone.value }
        #expect(try await ended.value.state == .completed)
        #expect(commits == [.committed(writes: 2, .power)])
        #expect(try await store.transfer(later)?.state == .queued)
        await store.close()
    }

    @Test func undoesAListOfWhichOneTransferCannotBeInserted() async throws {
        let store = try await open()
        let length = PendingInsertions.portion + 8
        let add: @Sendable (String) async -> StoreError? = { list in
            do throws(StoreError) {
                try await store.group.write(.process) { transaction in
                    // A row under the number of the 20th transfer of this list: the statement inserts 19 rows and fails.
                    if list == "bad" {
                        let taken = try transaction.newNumber().rawValue + 20
                        try transaction.db.execute(
                            sql: """
                                INSERT INTO transfer (id, queue, priority, host, state, runnable, updated, lined)
                                VALUES (?, 'q', 0, 'h', 'queued', 0, 0, 0)
                                """,
                            arguments: [taken]
                        )
                    }
                    let transfers = try (0..<length).map { try newTransfer("\(list)-\($0)") }
                    _ = try transaction.add(transfers, holder: nil, at: now)
                }
                return nil
            } catch {
                return error
            }
        }
        let failed = try await withLockHeldElsewhere(until: 3) {
            await withTaskGroup(of: String?.self) { group in
                for list in ["first", "bad", "last"] {
                    group.addTask { await add(list) == nil ? nil : list }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
        }
        #expect(failed.compactMap(\.self) == ["bad"])
        #expect(commits == [.committed(writes: 3, .power)])
        // Alone, without savepoints, it leaves nothing either.
        #expect(await add("bad") != nil)
        #expect(await add("next") == nil)
        let stored = try await store.transfers(.all, after: nil, limit: 4 * length)
        let expected = ["first", "last", "next"].flatMap { list in
            (0..<length).map { "https://example.com/\(list)-\($0)" }
        }
        #expect(Set(stored.map(\.specification.url.absoluteString)) == Set(expected))
        #expect(stored.count == expected.count)
        #expect(try await store.counts() == [.queued: expected.count])
        #expect(try await store.verify() == [])
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
        #expect(try #require(try StoreFileStatus(path: directory.files.log)).length < LogKeeper.bound)
        #expect(try await store.counts() == [.queued: note * 500])
        await store.close()
    }

    private func open() async throws -> SQLiteTransferStore {
        let store = try await SQLiteTransferStore.open(directory: directory.path) { [log] in log.note($0) }
        store.connections.writer.add(transactionObserver: synchronized)
        clear()
        return store
    }

    /// The commits so far, each with what it survives according to SQLite.
    private var commits: [StoreEvent] {
        let (noted, durabilities) = (log.commits, synchronized.durabilities)
        #expect(noted.count == durabilities.count, "SQLite tells of each commit")
        return zip(noted, durabilities).map { event, durability in
            guard case .committed(let writes, _) = event else { return event }
            return .committed(writes: writes, durability)
        }
    }

    /// Forgets everything so far.
    private func clear() {
        log.clear()
        synchronized.clear()
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
