import Ferry

/// What is found out about transfers that have just ended, for the sake of whoever looks on.
extension ForegroundRun {
    /// The announcement with the transfer that has the name which this one did not get, where there is one: nobody should
    /// move its part file aside.
    func naming(_ announcement: Announcement, by holders: inout NameHolders) async -> Announcement {
        var named = announcement
        guard case .state = announcement.news, case .failed(let failure) = announcement.transfer.state,
            [.destinationExists, .partFileLost].contains(failure.code),
            let path = announcement.transfer.finalPath
        else { return named }
        do {
            let holder = try await holders.holder(of: path, at: SystemTime.steady) { [engine] in
                try await NameHolders.read(engine)
            }
            guard let holder, holder != announcement.transfer.id else { return named }
            // It may have ended, or been given up, since it was read.
            let rival = try await engine.snapshot(of: holder)
            if rival.hasName(path) { named.rival = rival }
        } catch {
            // Only a number is missing from a line; the store's failure ends the run elsewhere.
            return named
        }
        return named
    }
}
