import Ferry
import FerryOutbox
import Foundation
import GRDB

/// An application that the system tests kill again and again while it adds orders through an outbox, takes them over and sends
/// them.
///
///     outbox-application DIRECTORY URL add COUNT OF    add up to COUNT orders more, OF in all, and send until it is killed
///     outbox-application DIRECTORY URL send            only take over and send, until it is killed
///     outbox-application DIRECTORY URL finish OF       add the rest of all OF orders, and end when all are sent
///     outbox-application DIRECTORY report              print its own records, the outbox and the store
@main
struct OutboxApplication {
    /// The number of orders in a transaction. The second comes after the first.
    static let portion = 5

    let database: DatabasePool
    let engine: TransferEngine
    let outbox = Outbox()

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let application = try await OutboxApplication(directory: arguments[0])
        if arguments[1] == "report" { return try await application.report() }
        let url = try HTTPURL(parsing: arguments[1])
        switch arguments[2] {
        case "add":
            try await application.run {
                try await $0.add(Int(arguments[3])!, of: Int(arguments[4])!, to: url)
            }
        case "send": try await application.run { _ in }
        default: try await application.finish(Int(arguments[3])!, to: url)
        }
    }

    init(directory: String) async throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(60)
        database = try DatabasePool(path: "\(directory)/application.sqlite", configuration: configuration)
        try await database.write { [outbox] db in
            try db.execute(
                sql: "CREATE TABLE IF NOT EXISTS purchase (item INTEGER PRIMARY KEY, uuid TEXT NOT NULL)"
            )
            try outbox.createTable(in: db)
        }
        engine = try await TransferEngine.open(EngineConfiguration(dataDirectory: "\(directory)/ferry"))
    }

    /// Takes over and sends, until it is killed. Says so when nothing is left to do.
    private func run(_ work: @escaping @Sendable (OutboxApplication) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await engine.run() }
            group.addTask { try await OutboxDrain(from: database, into: engine).run() }
            group.addTask {
                try await work(self)
                try await waitUntilSent()
                // Not `print`: its buffer would be lost.
                FileHandle.standardOutput.write(Data("idle\n".utf8))
            }
            try await group.waitForAll()
        }
    }

    private func finish(_ total: Int, to url: HTTPURL) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await engine.run() }
            group.addTask { try await OutboxDrain(from: database, into: engine).run() }
            try await add(total, of: total, to: url)
            try await waitUntilSent()
            engine.stop()
            group.cancelAll()
            try await group.waitForAll()
        }
        await engine.close()
    }

    private func waitUntilSent() async throws {
        while try rows("SELECT id FROM ferry_outbox WHERE refused IS NULL LIMIT 1").isEmpty == false {
            // Another process may delete the last row, which this one does not observe.
            try await Task.sleep(for: .milliseconds(20))
        }
        _ = try await engine.finish(.all)
    }

    // MARK: Orders

    /// Adds orders after the last one that was committed. Always takes back the same third of the transactions.
    private func add(_ count: Int, of total: Int, to url: HTTPURL) async throws {
        let last = try rows("SELECT max(item) FROM purchase")[0][0] as Int? ?? -1
        let first = last + 1
        for portion in stride(from: first, to: min(first + count, total), by: Self.portion) {
            let items = Array(portion..<min(portion + Self.portion, total))
            let orders = try items.map { item in
                try RequestSpecification(
                    method: .post,
                    url: url,
                    body: StoredBody("{\"item\": \(item)}".utf8),
                    key: IdempotencyKey(value: "\"\(item)\"")
                )
            }
            try await add(orders, items)
        }
    }

    private func add(_ orders: [RequestSpecification], _ items: [Int]) async throws {
        let isTakenBack = items[0] / Self.portion % 3 == 1
        try await database.writeWithoutTransaction { [outbox] db in
            try db.inTransaction {
                var first: TransferUUID?
                for (item, order) in zip(items, orders) {
                    let others = item == items[0] + 1 ? first.map { [$0] } ?? [] : []
                    let uuid = try outbox.add(NewTransfer(order, afterUUIDs: others), in: db)
                    first = first ?? uuid
                    try db.execute(
                        sql: "INSERT INTO purchase (item, uuid) VALUES (?, ?)",
                        arguments: [item, uuid.description]
                    )
                }
                return isTakenBack ? .rollback : .commit
            }
        }
    }

    // MARK: Report

    /// Prints a line for each order of its own records, each row of the outbox, and each transfer of the store.
    private func report() async throws {
        for row in try rows("SELECT item, uuid FROM purchase") {
            print("purchase", row[0] as Int, row[1] as String)
        }
        for row in try rows("SELECT id, refused FROM ferry_outbox") {
            print("row", row[0] as Int, row[1] as String? ?? "waits")
        }
        for try await transfer in engine.transfers() {
            print("transfer", transfer.uuid, transfer.state.name)
        }
        await engine.close()
    }

    private func rows(_ sql: String) throws -> [Row] {
        try database.read { db in try Row.fetchAll(db, sql: sql) }
    }
}
