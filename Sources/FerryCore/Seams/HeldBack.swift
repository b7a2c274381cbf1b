/// The transfers that an owner does not claim at the moment, although they could run.
///
/// They stay in line, where another owner may claim them. A literal names the hosts.
package struct HeldBack: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// The hosts that it cannot reach. A transfer that would ask one of them first is held back.
    package var hosts: Set<String>
    /// Whether its application is in the background. Transfers that run only in the foreground are held back then
    /// (``DownloadOptions/runsInBackground``).
    package var isInBackground: Bool

    package init(hosts: Set<String> = [], isInBackground: Bool = false) {
        self.hosts = hosts
        self.isInBackground = isInBackground
    }

    package init(arrayLiteral hosts: String...) { self.init(hosts: Set(hosts)) }

    /// Whether a transfer is held back whatever its host.
    package func holds(_ transfer: Transfer) -> Bool { isInBackground && !transfer.runsInBackground }
}
