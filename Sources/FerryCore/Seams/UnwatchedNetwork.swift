/// A network that nobody watches, because this machine does not tell of changes: whatever fails is tried again at
/// intervals, as with a server that is away.
public struct UnwatchedNetwork: NetworkMonitor {
    /// Creates it.
    public init() {}

    /// No changes.
    public func changes() -> AsyncStream<NetworkChange> { AsyncStream { $0.finish() } }

    /// Unknown.
    public func reachability(of host: String) async -> Reachability { .unknown }

    /// As far as anybody knows, they do.
    public func stand(_ routes: [NetworkRoute]) async -> Bool { true }

    /// Nobody knows.
    public func isOnline() async -> Bool? { nil }

    /// There is nothing to free.
    public func shutdown() async {}
}
