import Foundation
import Testing

/// Simulates power cuts at every moment of real runs. A model of a disk computes what each cut leaves.
@Suite(
    "Power loss",
    .limitedParallelism,
    .enabled(if: Tool.canTrace, "strace cannot trace here"),
    .enabled(if: Tool.canChangeBoot, "the boot ID cannot be changed here: this needs root"),
    .enabled(
        if: Sanitizer.inUse != .thread,
        "the thread sanitizer makes files that the trace cannot distinguish from ferry's"
    )
)
struct PowerLossTests {
    /// Number of replays over all flows, set by scripts/power-loss. `nil` in the suite, which replays a few of each flow.
    static let asked = ProcessInfo.processInfo.environment["FERRY_POWER_LOSS_REPLAYS"].flatMap { Int($0) }
    /// All flows, or those whose names contain the text of an environment variable.
    static let flows: [Flow] = {
        let all = Flow.all + Flow.sending + Flow.uploading + Flow.keeping + (asked == nil ? [] : Flow.long)
        let text = ProcessInfo.processInfo.environment["FERRY_POWER_LOSS_FLOW"] ?? ""
        return text.isEmpty ? all : all.filter { $0.name.contains(text) }
    }()

    @Test(
        "after any power cut, nothing acknowledged is lost and nothing wrong is published",
        arguments: flows
    )
    func recoversFromPowerLoss(_ flow: Flow) async throws {
        let count =
            Self.asked.map { ($0 + Self.flows.count - 1) / Self.flows.count } ?? Survival.allCases.count
        let search = PowerLossSearch(flow: flow, count: count, seed: SeededRandom.seed)
        let tally = try await search.run()
        print(
            "power loss: \(flow.name): \(tally.operations) operations, \(tally.cuts) cut points,"
                + " \(tally.replays) replays (\(tally.repeats) drawn twice), \(tally.resumed) resumed,"
                + " \(tally.complete) complete, \(tally.failures.count) violations (seed \(search.seed))"
        )
        #expect(tally.failures.isEmpty, "\(tally.failures.prefix(5).joined(separator: "\n"))")
        #expect(tally.replays > 0)
    }
}
