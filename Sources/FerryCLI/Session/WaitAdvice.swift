import Ferry
import FerryFrontend

/// Advice for a person who waits for the network, or for a server that refuses connections. Each is given once in a run, whatever
/// the number of servers and transfers.
struct WaitAdvice: Sendable {
    private var isGivenOfNetwork = false
    private var isGivenOfRefusal = false

    /// A server that only restarts often listens again after the first pause.
    private static let leastAttempts = 2
    /// With fewer attempts left, the wait is short.
    private static let leastLeft = 5

    /// Notes an announcement.
    ///
    /// - Parameter command: the running command, if its line asked for the transfer; `nil` otherwise, as for `ferry resume`.
    /// - Returns: what Ferry does and how to end it, if it is time to say so.
    mutating func note(_ announcement: Announcement, command: RepeatedCommand?) -> String? {
        guard case .state = announcement.news else { return nil }
        let transfer = announcement.transfer
        switch transfer.state {
        case .waiting(.network): return ofNetwork(transfer)
        case .waiting(.retry): return ofRefusal(transfer, command)
        default: return nil
        }
    }

    private mutating func ofNetwork(_ transfer: Transfer) -> String? {
        guard !isGivenOfNetwork, transfer.lacksNetwork else { return nil }
        isGivenOfNetwork = true
        return "Check whether this machine is online. Ferry resumes by itself when there is a route again, "
            + "and nothing is lost meanwhile. Ctrl-C stops it\(Self.kept(transfer))."
    }

    private mutating func ofRefusal(_ transfer: Transfer, _ command: RepeatedCommand?) -> String? {
        guard !isGivenOfRefusal, let failure = transfer.latestFailure, failure.code == .connectionRefused
        else { return nil }
        let policy = transfer.retryPolicy
        guard transfer.attempts >= Self.leastAttempts, policy.attempts - transfer.attempts >= Self.leastLeft
        else { return nil }
        isGivenOfRefusal = true
        let isShared = transfer.wording.isResumedByRepeating
        let options = transfer.kind.limits(of: transfer.id, command, isSharedByLine: isShared)
        let longest = policy.ceiling.components.seconds / 60
        return
            "\(TerminalText.safe(failure.message)) No server seems to listen there. Ferry tries up to \(policy.attempts) "
            + "times, with pauses of up to \(longest) minutes. Ctrl-C stops it\(Self.kept(transfer)); "
            + "\(options) ends it sooner."
    }

    private static func kept(_ transfer: Transfer) -> String {
        transfer.work.isInterruptible ? " and keeps the transfer" : ""
    }
}
