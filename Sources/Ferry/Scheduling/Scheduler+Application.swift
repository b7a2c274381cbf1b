import FerryCore

/// The scheduler while the application is in the background.
extension Scheduler {
    /// Asks running attempts to end, so that none runs when the process is stopped. Then frees the transfers that
    /// wait here.
    func letGo(of runners: [(TransferID, any AttemptRunner)], heldBy owner: OwnerID) async throws(StoreError)
    {
        // A stream's reader does not follow it to another process.
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
