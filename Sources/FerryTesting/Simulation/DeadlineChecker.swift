import FerryCore
internal import Synchronization

/// Checks deadlines: no attempt begins after one, what has not ended then fails, and nothing fails before.
final class DeadlineChecker: Sendable {
    private let trace: SimulationTrace
    /// The latest time of day that any clock has shown. It may have been set back since.
    private let latest: Mutex<Instant>

    init(trace: SimulationTrace, now: Instant) {
        self.trace = trace
        latest = Mutex(now)
    }

    /// Records the time of day.
    func note(_ now: Instant) { latest.withLock { $0 = max($0, now) } }

    /// Whether the deadline of a transfer has passed, by any clock.
    func hasPassed(for row: Transfer) -> Bool {
        guard let notAfter = row.work.terms.notAfter else { return false }
        return notAfter <= latest.withLock { $0 }
    }

    /// Checks a transfer of which an attempt begins.
    func begins(_ transfer: Transfer, at now: Instant) {
        guard let notAfter = transfer.work.terms.notAfter, notAfter <= now else { return }
        trace.complain(
            "deadlines: an attempt at \(transfer.id) begins \(notAfter.duration(to: now)) too late"
        )
    }

    /// Checks a transfer that someone has queued again.
    func queued(_ transfer: Transfer, at now: Instant) {
        guard transfer.state != .active else { return }
        begins(transfer, at: now)
    }

    /// Checks a transfer that has failed because of its deadline.
    func checkFailure(of transfer: Transfer) {
        trace.count(.deadlinePassed, transfer.id.rawValue)
        if !hasPassed(for: transfer) { trace.complain("deadlines: \(transfer.id) fails before its deadline") }
    }

    /// Whether a transfer still has to fail, whatever it waits for.
    func isOverdue(_ row: Transfer, at now: Instant) -> Bool {
        guard let notAfter = row.work.terms.notAfter, notAfter <= now else { return false }
        switch row.state {
        case .queued, .waiting, .paused: return true
        case .active, .completed, .failed, .cancelled: return false
        }
    }
}
