import FerryCore
internal import Synchronization

/// The events of a simulation: a digest of all, and the lines themselves on request.
final class SimulationTrace: Sendable {
    private struct State {
        var digest: UInt64 = 0xcbf2_9ce4_8422_2325
        var lines: [String] = []
        var faults: [SimulatedFault: Int] = [:]
        var violations: [String] = []

        mutating func mix(_ value: UInt64) {
            digest = (digest ^ value) &* 0x0000_0100_0000_01b3
            digest ^= digest >> 29
        }
    }

    private let state = Mutex(State())
    private let isKept: Bool
    private let clock: ManualClock
    private let latestStep = Mutex(0)

    init(isKept: Bool, clock: ManualClock) {
        self.isKept = isKept
        self.clock = clock
    }

    var step: Int {
        get { latestStep.withLock { $0 } }
        set { latestStep.withLock { $0 = newValue } }
    }

    /// Notes an event. The numbers count in the digest; the detail is for people.
    func note(
        _ what: StaticString,
        _ first: Int64 = 0,
        _ second: Int64 = 0,
        _ detail: @autoclosure () -> String = ""
    ) {
        let step = step
        let line = isKept ? "\(step) \(clock.elapsed) \(what) \(first) \(second) \(detail())" : nil
        state.withLock { state in
            what.withUTF8Buffer { for byte in $0 { state.mix(UInt64(byte)) } }
            state.mix(UInt64(bitPattern: first))
            state.mix(UInt64(bitPattern: second))
            state.mix(UInt64(truncatingIfNeeded: step))
            if let line { state.lines.append(line) }
        }
    }

    /// Counts and notes a fault.
    func count(_ fault: SimulatedFault, _ number: Int64 = 0, _ detail: @autoclosure () -> String = "") {
        state.withLock { $0.faults[fault, default: 0] += 1 }
        note("fault", number, 0, "\(fault.rawValue) \(detail())")
    }

    /// Notes a violation.
    func complain(_ text: String) {
        note("VIOLATION", 0, 0, text)
        let step = step
        state.withLock { $0.violations.append("\(text) (step \(step))") }
    }

    var hasViolation: Bool { state.withLock { !$0.violations.isEmpty } }

    func report(seed: UInt64) -> SimulationReport {
        let steps = step
        return state.withLock { state in
            var report = SimulationReport(seed: seed, steps: steps, digest: state.digest)
            report.faults = state.faults
            report.violations = state.violations
            report.trace = state.lines
            return report
        }
    }
}
