import Ferry
import FerryFrontend

/// Advice for a person who waits for a server that refuses connections. It is given once in a run, whatever the number of
/// servers and transfers.
struct RefusalAdvice: Sendable {
    private var isGiven = false

    /// A server that only restarts often listens again after the first pause.
    private static let leastAttempts = 2
    /// With fewer attempts left, the wait is short.
    private static let leastLeft = 5

    /// Notes an announcement.
    ///
    /// - Parameter command: the running command, if its line asked for the transfer; `nil` otherwise, as for `ferry resume`.
    /// - Returns: what Ferry does and how to end it, if it is time to say so.
    mutating func note(_ announcement: Announcement, command: RepeatedCommand?) -> String? {
        let transfer = announcement.transfer
        guard !isGiven, case .state = announcement.news, case .waiting(.retry) = transfer.state,
            let failure = transfer.latestFailure, failure.code == .connectionRefused
        else { return nil }
        let limit = transfer.retryPolicy.attempts
        guard transfer.attempts >= Self.leastAttempts, limit - transfer.attempts >= Self.leastLeft else {
            return nil
        }
        isGiven = true
        let kept = transfer.work.isInterruptible ? " and keeps the transfer" : ""
        return
            "\(TerminalText.safe(failure.message)) No server seems to listen there. Ferry tries up to \(limit) times, "
            + "with pauses of up to 5 minutes. Ctrl-C stops it\(kept); "
            + "\(transfer.kind.limits(of: transfer.id, command)) ends it sooner."
    }
}
