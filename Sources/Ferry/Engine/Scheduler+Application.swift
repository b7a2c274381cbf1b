import FerryCore

/// While the application is in the background.
extension Scheduler {
    /// Asks running attempts to end, so that nothing is under way when the process is stopped.
    func letGo(of runners: [(TransferID, DownloadRunner)]) {
        // What was written to a stream is with a reader who does not come back to another process.
        let others = runners.map(\.1).filter { !$0.transfer.isStream }
        for runner in others { runner.ask(.release) }
        if others.isEmpty { gate.becameQuiet() }
    }
}
