import FerryCore
import GRDB
import Testing

@testable import FerrySQLite

/// What a claim costs does not grow with the length of the queue.
struct ClaimCostTests {
    @Test func claimsFromAnIndexWithoutSorting() async throws {
        let directory = try TemporaryDirectory()
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let plans = try await store.group.write(.process) { transaction in
            try [StoreTransaction.freeLine, StoreTransaction.heldLine].map { sql in
                try Row.fetchAll(
                    transaction.db,
                    sql: "EXPLAIN QUERY PLAN " + sql,
                    arguments: arguments(of: sql)
                )
                .map { $0["detail"] as String }
            }
        }
        for plan in plans {
            #expect(plan.count == 1 && plan[0].contains("SEARCH"), "\(plan)")
            #expect(plan[0].contains("INDEX transfer_runnable (owner=?)"), "\(plan)")
        }
        await store.close()
    }

    @Test func notesEachDueWaitOnce() async throws {
        let directory = try TemporaryDirectory()
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        for sql in [StoreTransaction.noteDue, StoreTransaction.noteIncredible] {
            let plan = try await store.group.write(.process) { transaction in
                try Row.fetchAll(
                    transaction.db,
                    sql: "EXPLAIN QUERY PLAN " + sql,
                    arguments: [0]
                ).map { $0["detail"] as String }
            }
            #expect(plan.first?.contains("INDEX transfer_wake (runnable=? AND wake_at") == true, "\(plan)")
        }
        await store.close()
    }

    @Test func tellsNobodyOfAClaimThatFoundNothing() async throws {
        let directory = try TemporaryDirectory()
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let owner = try await store.join(process, at: now)
        let before = try await version(store)
        _ = try await store.claim(upTo: 5, only: nil, for: owner, at: now)
        #expect(try await version(store) == before, "nothing was written that others would be woken by")
        await store.close()
    }

    private func arguments(of sql: String) -> StatementArguments {
        sql.contains("?3") ? [0, 0, 0] : [0, 0]
    }

    private func version(_ store: SQLiteTransferStore) async throws -> Int64? {
        try await store.connections.watcher.unsafeRead { try Int64.fetchOne($0, sql: "PRAGMA data_version") }
    }
}
