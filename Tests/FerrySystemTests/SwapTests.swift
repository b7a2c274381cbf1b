import Foundation
import Testing

/// Files that are replaced on the server at random moments of their downloads, which are cut off at random places as
/// well; half of them are large and slow enough for several connections. No file may ever be made of two versions.
@Suite("Swaps", .limitedParallelism)
struct SwapTests {
    /// How many downloads: a few in the suite, and as many as somebody has time for with scripts/swap.
    static let downloads =
        ProcessInfo.processInfo.environment["FERRY_SWAP_COUNT"].flatMap { Int($0) } ?? 24
    /// How many at once.
    static let lanes = 6

    @Test("a file that is replaced in flight comes out as one version or another, never as both")
    func replacedInFlight() async throws {
        try await Sandbox.open { sandbox in
            var random = SeededRandom(seed: SeededRandom.seed)
            let plans = (0..<Self.downloads).map { SwapPlan(number: $0, seed: random.next()) }
            var ledger = SwapLedger()
            try await withThrowingTaskGroup(of: SwapLedger.self) { group in
                var waiting = plans[...]
                for _ in 0..<Self.lanes {
                    if let plan = waiting.popFirst() {
                        group.addTask { try await Self.download(plan, in: sandbox) }
                    }
                }
                for try await part in group {
                    ledger.add(part)
                    if let plan = waiting.popFirst() {
                        group.addTask { try await Self.download(plan, in: sandbox) }
                    }
                }
            }
            print(
                "swap: \(ledger.downloads) downloads, \(ledger.parallel) of them over several connections,"
                    + " \(ledger.swapped) swapped in flight, \(ledger.swappedParallel) of those over several,"
                    + " \(ledger.mixed.count) mixed (seed \(SeededRandom.seed))"
            )
            #expect(
                ledger.mixed.isEmpty,
                "seed \(SeededRandom.seed): \(ledger.mixed.joined(separator: "\n"))"
            )
            #expect(
                ledger.unfinished.isEmpty,
                "seed \(SeededRandom.seed): \(ledger.unfinished.joined(separator: "\n"))"
            )
            #expect(ledger.swapped > 0 && ledger.swappedParallel > 0)
        }
    }

    /// One download: the same line again and again until it is done, which it is soon, as the server has only so many
    /// cuts in store.
    private static func download(_ plan: SwapPlan, in sandbox: Sandbox) async throws -> SwapLedger {
        let file = SwappedFile(plan)
        let server = try ScriptedServer(playing: { file.answer($1, on: $0) })
        defer { server.stop() }
        let name = "swap-\(plan.number).bin"
        // A store of its own for every second one; the others share theirs, as a user's downloads do.
        let environment =
            plan.number.isMultiple(of: 2) ? ["FERRY_DATA_DIR": "\(sandbox.root)/data-\(plan.number)"] : [:]
        let line = ["get", "-q", "--retries", plan.retries] + plan.options + [server.url(name)]
        var ledger = SwapLedger()
        ledger.downloads = 1
        var last: Outcome?
        for _ in 0...SwapPlan.mostCuts + 4 where last?.status != 0 {
            last = try await sandbox.launch(line, environment: environment).outcome()
            let path = sandbox.path(of: name)
            guard FileManager.default.fileExists(atPath: path) else { continue }
            if !plan.versions.contains(where: { $0.content.isWhole(at: path) }) {
                ledger.mixed.append("\(plan): status \(last?.status ?? -1)")
                return ledger
            }
        }
        if file.wasParallel { ledger.parallel = 1 }
        if file.sentVersions.count > 1 {
            ledger.swapped = 1
            ledger.swappedParallel = ledger.parallel
        }
        if last?.status != 0 {
            ledger.unfinished.append("\(plan): status \(last?.status ?? -1), \(last?.errors ?? "")")
        } else {
            try FileManager.default.removeItem(atPath: sandbox.path(of: name))
        }
        return ledger
    }
}

/// What the downloads came to.
struct SwapLedger: Sendable {
    var downloads = 0
    /// How many were brought by several connections at once.
    var parallel = 0
    /// Of how many the server sent bytes of two versions or more.
    var swapped = 0
    /// How many are both.
    var swappedParallel = 0
    /// Those that came out as no version, and those that did not come to an end.
    var mixed: [String] = []
    var unfinished: [String] = []

    mutating func add(_ other: SwapLedger) {
        downloads += other.downloads
        parallel += other.parallel
        swapped += other.swapped
        swappedParallel += other.swappedParallel
        mixed += other.mixed
        unfinished += other.unfinished
    }
}
