import ArgumentParser
import FerryCore
import FerryTesting

/// Runs simulations of the engine.
@main
struct FerrySimulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ferry-simulate",
        abstract: "Runs the engine in a simulated world in which anything can fail.",
        discussion: "Exits with 1 if a promise was broken. `scripts/simulate` runs it on every core."
    )

    @Option(help: "Replay this one seed and print what happened.")
    var seed: UInt64?

    @Option(help: "Run N seeds.")
    var seeds: UInt64 = 1000

    @Option(help: "Begin with this seed.")
    var from: UInt64 = 1

    @Option(help: "Run one of every N seeds, so that several processes can share them.")
    var stride: UInt64 = 1

    @Option(help: "Run this one of every N seeds: 0 for the first.")
    var offset: UInt64 = 0

    @Option(help: "Stop after N seeds with violations.")
    var stopAfter = 10

    func run() throws {
        if let seed { return try replay(seed) }
        var faults: [String: Int] = [:]
        var ends: [TransferState.Name: Int] = [:]
        var calls: [String: Int] = [:]
        var (count, steps, failures) = (0, 0, 0)
        for seed in Swift.stride(from: from + offset, to: from + seeds, by: Int(stride)) {
            let report = try Simulation.run(seed: seed)
            count += 1
            steps += report.steps
            for (fault, number) in report.faults { faults[fault.rawValue, default: 0] += number }
            for (end, number) in report.ends { ends[end, default: 0] += number }
            for (what, number) in report.calls { calls[what, default: 0] += number }
            guard !report.violations.isEmpty else { continue }
            failures += 1
            for violation in report.violations.prefix(3) { print("violation \(seed) \(violation)") }
            if failures >= stopAfter { break }
        }
        print("total seeds \(count)")
        print("total steps \(steps)")
        for end in ends.map({ "end \($0) \($1)" }).sorted() { print(end) }
        for (what, number) in calls.sorted(by: { $0.key < $1.key }) { print("call \(what) \(number)") }
        for fault in SimulatedFault.allCases {
            print("fault \(fault.rawValue) \(faults[fault.rawValue] ?? 0)")
        }
        if failures > 0 { throw ExitCode(1) }
    }

    private func replay(_ seed: UInt64) throws {
        let report = try Simulation.run(seed: seed, isTraced: true)
        for line in report.trace { print(line) }
        for violation in report.violations { print("violation \(seed) \(violation)") }
        print("digest \(String(report.digest, radix: 16))")
        if !report.violations.isEmpty { throw ExitCode(1) }
    }
}
