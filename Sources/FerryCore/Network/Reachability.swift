/// Whether packets to a host can leave this machine.
///
/// It says nothing of what lies beyond the first link: a host that is switched off may have a route.
public enum Reachability: Hashable, Sendable {
    /// It cannot be told: nobody watches the network, or the host's name does not resolve although there is a way
    /// out. Whatever is tried then is tried as if there were a route.
    case unknown
    /// No link that works leads to it.
    case noRoute
    /// These routes lead to the addresses that the host has; never empty.
    case routes([NetworkRoute])
}
