import Ferry
import FerryFrontend

/// The hosts without a route now, so that one line reports each host. The few transfers that discovered it report
/// that they wait; those behind them stay queued.
struct HostsAway: Sendable {
    private var told: Set<String> = []

    /// Notes an announcement.
    ///
    /// - Parameter others: whether there may be other transfers than those announced.
    /// - Returns: a line about a host without a route that was not reported yet.
    mutating func note(_ announcement: Announcement, others: Bool) -> String? {
        switch announcement.transfer.state {
        case .waiting(.network):
            let host = announcement.transfer.work.url.host
            guard others, announcement.transfer.lacksNetwork, told.insert(host).inserted else { return nil }
            return
                "The network is down: transfers for \(TerminalText.safe(host)) wait for a route."
        case .active where announcement.progress.received > 0, .completed:
            if !told.isEmpty { told.remove(announcement.transfer.work.url.host) }
            return nil
        default: return nil
        }
    }
}
