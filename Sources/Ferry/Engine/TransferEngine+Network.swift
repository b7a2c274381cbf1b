public import FerryCore

/// The network, as this machine knows it.
extension TransferEngine {
    /// Whether a usable route leads beyond this machine now; `nil` if that is unknown.
    ///
    /// For the route to one host, see ``reachability(of:options:)``, which is what a transfer asks.
    public func isNetworkAvailable() async -> Bool? {
        await seams.network.isOnline()
    }

    /// How this machine would now reach the server of a URL, or its proxy. Nothing is sent to find out, but the host
    /// name may be looked up.
    public func reachability(
        of url: HTTPURL,
        options: DownloadOptions = DownloadOptions()
    ) async -> Reachability {
        await seams.network.reachability(of: options.exchange.firstHost(for: url))
    }

    /// Yields an element whenever links, addresses or routes of this machine may have changed, or it was suspended.
    /// Ends at once if changes cannot be observed, and otherwise when the engine is closed.
    public func networkChanges() -> AsyncStream<NetworkChange> {
        seams.network.changes()
    }

    /// Replaces every connection, at once and without counting an attempt. Call this when your program knows that the
    /// present connections are dead. A request that must not be repeated keeps its connection and waits for its answer.
    ///
    /// Not needed for changes that the network monitor notices by itself.
    public func restartConnections() {
        scheduler.network.cutAll()
    }
}
