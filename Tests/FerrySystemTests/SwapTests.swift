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
            var tally = SwapTally()
            try await withThrowingTaskGroup(of: SwapTally.self) { group in
                var waiting = plans[...]
                for _ in 0..<Self.lanes {
                    if let plan = waiting.popFirst() {
                        group.addTask { try await Self.download(plan, in: sandbox) }
                    }
                }
                for try await part in group {
                    tally.add(part)
                    if let plan = waiting.popFirst() {
                        group.addTask { try await Self.download(plan, in: sandbox) }
                    }
                }
            }
            print(
                "swap: \(tally.downloads) downloads, \(tally.parallel) of them over several connections,"
                    + " \(tally.swapped) swapped in flight, \(tally.swappedParallel) of those over several,"
                    + " \(tally.mixed.count) mixed (seed \(SeededRandom.seed))"
            )
            #expect(
                tally.mixed.isEmpty,
                "seed \(SeededRandom.seed): \(tally.mixed.joined(separator: "\n"))"
            )
            #expect(
                tally.unfinished.isEmpty,
                "seed \(SeededRandom.seed): \(tally.unfinished.joined(separator: "\n"))"
            )
            #expect(tally.swapped > 0 && tally.swappedParallel > 0)
        }
    }

    /// One download: the same line again and again until it is done, which it is soon, as the server has only so many
    /// cuts in store.
    private static func download(_ plan: SwapPlan, in sandbox: Sandbox) async throws -> SwapTally {
        let file = SwappedFile(plan)
        let server = try ScriptedServer(playing: { file.answer($1, on: $0) })
        defer { server.stop() }
        let name = "swap-\(plan.number).bin"
        // A store of its own for every second one; the others share theirs, as a user's downloads do.
        let environment =
            plan.number.isMultiple(of: 2) ? ["FERRY_DATA_DIR": "\(sandbox.root)/data-\(plan.number)"] : [:]
        let line = ["get", "-q", "--retries", plan.retries] + plan.options + [server.url(name)]
        var tally = SwapTally()
        tally.downloads = 1
        var last: Outcome?
        for _ in 0...SwapPlan.mostCuts + 4 where last?.status != 0 {
            last = try await sandbox.launch(line, environment: environment).outcome()
            let path = sandbox.path(of: name)
            guard FileManager.default.fileExists(atPath: path) else { continue }
            if !plan.versions.contains(where: { $0.content.isWhole(at: path) }) {
                tally.mixed.append("\(plan): status \(last?.status ?? -1)")
                return tally
            }
        }
        if file.wasParallel { tally.parallel = 1 }
        if file.sentVersions.count > 1 {
            tally.swapped = 1
            tally.swappedParallel = tally.parallel
        }
        if last?.status != 0 {
            tally.unfinished.append("\(plan): status \(last?.status ?? -1), \(last?.errors ?? "")")
        } else {
            try FileManager.default.removeItem(atPath: sandbox.path(of: name))
        }
        return tally
    }
}

/// What the downloads came to.
struct SwapTally: Sendable {
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

    mutating func add(_ other: SwapTally) {
        downloads += other.downloads
        parallel += other.parallel
        swapped += other.swapped
        swappedParallel += other.swappedParallel
        mixed += other.mixed
        unfinished += other.unfinished
    }
}
