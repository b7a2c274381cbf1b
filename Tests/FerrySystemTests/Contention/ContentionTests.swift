import Foundation
import Glibc
import Testing

/// Several processes work off one queue, and are killed and begun anew at any moment.
@Suite("Contention", .limitedParallelism)
struct ContentionTests {
    /// How many transfers there are: a sample in the suite, and as many as somebody has time for with scripts/contention.
    static let count =
        ProcessInfo.processInfo.environment["FERRY_CONTENTION_COUNT"].flatMap { Int($0) } ?? 240
    /// How many kills there are, as far as chance allows.
    static let kills =
        ProcessInfo.processInfo.environment["FERRY_CONTENTION_KILLS"].flatMap { Int($0) } ?? 24
    static let plan = ContentionPlan(count: count)
    static let processes = 3
    static let slots = 8

    @Test(
        "each is completed once, has one owner at a time, and none is lost, whoever is killed",
        arguments: ProcessIsolation.chosen
    )
    func killedAmongOthers(_ isolation: ProcessIsolation) async throws {
        let ledger = RequestLedger(of: Self.plan)
        try await Self.serve(ledger) { server in
            try await Sandbox.open { sandbox in
                try await add(to: sandbox, server)
                try await run(isolation, in: sandbox, ledger)
                print(
                    "contention among \(isolation): \(ledger.kills) kills, \(ledger.requests) requests for \(Self.count) files"
                        + " (seed \(SeededRandom.seed))"
                )
                #expect(ledger.kills > 0)
                #expect(ledger.violations.isEmpty, "\(ledger.violations.prefix(20).joined(separator: "\n"))")
                // What a kill interrupts is asked for again, and nothing else is.
                #expect(ledger.requests <= Self.count + ledger.kills * Self.slots * 2)
                try await expectAll(in: sandbox)
            }
        }
    }

    /// Answers each request after a moment that differs, so that a kill meets transfers at every point.
    private static func serve(
        _ ledger: RequestLedger,
        _ body: (ScriptedServer) async throws -> Void
    ) async throws {
        let server = try ScriptedServer { connection, request in
            let number = ledger.begin(request.path, isLeftBehind: { !connection.pause(0) })
            let content = content(of: request.path)
            let reply = ScriptedReply.serving(content, tag: "\"a\"", to: request)
            // Those of the narrow queue take longer, so that more of them would be under way if they might.
            let isThere = connection.pause(content.count % 17 + (plan.isNarrow(request.path) ? 20 : 0))
            ledger.answers(request.path, number)
            let stays = connection.write(reply, to: request)
            ledger.end(request.path, number, isServed: isThere && stays)
            return stays ? .stays : .closes
        }
        do {
            try await body(server)
        } catch {
            server.stop()
            throw error
        }
        server.stop()
    }

    /// The bytes of a file, which its name tells.
    private static func content(of path: String) -> Content {
        let number = UInt64(ContentionPlan.number(of: path))
        return Content(count: 100 + Int(number * 7919 % 3000), seed: number + 1)
    }

    private func add(to sandbox: Sandbox, _ server: ScriptedServer) async throws {
        let slots = "\(ContentionPlan.narrowSlots)"
        try await sandbox.ferry("queue", "set", "narrow", "--slots", slots, "--per-host", "0").expect(0)
        let list = sandbox.root + "/list"
        for batch in Self.plan.batches {
            let lines = batch.names.map { server.url($0) }
            try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: list))
            try await sandbox.launch(["add", "-q", "-i", list] + batch.options).outcome().expect(0)
        }
    }

    /// Lets the processes run until somebody has got each file; then the last ones come to their end.
    private func run(_ isolation: ProcessIsolation, in sandbox: Sandbox, _ ledger: RequestLedger) async throws
    {
        var random = SeededRandom(seed: SeededRandom.seed)
        var running = try (0..<Self.processes).map { _ in try isolation.launch(in: sandbox) }
        var looking: [ChildProcess] = []
        while ledger.served < Self.count {
            let next =
                ledger.requests + Int.random(in: 1...max(2, Self.count * 2 / Self.kills), using: &random)
            let processes = running
            try await Deadline.wait(for: "\(next) requests") {
                ledger.requests >= next || ledger.served == Self.count || processes.allSatisfy(\.hasEnded)
            }
            let victim = Int.random(in: running.indices, using: &random)
            ledger.killBegins()
            try await isolation.send(SIGKILL, to: running[victim])
            _ = try await running[victim].outcome()
            ledger.killIsOver()
            running[victim] = try isolation.launch(in: sandbox)
            looking += try isolation.look(in: sandbox)
        }
        for process in looking { try await process.outcome().expect(0) }
        try await isolation.end(running, in: sandbox)
        try await sandbox.ferry("run", "-q").expect(0)
    }

    private func expectAll(in sandbox: Sandbox) async throws {
        let transfers = try await sandbox.transfers()
        #expect(transfers.count == Self.count)
        #expect(transfers.allSatisfy { $0.state == "completed" && $0.process == nil })
        #expect(try sandbox.fileNames() == Self.plan.names.sorted())
        for name in Self.plan.names {
            #expect(Self.content(of: name).isWhole(at: sandbox.path(of: name)), "\(name)")
        }
    }
}
