import FerryCore
import FerryTesting
import Synchronization
import Testing

/// The real engine in a simulation with all kinds of failures. `scripts/simulate` runs many more.
@Suite("Simulation")
struct SimulationTests {
    /// The number of seeds that each of the parallel parts runs.
    static let share: UInt64 = 125

    @Test(arguments: 0..<8 as Range<UInt64>)
    func noPromiseIsBrokenAndEverythingEnds(_ part: UInt64) throws {
        for seed in (part * Self.share + 1)...((part + 1) * Self.share) {
            let report = try Simulation.run(seed: seed)
            #expect(report.violations.isEmpty, "replay with: .build/debug/ferry-simulate --seed \(seed)")
        }
    }

    @Test func theSameSeedGivesTheSameRun() throws {
        var digests: Set<UInt64> = []
        for seed in UInt64(1)...25 {
            let (once, again) = (
                try Simulation.run(seed: seed), try Simulation.run(seed: seed, isTraced: true)
            )
            #expect(once.digest == again.digest && once.steps == again.steps, "seed \(seed)")
            digests.insert(once.digest)
        }
        #expect(digests.count == 25, "another seed is another run")
    }

    /// Requests run beside downloads, and reach each of their final states.
    @Test func callsAreLostOnBothWaysAndMostArrive() throws {
        var calls: [String: Int] = [:]
        for seed in UInt64(1)...300 { calls.merge(try Simulation.run(seed: seed).calls) { $0 + $1 } }
        for what in ["added", "completed", "failed", "unknown", "cancelled", "partly-arrived"] {
            #expect(calls[what, default: 0] > 0, "\(what)")
        }
        let (departed, arrived) = (calls["departed", default: 0], calls["arrived", default: 0])
        #expect(arrived > calls["completed", default: 0] && departed > calls["added", default: 0])
        #expect(calls["acted-on", default: 0] < arrived, "a server does not act on each that arrives")
        #expect(calls["completed", default: 0] > calls["unknown", default: 0] * 4)
    }

    @Test func everyFaultOccursAndMostTransfersEndWell() throws {
        var (faults, ends): (Set<SimulatedFault>, [TransferState.Name: Int]) = ([], [:])
        let all = Set(SimulatedFault.allCases)
        // Some are rare. The seeds that draw them differ from build to build.
        for seed in UInt64(1)...2_000 where seed <= 300 || faults != all {
            let report = try Simulation.run(seed: seed)
            faults.formUnion(report.faults.keys)
            ends.merge(report.ends) { $0 + $1 }
        }
        #expect(faults == all)
        #expect(ends[.completed, default: 0] > ends[.failed, default: 0])
    }
}
