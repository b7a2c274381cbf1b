import FerryCore
import FerryTesting
import Foundation
import Testing

/// The real engine in a simulation with all kinds of failures. `scripts/simulate` runs many more.
@Suite("Simulation")
struct SimulationTests {
    /// What happened with each of the first seeds, in order; all tests share it.
    ///
    /// Each half has a thread of its own: on the threads that all tests share, it would hold the others up for minutes.
    private static let reports = Task {
        async let evenReports = onOwnThread { try reports(of: stride(from: 2, through: 1_000, by: 2)) }
        let odd = try await onOwnThread { try reports(of: stride(from: 1, through: 1_000, by: 2)) }
        let even = try await evenReports
        return zip(odd, even).flatMap { [$0, $1] }
    }

    private static func reports(of seeds: StrideThrough<UInt64>) throws -> [SimulationReport] {
        try seeds.map { try Simulation.run(seed: $0) }
    }

    private static func onOwnThread<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Swift.Result(catching: body)) }
        }
    }

    @Test func noPromiseIsBrokenAndEverythingEnds() async throws {
        for report in try await Self.reports.value {
            #expect(
                report.violations.isEmpty,
                "replay with: .build/debug/ferry-simulate --seed \(report.seed)"
            )
        }
    }

    @Test func theSameSeedGivesTheSameRun() async throws {
        let reports = try await Self.reports.value.prefix(25)
        let again = try await Self.onOwnThread {
            try (1...25).map { try Simulation.run(seed: $0, isTraced: true) }
        }
        for (once, again) in zip(reports, again) {
            #expect(once.digest == again.digest && once.steps == again.steps, "seed \(once.seed)")
        }
        #expect(Set(again.map(\.digest)).count == 25, "another seed is another run")
    }

    /// Requests run beside downloads, and reach each of their final states.
    @Test func callsAreLostOnBothWaysAndMostArrive() async throws {
        var calls: [String: Int] = [:]
        for report in try await Self.reports.value { calls.merge(report.calls) { $0 + $1 } }
        for what in ["added", "completed", "failed", "unknown", "cancelled", "partly-arrived"] {
            #expect(calls[what, default: 0] > 0, "\(what)")
        }
        let (departed, arrived) = (calls["departed", default: 0], calls["arrived", default: 0])
        #expect(arrived > calls["completed", default: 0] && departed > calls["added", default: 0])
        #expect(calls["acted-on", default: 0] < arrived, "a server does not act on each that arrives")
        #expect(calls["completed", default: 0] > calls["unknown", default: 0] * 4)
    }

    @Test func everyFaultOccursAndMostTransfersEndWell() async throws {
        var (faults, ends): ([SimulatedFault: Int], [TransferState.Name: Int]) = ([:], [:])
        for report in try await Self.reports.value {
            faults.merge(report.faults) { $0 + $1 }
            ends.merge(report.ends) { $0 + $1 }
        }
        for fault in SimulatedFault.allCases { #expect(faults[fault, default: 0] > 0, "\(fault)") }
        #expect(ends[.completed, default: 0] > ends[.failed, default: 0])
    }
}
