public import FerryCore

/// The network, as far as this machine knows it.
extension TransferEngine {
    /// Whether any usable route leads beyond this machine at the moment; `nil` where that cannot be told.
    ///
    /// A transfer asks more exactly, for a route to its own host: see ``reachability(of:options:)``.
    public func isNetworkAvailable() async -> Bool? {
        await seams.network.isOnline()
    }

    /// How this machine would reach the server of a URL at the moment, or the proxy in between. Nothing is sent to find
    /// out, but its name may be looked up.
    public func reachability(
        of url: HTTPURL,
        options: DownloadOptions = DownloadOptions()
    ) async -> Reachability {
        await seams.network.reachability(of: options.connection(to: url).peer(for: url))
    }

    /// An element whenever links, addresses or routes of this machine may have changed, or it was suspended. Ends at
    /// once where that cannot be heard of, and otherwise when the engine is closed.
    public func networkChanges() -> AsyncStream<NetworkChange> {
        seams.network.changes()
    }

    /// Makes every connection anew, at once and without counting an attempt: for a program that knows that those which
    /// it has lead nowhere.
    ///
    /// What a monitor of the network notices by itself needs no such call.
    public func restartConnections() {
        scheduler.network.cutAll()
    }
}
