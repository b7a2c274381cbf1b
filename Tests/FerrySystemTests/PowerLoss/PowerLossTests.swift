import Foundation
import Testing

/// Cuts the power at every moment of real runs, as far as a model of a disk can tell what is left then.
@Suite(
    "Power loss",
    .limitedParallelism,
    .enabled(if: Tool.canTrace, "strace cannot trace here"),
    .enabled(if: Tool.canChangeBoot, "the boot's number cannot be changed here: that takes root"),
    .enabled(
        if: Sanitizer.inUse != .thread,
        "the thread sanitizer makes files of its own, which the trace cannot tell from ferry's"
    )
)
struct PowerLossTests {
    /// How many replays for each flow: a sample in the suite, and as many as somebody has time for with
    /// scripts/power-loss.
    static let asked = ProcessInfo.processInfo.environment["FERRY_POWER_LOSS_REPLAYS"].flatMap { Int($0) }
    static let flows = asked == nil ? Flow.all : Flow.all + Flow.long

    @Test(
        "whatever a power cut leaves, nothing acknowledged is lost and nothing wrong is published",
        arguments: flows
    )
    func recoversFromPowerLoss(_ flow: Flow) async throws {
        let count = Self.asked.map { ($0 + Self.flows.count - 1) / Self.flows.count } ?? 14
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
