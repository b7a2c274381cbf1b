/// Changes to a running engine, and a check that it still works.
extension TransferEngine {
    /// Changes how many transfers may run at once. Running transfers continue, even if there are more of them.
    ///
    /// - Parameter count: at least 1; a smaller number is a mistake that stops the program.
    public func setSlots(_ count: Int) {
        precondition(count > 0, "an engine has at least one slot")
        scheduler.setSlots(count)
    }

    /// Changes how many connections may be open to one server at once, over all transfers. Open connections stay,
    /// even if there are more of them.
    ///
    /// - Parameter count: at least 1; a smaller number is a mistake that stops the program. For `nil` see
    ///   ``EngineConfiguration/connectionsPerHost``.
    public func setConnectionsPerHost(_ count: Int?) {
        precondition(count ?? 1 > 0, "a server may be asked over at least one connection")
        scheduler.setConnectionsPerHost(count)
    }

    /// Waits until the engine has completed one more pass over everything.
    ///
    /// A watchdog calls this now and then: a stuck engine does not answer. Before ``run()`` the call waits for the
    /// first pass.
    ///
    /// - Returns: whether the engine did; `false` when it no longer runs, or the task is cancelled.
    public func isResponsive() async -> Bool {
        await scheduler.isResponsive()
    }
}
