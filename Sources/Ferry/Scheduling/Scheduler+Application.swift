import FerryCore

/// While the application is in the background.
extension Scheduler {
    /// Asks running attempts to end, so that nothing is under way when the process is stopped, and frees what only waits
    /// here.
    func letGo(of runners: [(TransferID, any AttemptRunner)], heldBy owner: OwnerID) async throws(StoreError)
    {
        // What was written to a stream is with a reader who does not come back to another process.
        let others = runners.map(\.1).filter { $0.transfer.work.isInterruptible }
        for runner in others { runner.ask(.release) }
        guard others.isEmpty else { return }
        if configuration.scope == .followed, !gate.isQuiet {
            for page in hub.unsettled.sorted().pages {
                try await seams.store.letGo(page, by: owner)
            }
        }
        gate.becameQuiet()
    }
}
