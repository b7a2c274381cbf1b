import FerryOutbox
import Foundation
import GRDB
import Testing

@testable import Ferry

/// An application with its own database beside a real store of Ferry, in a temporary directory.
final class Workshop: Sendable {
    let path: String
    let outbox = Outbox()
    let database: DatabasePool
    let client: TransferClient

    private init() async throws {
        path = FileManager.default.temporaryDirectory.appending(path: "ferry-outbox-\(UUID().uuidString)")
            .path()
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        database = try DatabasePool(path: "\(path)/application.sqlite")
        client = try await TransferClient.open(dataDirectory: "\(path)/ferry")
        try await database.write { [outbox] db in try outbox.createTable(in: db) }
    }

    /// Runs `body` in a new workshop, and removes it afterwards.
    static func open(_ body: (Workshop) async throws -> Void) async throws {
        let workshop = try await Workshop()
        do {
            try await body(workshop)
        } catch {
            await workshop.close()
            throw error
        }
        await workshop.close()
    }

    private func close() async {
        await client.close()
        do {
            try database.close()
            try FileManager.default.removeItem(atPath: path)
        } catch {
            Issue.record(error)
        }
    }

    var drain: OutboxDrain { OutboxDrain(from: database, into: client) }

    /// A request that differs from those with other items.
    func order(_ item: Int) throws -> RequestSpecification {
        try RequestSpecification(
            method: .post,
            url: HTTPURL(parsing: "https://shop.example/orders"),
            body: StoredBody("{\"item\": \(item)}".utf8),
            key: IdempotencyKey(value: "\"\(item)\"")
        )
    }

    func download(_ name: String) throws -> DownloadSpecification {
        try DownloadSpecification(
            url: HTTPURL(parsing: "https://shop.example/\(name)"),
            destination: .file(directory: path, name: nil)
        )
    }

    /// Adds the order with this number in a transaction of its own.
    @discardableResult
    func add(
        _ item: Int,
        after others: [TransferUUID] = [],
        uuid: TransferUUID = TransferUUID()
    ) async throws
        -> TransferUUID
    {
        let order = try order(item)
        return try await database.write { [outbox] db in
            try outbox.add(NewTransfer(order, afterUUIDs: others, uuid: uuid), in: db)
        }
    }

    /// Adds the order with this number to the store, and completes it as a process did at this moment.
    func complete(_ item: Int, at moment: Instant) async throws {
        let store = client.store
        let process = ProcessIdentity(pid: 1, startTime: 1, boot: BootID(rawValue: "earlier"))
        let owner = try await store.join(process, at: moment)
        _ = try await store.add([NewTransfer(order(item))], besides: nil, holder: nil, at: moment)
        let transfer = try #require(try await store.claim(upTo: 1, only: nil, for: owner, at: moment).first)
        let claim = try #require(transfer.claim)
        try await store.settle(
            claim,
            as: Settlement(.completed, progress: transfer.work.progress),
            at: moment
        )
    }

    /// Executes a line of SQL, as a program in another language would.
    func execute(_ sql: String, _ arguments: StatementArguments = StatementArguments()) async throws {
        try await database.write { db in try db.execute(sql: sql, arguments: arguments) }
    }

    /// The number of rows in the table.
    func rows() async throws -> Int {
        try await database.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM ferry_outbox") ?? 0 }
    }

    /// The reasons of the refused rows.
    func refusals() async throws -> [OutboxRefusal] {
        try await database.read { [outbox] db in try outbox.refusals(in: db) }
    }

    /// All transfers of the store, in the order of their numbers.
    func transfers() async throws -> [Transfer] {
        var all: [Transfer] = []
        for try await transfer in client.transfers() { all.append(transfer) }
        return all
    }

    /// The items of all orders in the store, in the order of their numbers.
    func items() async throws -> [String] {
        try await transfers().compactMap { $0.request?.specification.key?.value }
    }
}
