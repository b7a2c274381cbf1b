import Foundation
import Testing

/// Kills the real binary right before or right after each system call that changes a file, a name or the store.
@Suite(
    "Crash points",
    .limitedParallelism,
    .enabled(if: FaultInjection.isAllowed, "processes cannot be traced here"),
    .enabled(if: Tool.python.isInstalled, "python3 is not installed")
)
struct CrashPointTests {
    /// How many times each flow is killed: a few times in the suite, and at all points with scripts/crash --points.
    static let sampleSize = SampleSize(variable: "FERRY_CRASH_POINTS", otherwise: 2)

    @Test(
        "a kill at any system call does no harm, and the next command completes the work",
        arguments: CrashFlow.chosen
    )
    func killedAtSystemCalls(_ flow: CrashFlow) async throws {
        let healthy = try await flow.run(at: nil)
        #expect(healthy.wrong.isEmpty, "without a fault:  \(healthy.wrong.joined(separator: "\n"))")
        try #require(healthy.calls > 3, "\(flow.name) makes almost no changes")
        var tried = 0
        var kills = 0
        var wrong: [String] = []
        for (point, fault) in Self.faults(calls: healthy.calls) where !Self.sampleSize.isReached(by: kills) {
            let result = try await flow.run(at: point, fault)
            tried += 1
            kills += result.faultedCall == nil ? 0 : 1
            wrong += result.wrong
            // Two runs may make a different number of calls. But a call that was made must have met its fault.
            #expect(
                result.faultedCall != nil || result.calls < point,
                "\(flow.name) made \(result.calls) calls and was not killed at call \(point)"
            )
        }
        print(
            "crash points: \(flow.name): \(healthy.calls) calls, \(tried) runs, \(kills) kills,"
                + " \(wrong.count) violations (seed \(SeededRandom.seed))"
        )
        #expect(wrong.isEmpty, "seed \(SeededRandom.seed):\n\(wrong.joined(separator: "\n"))")
        #expect(kills > 0)
    }

    /// All points, and a few more because another run may make more calls. For a sample they are in random order: one that its
    /// run does not reach does not count.
    static func faults(calls: Int) -> [(point: Int, fault: FaultInjection.Fault)] {
        sampleSize.order(of: (1...(calls + 4)).flatMap { [($0, .killBefore), ($0, .killAfter)] })
    }
}
