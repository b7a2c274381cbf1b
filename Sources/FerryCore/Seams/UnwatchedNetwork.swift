/// A network without a monitor, for a machine that reports no changes: failures are retried at intervals, as for a
/// server that is away.
public struct UnwatchedNetwork: NetworkMonitor {
    /// Creates a network without a monitor.
    public init() {}

    /// No changes.
    public func changes() -> AsyncStream<NetworkChange> { AsyncStream { $0.finish() } }

    /// Unknown.
    public func reachability(of host: String) async -> Reachability { .unknown }

    /// Assumes that connections still use these routes.
    public func stand(_ routes: [NetworkRoute]) async -> Bool { true }

    /// Unknown.
    public func isOnline() async -> Bool? { nil }

    /// Does nothing: there is nothing to free.
    public func shutdown() async {}
}
