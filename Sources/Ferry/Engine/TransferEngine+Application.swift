/// An application that goes to the background and returns.
extension TransferEngine {
    /// Notes that the application went to the background. Returns when every transfer that must be checkpointed has
    /// been.
    ///
    /// With ``BackgroundPolicy/stop``, running transfers are checkpointed and released. Observers of this engine see
    /// them wait for the application, and another process may resume them. A transfer to a stream keeps running,
    /// because no other process could resume it. No attempt is counted for a transfer that is stopped.
    ///
    /// Under the other policies this concerns only transfers that run in the foreground only
    /// (``DownloadOptions/runsInBackground``). Such a transfer also does not start until the application is active again.
    ///
    /// The policy holds until ``applicationWillEnterForeground()``, in this engine, and is not recorded.
    public func applicationDidEnterBackground(_ policy: BackgroundPolicy) async {
        scheduler.gate.close(policy)
        scheduler.fetches.look()
        await scheduler.gate.quiet { scheduler.signal([.application, .observed]) }
    }

    /// Runs `body` while the engine does not write to its store. A process that stops itself in `body` holds no lock
    /// for which other processes would have to wait.
    package func betweenWrites(_ body: @escaping @Sendable () -> Void) async {
        await seams.betweenWrites(body)
    }

    /// Notes that the application is active again. Transfers that waited for it resume at once, over new connections.
    public func applicationWillEnterForeground() {
        let policy = scheduler.gate.open()
        // While the process stood still, the servers may have closed its connections.
        if policy == .stop { restartConnections() }
        scheduler.signal([.application, .observed, .storeChanged])
        scheduler.fetches.look()
    }
}
