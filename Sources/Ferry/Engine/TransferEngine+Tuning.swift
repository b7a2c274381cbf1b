/// What can be changed while an engine runs, and how to see that it does run.
extension TransferEngine {
    /// Changes how many transfers run at once. Those that run already go on, even when there are more of them.
    public func setSlots(_ count: Int) {
        precondition(count > 0, "an engine has at least one slot")
        scheduler.setSlots(count)
    }

    /// Changes how many connections may be open to one server at once, over all transfers. Connections that are open
    /// already stay, even when there are more of them. `nil` is as in ``EngineConfiguration/connectionsPerHost``.
    public func setConnectionsPerHost(_ count: Int?) {
        precondition(count ?? 1 > 0, "a server may be asked over at least one connection")
        scheduler.setConnectionsPerHost(count)
    }

    /// Waits until the engine has looked at everything once more.
    ///
    /// A watchdog that asks this now and then finds out whether the engine is stuck: it is not answered then. Before
    /// ``run()`` the call waits for the first look.
    ///
    /// - Returns: whether the engine did; `false` when it does not run any more, or the task is cancelled.
    public func isResponsive() async -> Bool {
        await scheduler.isResponsive()
    }
}
