/// The transfers that an owner does not claim at the moment, although they could run.
///
/// They stay in line, where another owner may claim them.
package struct HeldBack: Hashable, Sendable {
    /// Holds no transfer back.
    package static let nothing = HeldBack()

    /// The hosts that it cannot reach. A transfer that would ask one of them first is held back.
    package var hosts: Set<String>
    /// Whether its application is in the background. Transfers that run only in the foreground are held back then
    /// (``DownloadOptions/runsInBackground``).
    package var isInBackground: Bool

    package init(hosts: Set<String> = [], isInBackground: Bool = false) {
        self.hosts = hosts
        self.isInBackground = isInBackground
    }

    /// Whether a transfer is held back because its application is in the background, whatever its host.
    package func holdsInBackground(_ transfer: Transfer) -> Bool {
        isInBackground && !transfer.runsInBackground
    }
}
