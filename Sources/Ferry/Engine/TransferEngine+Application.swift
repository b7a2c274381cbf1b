/// An application that goes to the background, and comes back.
extension TransferEngine {
    /// The application has gone to the background. Returns when what is to be checkpointed has been.
    ///
    /// With ``BackgroundPolicy/stop``, what runs is checkpointed and let go: those who look on from this engine see it
    /// wait for the application, and another process may go on with it. Only a transfer to a stream, which nobody else
    /// could go on with, keeps running. No attempt is counted for what is stopped.
    ///
    /// It holds until ``applicationWillEnterForeground()``, in this engine, and is recorded nowhere.
    public func applicationDidEnterBackground(_ policy: BackgroundPolicy) async {
        scheduler.gate.close(policy)
        await scheduler.gate.quiet { scheduler.signal([.application, .observed]) }
    }

    /// Runs `body` while the engine is not writing to its store: a process that stops itself in there has no lock for
    /// which all others would have to wait.
    package func betweenWrites(_ body: @escaping @Sendable () -> Void) async {
        await seams.store.betweenWrites(body)
    }

    /// The application is active again: what waited for it goes on at once, over new connections.
    public func applicationWillEnterForeground() {
        let policy = scheduler.gate.open()
        // A process that stood still has connections that were given up at the other end.
        if policy == .stop { restartConnections() }
        scheduler.signal([.application, .observed, .storeChanged])
    }
}
