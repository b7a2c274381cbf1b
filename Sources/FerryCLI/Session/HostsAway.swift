import Ferry

/// The hosts to which there is no way at the moment, so that one line tells of each: the few transfers that found it out
/// say that they wait, and those behind them stay queued.
struct HostsAway: Sendable {
    private var told: Set<String> = []

    /// Takes note of what is new.
    ///
    /// - Parameter others: whether there may be more than those of which something is told.
    /// - Returns: the line, when a host is away of which that was not told yet.
    mutating func note(_ announcement: Announcement, others: Bool) -> String? {
        let host = announcement.transfer.work.url.host
        switch announcement.transfer.state {
        case .waiting(.network):
            guard others, told.insert(host).inserted else { return nil }
            return
                "The network is away: what is queued for \(TerminalText.safe(host)) waits until there is a way."
        case .active where announcement.progress.received > 0, .completed:
            told.remove(host)
            return nil
        default: return nil
        }
    }
}
