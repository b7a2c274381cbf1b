import Ferry
import FerryOutbox
import Foundation
import GRDB
import Logging
import ServiceLifecycle
import Testing

/// Each committed row becomes exactly one transfer, whatever happens to drains.
@Suite("Taking over")
struct TakingOverTests {
    /// A copy of all rows, to put the table back to where it was before a drain was killed.
    private static let copy = "CREATE TABLE copy AS SELECT * FROM ferry_outbox"
    private static let restore = "INSERT INTO ferry_outbox SELECT * FROM copy"

    @Test("rows whose deletion did not happen are not added again, whatever became of the transfers")
    func survivesAKillBeforeTheDeletion() async throws {
        try await Workshop.open { workshop in
            let download = try workshop.download("big.iso")
            _ = try await workshop.database.write { [outbox = workshop.outbox] db in
                try outbox.add(NewTransfer(download), in: db)
            }
            for item in 0..<4 { try await workshop.add(item) }
            try await workshop.execute(Self.copy)
            #expect(try await workshop.drain.takeOver() == 5)
            let transfers = try await workshop.transfers()
            try await workshop.client.pause(transfers[0].id)
            try await workshop.client.cancel(transfers[1].id)
            try await workshop.execute(Self.restore)
            #expect(try await workshop.drain.takeOver() == 5)
            #expect(try await workshop.transfers().map(\.id) == transfers.map(\.id))
            #expect(try await workshop.client.snapshot(of: transfers[1].id).state == .cancelled)
            #expect(try await workshop.rows() == 0)
        }
    }

    @Test("several drains over one table add each row once")
    func severalDrains() async throws {
        try await Workshop.open { workshop in
            let orders = try (0..<1_000).map { try workshop.order($0) }
            try await workshop.database.write { [outbox = workshop.outbox] db in
                var last: TransferUUID?
                for (index, order) in orders.enumerated() {
                    let others = index.isMultiple(of: 10) ? last.map { [$0] } ?? [] : []
                    last = try outbox.add(NewTransfer(order, afterUUIDs: others), in: db)
                }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        // Each is as another process: with connections of its own.
                        var configuration = Configuration()
                        configuration.busyMode = .timeout(60)
                        let database = try DatabasePool(
                            path: "\(workshop.path)/application.sqlite",
                            configuration: configuration
                        )
                        let client = try await TransferClient.open(dataDirectory: "\(workshop.path)/ferry")
                        try await OutboxDrain(from: database, into: client).takeOver()
                        await client.close()
                        try database.close()
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await workshop.rows() == 0)
            let items = try await workshop.items()
            #expect(items.count == 1_000 && Set(items).count == 1_000)
        }
    }

    @Test("another request under the UUID of a transfer is refused, and the rows around it are not")
    func refusesAnotherRequest() async throws {
        try await Workshop.open { workshop in
            let uuid = try await workshop.add(1)
            try await workshop.drain.takeOver()
            try await workshop.add(2)
            try await workshop.add(3, uuid: uuid)
            try await workshop.add(4)
            #expect(try await workshop.drain.takeOver() == 2)
            #expect(try await workshop.items() == ["\"1\"", "\"2\"", "\"4\""])
            let refusals = try await workshop.refusals()
            #expect(refusals.map(\.uuid) == ["\(uuid)"])
            #expect(refusals.first?.reason.contains("already names transfer") == true)
            let refusal = try #require(refusals.first)
            try await workshop.database.write { [outbox = workshop.outbox] db in
                try outbox.remove(refusal, in: db)
            }
            #expect(try await workshop.rows() == 0)
        }
    }

    @Test("rows that come after a refused one are refused with it, and all of them go when they are retried")
    func retriesChains() async throws {
        try await Workshop.open { workshop in
            let first = TransferUUID()
            try await workshop.execute(
                "INSERT INTO ferry_outbox (uuid, kind, work) VALUES (?, 'request', '{}')",
                ["\(first)"]
            )
            let second = try await workshop.add(2, after: [first])
            try await workshop.add(3, after: [second])
            #expect(try await workshop.drain.takeOver() == 0)
            #expect(try await workshop.refusals().count == 3)
            try await workshop.execute(
                "UPDATE ferry_outbox SET work = ? WHERE uuid = ?",
                [OutboxRowTests.order, "\(first)"]
            )
            try await workshop.database.write { [outbox = workshop.outbox] db in
                try outbox.retryRefused(in: db)
            }
            #expect(try await workshop.drain.takeOver() == 3)
            let transfers = try await workshop.transfers()
            #expect(transfers.map(\.dependencies) == [[], [transfers[0].id], [transfers[1].id]])
        }
    }

    @Test("rows that come after a download come after the transfer that already does the same")
    func followsAnExistingDownload() async throws {
        try await Workshop.open { workshop in
            let download = try workshop.download("big.iso")
            let existing = try await workshop.client.add(from: download.url, to: download.destination)
            let uuid = try await workshop.database.write { [outbox = workshop.outbox] db in
                try outbox.add(NewTransfer(download, tag: TransferTag("mine")), in: db)
            }
            try await workshop.add(1, after: [uuid])
            // So many that the last row is in another batch.
            for item in 2..<250 { try await workshop.add(item) }
            try await workshop.add(250, after: [uuid])
            #expect(try await workshop.drain.takeOver() == 251)
            let transfers = try await workshop.transfers()
            #expect(transfers.count == 251)
            #expect(try await workshop.client.find(tag: TransferTag("mine"))?.id == existing.id)
            #expect(transfers.filter { $0.dependencies == [existing.id] }.count == 2)
        }
    }

    @Test(
        "a row that a drain began to take over is refused once the store may have forgotten its transfer",
        arguments: [
            (Retention.standard, 3_600, true), (Retention.standard, 20 * 86_400, false),
            (Retention(age: nil, count: 100), 20 * 86_400, true), (Retention(age: nil, count: 0), 1, false),
            (Retention(age: .zero, count: nil), 1, false), (Retention.unbounded, 900 * 86_400, true),
        ]
    )
    func refusesWhatMayBeForgotten(_ retention: Retention, _ age: Int, _ isTaken: Bool) async throws {
        try await Workshop.open { workshop in
            let drain = OutboxDrain(from: workshop.database, into: workshop.client, retention: retention)
            try await workshop.add(1)
            try await workshop.execute(
                "UPDATE ferry_outbox SET taken = CAST(strftime('%s', 'now') AS INTEGER) - ?",
                [age]
            )
            #expect(try await drain.takeOver() == (isTaken ? 1 : 0))
            #expect(try await workshop.refusals().isEmpty == isTaken)
            guard !isTaken else { return }
            try await workshop.database.write { [outbox = workshop.outbox] db in
                try outbox.retryRefused(in: db)
            }
            #expect(try await drain.takeOver() == 1)
        }
    }

    @Test("a store that knows an earlier transfer has forgotten no later one")
    func trustsAnEarlierTransfer() async throws {
        try await Workshop.open { workshop in
            try await workshop.complete(0, at: Instant(seconds: 1_700_000_000))
            let retention = Retention(age: .seconds(60), count: 1)
            let drain = OutboxDrain(from: workshop.database, into: workshop.client, retention: retention)
            try await workshop.add(1)
            try await workshop.execute("UPDATE ferry_outbox SET taken = 1700000001")
            try await workshop.add(2)
            try await workshop.execute("UPDATE ferry_outbox SET taken = 1699999999 WHERE taken IS NULL")
            #expect(try await drain.takeOver() == 1)
            // A completed request has no key any more.
            #expect(try await workshop.items() == ["\"1\""])
            #expect(try await workshop.refusals().count == 1)
        }
    }

    @Test("the database keeps its own level of durability")
    func keepsTheLevel() async throws {
        try await Workshop.open { workshop in
            try await workshop.add(1)
            try await workshop.drain.takeOver()
            let level = try await workshop.database.writeWithoutTransaction { db in
                try Int.fetchOne(db, sql: "PRAGMA synchronous")
            }
            #expect(level == 1)
        }
    }

    // MARK: As a service

    /// Runs a drain as a service while `body` runs, and stops it gracefully.
    private func serving(
        _ workshop: Workshop,
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        let group = ServiceGroup(services: [workshop.drain], logger: Logger(label: "test"))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            try await body()
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    /// Waits until the store has this number of transfers.
    private func arrive(_ count: Int, in workshop: Workshop) async throws {
        var changes = workshop.client.changes().makeAsyncIterator()
        while try await workshop.transfers().count < count { _ = await changes.next() }
    }

    @Test("a service takes over what was there, what this process commits and what another one commits")
    func runsAsAService() async throws {
        try await Workshop.open { workshop in
            try await workshop.add(1)
            try await serving(workshop) {
                try await arrive(1, in: workshop)
                try await workshop.add(2)
                try await arrive(2, in: workshop)
                let order = try workshop.order(3)
                let other = try DatabaseQueue(path: "\(workshop.path)/application.sqlite")
                _ = try await other.write { [outbox = workshop.outbox] db in
                    try outbox.add(NewTransfer(order), in: db)
                }
                try await arrive(3, in: workshop)
                try other.close()
            }
            #expect(try await workshop.items() == ["\"1\"", "\"2\"", "\"3\""])
        }
    }

    @Test("a service waits while another connection keeps the database locked")
    func waitsForALock() async throws {
        try await Workshop.open { workshop in
            try await workshop.add(1)
            var configuration = Configuration()
            configuration.allowsUnsafeTransactions = true
            let path = "\(workshop.path)/application.sqlite"
            let other = try DatabaseQueue(path: path, configuration: configuration)
            try await other.writeWithoutTransaction { db in try db.execute(sql: "BEGIN IMMEDIATE") }
            await #expect(throws: DatabaseError.self) { try await workshop.drain.takeOver() }
            try await serving(workshop) {
                // The service meets the lock, or comes later.
                try await other.writeWithoutTransaction { db in try db.execute(sql: "COMMIT") }
                try await arrive(1, in: workshop)
            }
            try other.close()
        }
    }

    @Test("a drain without the table says so")
    func namesTheMissingTable() async throws {
        try await Workshop.open { workshop in
            try await workshop.execute("DROP TABLE ferry_outbox")
            await #expect(throws: DatabaseError.self) { try await workshop.drain.run() }
        }
    }
}
