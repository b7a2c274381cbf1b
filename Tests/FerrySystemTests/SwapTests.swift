import Foundation
import Testing

/// Files that are replaced on the server at random moments of their downloads. The answers also break off at random
/// bytes, and half of the downloads use several connections. No file may contain bytes of two versions.
@Suite("Swaps", .limitedParallelism)
struct SwapTests {
    /// Number of downloads: a few in the suite, and more with scripts/swap.
    static let downloads =
        ProcessInfo.processInfo.environment["FERRY_SWAP_COUNT"].flatMap { Int($0) } ?? 24
    /// How many downloads run at once.
    static let lanes = 6

    @Test("a file that is replaced during its download ends as a single version")
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

    /// One download: repeats the same command until it completes. The number of breaks is limited, so this ends soon.
    private static func download(_ plan: SwapPlan, in sandbox: Sandbox) async throws -> SwapTally {
        let file = SwappedFile(plan)
        let server = try ScriptedServer(playing: { file.answer($1, on: $0) })
        defer { server.stop() }
        let name = "swap-\(plan.number).bin"
        // Every second download has its own store. The others share one, like the downloads of one user.
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

/// The results of the downloads.
struct SwapTally: Sendable {
    var downloads = 0
    /// How many used several connections at once.
    var parallel = 0
    /// For how many the server sent bytes of at least two versions.
    var swapped = 0
    /// How many did both.
    var swappedParallel = 0
    /// Downloads that ended as no single version, and downloads that did not end.
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
