/// Whether packets to a host can leave this machine.
///
/// It says nothing about what lies beyond the first link: a host that is switched off may have a route.
public enum Reachability: Hashable, Sendable {
    /// Unknown: the network has no monitor, or the host's name does not resolve although there is a route out.
    /// Attempts are made as if there were a route.
    case unknown
    /// No working link leads to it.
    case noRoute
    /// These routes lead to the host's addresses; never empty.
    case routes([NetworkRoute])
}
