import Foundation
import Glibc
import Testing

/// Sends requests with the real binary to a server that counts their effects, while the process is killed and the network
/// is cut at random moments.
@Suite("Counted requests", .limitedParallelism)
struct CountingTests {
    private static func said(_ variable: String) -> Int? {
        ProcessInfo.processInfo.environment[variable].flatMap { Int($0) }
    }

    /// A sample in the suite, and more with scripts/requests.
    static let plan = CountingPlan(count: said("FERRY_REQUESTS_COUNT") ?? 240)
    /// The numbers of disturbances that were asked for, by scripts/requests only. A sample has at least one kill.
    static let (kills, cuts) = (said("FERRY_REQUESTS_KILLS"), said("FERRY_REQUESTS_CUTS"))

    @Test(
        "each takes effect once with a key, and never twice without; what is unknown is reported, and order is kept"
    )
    func countedAmongKillsAndCuts() async throws {
        let server = CountingServer(ledger: EffectLedger(), isHonest: Flag())
        try await server.run { scripted in
            let relay = try Relay(toPort: scripted.port)
            defer { relay.stop() }
            try await Sandbox.open { sandbox in
                let run = CountingRun(sandbox: sandbox, relay: relay, ledger: server.ledger)
                try await run.addAll(Self.plan)
                let (kills, cuts) = try await run.disturb(
                    kills: Self.kills ?? 8,
                    cuts: Self.cuts ?? 8,
                    of: Self.plan
                )
                // The server may still act on what it has received.
                try await relay.becomesIdle()
                try await Deadline.wait(for: "the server to become idle") { scripted.isIdle }
                let unknown = try await run.checkEnds(of: Self.plan)
                print(
                    "requests: \(Self.plan.count) requests, \(kills) kills, \(cuts) cuts,"
                        + " \(server.ledger.arrivals) arrivals, \(server.ledger.repeated) repeated,"
                        + " \(unknown.count) of unknown outcome,"
                        + " \(server.ledger.violations.count) violations (seed \(SeededRandom.seed))"
                )
                #expect(kills >= Self.kills ?? 1 && cuts >= Self.cuts ?? 0)
                server.isHonest.set()
                try await run.resolve(unknown)
                try await run.checkAllArrived(Self.plan, resolved: unknown)
                #expect(
                    server.ledger.violations.isEmpty,
                    "seed \(SeededRandom.seed): \(server.ledger.violations.prefix(20).joined(separator: "\n"))"
                )
            }
        }
    }
}
