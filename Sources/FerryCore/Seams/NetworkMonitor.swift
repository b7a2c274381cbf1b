/// Knows by which routes this machine reaches hosts, and hears when they change.
///
/// What counts is a usable route for that very host: a server on this machine or on the same link is reached without
/// any way to the rest of the world. Nothing is ever sent to find out.
public protocol NetworkMonitor: Sendable {
    /// What changes from now on; several changes that nobody has looked at yet may come as one.
    ///
    /// It ends at once where changes cannot be heard of, and otherwise with ``shutdown()``.
    func changes() -> AsyncStream<NetworkChange>

    /// How this machine would reach a host, by name or by address (an IPv6 address has no brackets), at this moment.
    ///
    /// A name is resolved for it, for as long as that takes no more than about a second. One that cannot be resolved
    /// is ``Reachability/noRoute`` when there is no way out of this machine by which somebody could be asked.
    func reachability(of host: String) async -> Reachability

    /// Whether connections that were made over these routes still go over them: each still leads by the same link and
    /// the same router, and its source is still an address of this machine.
    func stand(_ routes: [NetworkRoute]) async -> Bool

    /// Whether there is any usable route beyond this machine; `nil` where that cannot be told.
    func isOnline() async -> Bool?

    /// Hears and answers no more, and frees what it holds.
    func shutdown() async
}
