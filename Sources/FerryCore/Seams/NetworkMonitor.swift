/// Knows the routes by which this machine reaches hosts, and reports when they change.
///
/// What counts is a usable route to the given host. A server on this machine or on the same link needs no route to
/// the rest of the world. The monitor never sends anything to find out.
public protocol NetworkMonitor: Sendable {
    /// The changes from now on; several unread changes may arrive as one.
    ///
    /// The stream ends at once if changes cannot be watched, and otherwise at ``shutdown()``.
    func changes() -> AsyncStream<NetworkChange>

    /// How this machine would reach a host now, by name or by address (an IPv6 address has no brackets).
    ///
    /// A name is resolved for this, for about one second at most. A name that cannot be resolved is
    /// ``Reachability/noRoute`` if this machine has no route over which to ask for it.
    func reachability(of host: String) async -> Reachability

    /// Whether connections made over these routes still use them: each route has the same link and the same router,
    /// and its source is still an address of this machine.
    func stand(_ routes: [NetworkRoute]) async -> Bool

    /// Whether there is a usable route beyond this machine; `nil` if that is unknown.
    func isOnline() async -> Bool?

    /// Stops watching and frees its resources.
    func shutdown() async
}
