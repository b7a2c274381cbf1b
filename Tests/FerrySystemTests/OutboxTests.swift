import Foundation
import Glibc
import Synchronization
import Testing

/// Kills an application that adds orders in its own transactions, takes them over into Ferry's store and sends them. A third of
/// the transactions is rolled back.
@Suite("The outbox", .limitedParallelism)
struct OutboxTests {
    private static let environment = ProcessInfo.processInfo.environment
    /// Number of orders: few in the suite, and more with scripts/crash.
    static let orders = environment["FERRY_OUTBOX_ORDERS"].flatMap { Int($0) } ?? 500
    /// Number of kills.
    static let kills = environment["FERRY_OUTBOX_KILLS"].flatMap { Int($0) } ?? 10
    /// The most bytes that a process writes before it is killed.
    static let longestLife = 3 * Int.mebibyte

    /// The orders that arrived at a server, by their keys.
    private final class Arrivals: Sendable {
        private let state = Mutex((order: [Int](), counts: [Int: Int]()))

        func note(_ request: ScriptedRequest) {
            guard let item = request["idempotency-key"].flatMap({ Int($0.filter(\.isNumber)) }) else {
                return
            }
            state.withLock { state in
                state.counts[item, default: 0] += 1
                if state.counts[item] == 1 { state.order.append(item) }
            }
        }

        /// The orders, in the order in which each arrived first.
        var items: [Int] { state.withLock { $0.order } }
        /// How many requests were there.
        var requests: Int { state.withLock { $0.counts.values.reduce(0, +) } }
    }

    @Test("whenever the application is killed, exactly the committed orders arrive")
    func committedOrdersArrive() async throws {
        let arrivals = Arrivals()
        let server = try ScriptedServer { connection, request in
            guard connection.readBody(of: request) != nil else { return .closes }
            arrivals.note(request)
            return connection.write(ScriptedReply(), to: request) ? .stays : .closes
        }
        defer { server.stop() }
        try await Sandbox.open { sandbox in
            var random = SeededRandom(seed: SeededRandom.seed)
            try await kill(in: sandbox, server, &random)
            let last = try launch(sandbox, [server.url("orders"), "finish", "\(Self.orders)"])
            try await last.outcome().expect(0)
            try await check(arrivals, in: sandbox)
        }
    }

    private func launch(_ sandbox: Sandbox, _ arguments: [String]) throws -> ChildProcess {
        try sandbox.launch(
            executable: Repository.built("outbox-application"),
            [sandbox.workingDirectory] + arguments
        )
    }

    /// Starts the application and kills it, again and again. Beside it, another process takes over and sends; it outlives some
    /// of the kills.
    private func kill(
        in sandbox: Sandbox,
        _ server: ScriptedServer,
        _ random: inout SeededRandom
    ) async throws {
        // The first process makes the tables and the store.
        try await launch(sandbox, ["report"]).outcome().expect(0)
        let url = server.url("orders")
        let share = max(OutboxTests.orders / max(1, Self.kills), 5)
        var other: ChildProcess?
        for _ in 0..<Self.kills {
            if other == nil { other = try launch(sandbox, [url, "send"]) }
            let process = try launch(sandbox, [url, "add", "\(share)", "\(Self.orders)"])
            let moment = Int.random(in: 0...Self.longestLife, using: &random)
            try await Deadline.wait(for: "\(moment) bytes to be written", said: { process.errorsSoFar }) {
                process.hasEnded || process.outputSoFar.contains("idle")
                    || (process.bytesWritten ?? 0) >= moment
            }
            process.send(SIGKILL)
            if Bool.random(using: &random), let victim = other {
                victim.send(SIGKILL)
                try await expectKill(victim)
                other = nil
            }
            try await expectKill(process)
        }
        if let other {
            other.send(SIGKILL)
            try await expectKill(other)
        }
    }

    private func expectKill(_ process: ChildProcess) async throws {
        let outcome = try await process.outcome()
        #expect(outcome.exit == .signal(SIGKILL), "seed \(SeededRandom.seed): \(outcome.errors)")
    }

    private func check(_ arrivals: Arrivals, in sandbox: Sandbox) async throws {
        let report = try await launch(sandbox, ["report"]).outcome()
        report.expect(0)
        let lines = report.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        let purchases = lines.filter { $0[0] == "purchase" }
        let transfers = lines.filter { $0[0] == "transfer" }
        let rows = lines.filter { $0[0] == "row" }
        let committed = purchases.compactMap { Int($0[1]) }
        let items = arrivals.items
        print(
            "outbox: \(Self.kills) kills, \(committed.count) orders committed of \(Self.orders), \(items.count) arrived "
                + "in \(arrivals.requests) requests (seed \(SeededRandom.seed))"
        )
        let seed = "seed \(SeededRandom.seed)"
        #expect(committed == (0..<Self.orders).filter { $0 / 5 % 3 != 1 }, "\(seed)")
        #expect(items.sorted() == committed, "\(seed)")
        #expect(transfers.map { $0[1] }.sorted() == purchases.map { $0[2] }.sorted(), "\(seed)")
        #expect(transfers.allSatisfy { $0[2] == "completed" }, "\(seed)")
        #expect(rows.isEmpty, "\(seed): \(rows)")
        let places = Dictionary(uniqueKeysWithValues: items.enumerated().map { ($0.element, $0.offset) })
        let early = committed.filter { $0 % 5 == 1 && places[$0, default: 0] < places[$0 - 1, default: 0] }
        #expect(early.isEmpty, "\(seed): \(early) arrived before what they come after")
    }
}
