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
