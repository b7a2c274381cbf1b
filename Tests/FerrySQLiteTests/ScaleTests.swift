import FerryCore
import FerryTesting
import GRDB
import Testing

@testable import FerrySQLite

/// What is asked of a store now and then does not grow with the number of transfers.
struct ScaleTests {
    @Test func findsWhatMayBeForgottenInAnIndexWithoutSorting() async throws {
        let plan = try await plan(of: StoreTransaction.oldest)
        // What a newer Ferry added is looked up by its number, and left.
        let kind = ["CORRELATED SCALAR SUBQUERY 1", "SEARCH work USING INTEGER PRIMARY KEY (rowid=?)"]
        #expect(Array(plan.dropFirst()) == kind && plan[0].contains("INDEX ended_finished"), "\(plan)")
    }

    @Test func findsEmptyFailuresInAnIndexWithoutSorting() async throws {
        let plan = try await plan(of: StoreTransaction.emptyFailures)
        #expect(
            plan[0].contains("SEARCH transfer USING INDEX transfer_empty_failure (finished<?)"),
            "\(plan)"
        )
        #expect(!plan.contains { $0.contains("TEMP B-TREE") || $0.contains("SCAN") }, "\(plan)")
    }

    @Test func listsWhatWaitsForOneConditionFromAnIndex() async throws {
        let orders: [(ListOrder, String)] = [
            (.oldestFirst(after: nil), "id>?"), (.newestFirst(before: nil), "id<?"),
        ]
        for (order, bound) in orders {
            let plan = try await plan(of: StoreView.pages(.waiting(.network), in: order)[0])
            let index = "INDEX transfer_condition (condition=? AND \(bound))"
            #expect(plan.count == 1 && plan[0].contains(index), "\(plan)")
        }
    }

    @Test(arguments: [TransferFilter.all, .unfinished, .unfinishedOrFailed, .state(.queued)])
    func listsANamedQueueFromAnIndex(_ filter: TransferFilter) async throws {
        let orders: [(ListOrder, String)] = [
            (.oldestFirst(after: nil), "rowid>?"), (.newestFirst(before: nil), "rowid<?"),
        ]
        for (order, bound) in orders {
            let plan = try await plan(of: StoreView.pages(filter.of(queue: "night"), in: order)[0])
            let index = "INDEX transfer_queue (queue=? AND \(bound))"
            #expect(plan.count == 1 && plan[0].contains(index), "\(plan)")
        }
    }

    @Test func listsFewQueuedTransfersFromTheirLines() async throws {
        let order = ListOrder.oldestFirst(after: nil)
        let plan = try await plan(of: StoreView.pages(.state(.queued), in: order, areFewQueued: true)[0])
        #expect(plan[0].contains("INDEX transfer_line"), "\(plan)")
        let directory = try StoreDirectory()
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let ids = try await store.add(try (0..<5).map(Self.new), holder: nil, at: now).map(\.transfer.id)
        _ = try await store.ask(.pause, of: ids[1], holder: nil, at: now)
        let queued = try await store.transfers(.state(.queued), after: ids[0], limit: 2)
        #expect(queued.map(\.id) == [ids[2], ids[3]])
        let newest = try await store.transfers(.state(.queued), in: .newestFirst(before: nil), limit: 9)
        #expect(newest.map(\.id) == [ids[4], ids[3], ids[2], ids[0]])
        await store.close()
    }

    @Test func listsTheNewestWithoutSorting() async throws {
        let filters: [TransferFilter] = [
            .all, .unfinished, .unfinishedOrFailed, .state(.failed), .state(.completed), .state(.cancelled),
            .all.of(tag: try TransferTag("album")),
        ]
        for sql in filters.flatMap({ StoreView.pages($0, in: .newestFirst(before: nil)) }) {
            let plan = try await plan(of: sql)
            #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan) by \(sql)")
            #expect(plan[0].contains("SEARCH"), "\(plan) by \(sql)")
        }
    }

    @Test func looksAtNoMoreThanItForgets() async throws {
        let directory = try StoreDirectory()
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        try await complete(300, in: store)
        let retention = Retention(age: nil, count: 100)
        var steps: [Int] = []
        while case let forgotten = try await store.prune(retention, upTo: 64, at: now), !forgotten.isEmpty {
            steps.append(forgotten.count)
        }
        #expect(steps == [64, 64, 64, 8])
        #expect(try await store.counts() == [.completed: 100])
        #expect(try await store.verify() == [])
        await store.close()
    }

    @Test func keepsNoTurnsOfQueuesInWhichNothingStands() async throws {
        let directory = try StoreDirectory()
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let owner = try await store.join(process, at: now)
        var news = try (0..<6).map(Self.new)
        for index in news.indices { news[index].queue = "q\(index / 2)" }
        _ = try await store.add(news, holder: nil, at: now)
        #expect(try await store.claim(upTo: 5, only: nil, for: owner, at: now).count == 5)
        _ = try await store.prune(.standard, upTo: 64, at: now)
        let turns = try await store.connections.reader.read { db in
            try String.fetchAll(db, sql: "SELECT queue FROM turn")
        }
        #expect(turns == ["q2"], "the others are empty")
        await store.close()
    }

    @Test func tellsNobodyOfAPruningThatFoundNothing() async throws {
        let directory = try StoreDirectory()
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let before = try await version(store)
        _ = try await store.prune(.standard, upTo: 64, at: now)
        #expect(try await version(store) == before)
        await store.close()
    }

    @Test func countsAreTakenBackWithTheWriteThatFailed() async throws {
        let directory = try StoreDirectory()
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let missing = TransferID(rawValue: 7)
        // Many at once, so that some of them share a transaction.
        let failures = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<40 {
                group.addTask {
                    do {
                        try await store.group.write(.process) { transaction in
                            _ = try transaction.add([Self.new(number)], holder: nil, at: now)
                            if number.isMultiple(of: 2) { throw StoreError.noSuchTransfer(missing) }
                        }
                        return false
                    } catch {
                        return error as? StoreError == .noSuchTransfer(missing)
                    }
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(failures == 20)
        #expect(try await store.counts() == [.queued: 20])
        #expect(try await store.verify() == [])
        await store.close()
    }

    /// The counts are the same wherever the counting of each queue stops.
    @Test(arguments: [1, 2, 3, 5, 100])
    func countsWhatIsInLineInEachQueue(_ bound: Int) async throws {
        let directory = try StoreDirectory()
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let sizes = ["a": 5, "b": 1, "c": 3, "d": 4]
        var news = try (0..<13).map(Self.new)
        let names = sizes.sorted { $0.key < $1.key }.flatMap { Array(repeating: $0.key, count: $0.value) }
        for index in news.indices { news[index].queue = names[index] }
        _ = try await store.add(news, holder: nil, at: now)
        try await store.group.write(.process) { transaction in
            // The wait of the first in each queue is over, and a claim has seen that.
            try transaction.db.execute(
                sql: """
                    UPDATE transfer SET state = 'waiting', condition = 'retry', wake_at = 1 WHERE id IN (1, 6, 7, 10);
                    UPDATE tally SET count = 9 WHERE state = 'queued';
                    INSERT INTO tally (state, count) VALUES ('waiting', 4)
                    """
            )
        }
        let queues = try await store.read { try $0.queues(countingUpTo: bound) }
        #expect(Dictionary(uniqueKeysWithValues: queues.map { ($0.id, $0.waiting) }) == sizes)
        await store.close()
    }

    @Test func findsACountThatIsWrong() async throws {
        let directory = try StoreDirectory()
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        _ = try await store.add([Self.new(0)], holder: nil, at: now)
        try await store.group.write(.process) { try $0.db.execute(sql: "UPDATE tally SET count = 2") }
        #expect(try await store.verify() == ["the store counts 2 queued transfers, but has 1"])
        await store.close()
    }

    private static func new(_ number: Int) throws -> NewTransfer {
        let url = try HTTPURL(parsing: "https://example.org/\(number)")
        return NewTransfer(
            DownloadSpecification(url: url, destination: .file(directory: "/d", name: nil))
        )
    }

    private func complete(_ count: Int, in store: SQLiteTransferStore) async throws {
        let owner = try await store.join(process, at: now)
        _ = try await store.add(try (0..<count).map(Self.new), holder: nil, at: now)
        let claimed = try await store.claim(upTo: count, only: nil, for: owner, at: now)
        #expect(claimed.count == count)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for claim in claimed.compactMap(\.claim) {
                group.addTask {
                    try await store.settle(
                        claim,
                        as: Settlement(.completed, progress: DownloadProgress()),
                        at: now
                    )
                }
            }
            try await group.waitForAll()
        }
    }

    private func plan(of sql: String) async throws -> [String] {
        let directory = try StoreDirectory()
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let plan = try await store.group.write(.process) { transaction in
            let arguments = StatementArguments(repeatElement(1, count: sql.count { $0 == "?" }))
            return try Row.fetchAll(transaction.db, sql: "EXPLAIN QUERY PLAN " + sql, arguments: arguments)
                .map { $0["detail"] as String }
        }
        await store.close()
        return plan
    }

    private func version(_ store: SQLiteTransferStore) async throws -> Int64? {
        try await store.connections.reader.unsafeRead { try Int64.fetchOne($0, sql: "PRAGMA data_version") }
    }
}
