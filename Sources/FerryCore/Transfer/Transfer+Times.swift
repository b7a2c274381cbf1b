/// The time window of a transfer. A store checks it whenever it writes a row, and before a claim, so that a transfer
/// outside its window is never claimed.
extension Transfer {
    /// `queued`, or a wait that has ended, → `waiting(window)`, if the transfer could run but its window is closed.
    ///
    /// - Returns: whether it now waits for its window.
    @discardableResult
    package mutating func heedWindow(at now: Instant, in local: LocalTime) -> Bool {
        guard isReady(at: now), let opens = work.terms.window.opening(after: now, in: local)
        else { return false }
        enter(.waiting(.window(opens: opens)), at: now)
        return true
    }
}

/// The deadline of a transfer.
extension Transfer {
    /// Whether its deadline has passed while no owner runs it, so that it fails.
    package func isOverdue(at now: Instant) -> Bool {
        guard let notAfter = work.terms.notAfter, notAfter <= now else { return false }
        switch state {
        case .queued, .waiting, .paused: return true
        case .active, .completed, .failed, .cancelled: return false
        }
    }

    /// `queued`, `waiting` or `paused` → `failed`, if the deadline has passed.
    ///
    /// - Returns: whether it failed.
    package mutating func heedDeadline(at now: Instant) -> Bool {
        guard isOverdue(at: now) else { return false }
        var failure = work.withRemedies(work.failureAfterDeadline)
        failure.cause = latestFailure?.cause ?? latestFailure?.code
        enter(.failed(failure), at: now)
        claim = nil
        return true
    }
}
