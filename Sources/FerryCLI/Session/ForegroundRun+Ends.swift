import Ferry
import FerryFrontend

/// Adds what an observer needs to know about ended transfers.
extension ForegroundRun {
    /// Adds the transfer that already has the name which this one asked for, if any, so that no one moves its part file
    /// aside.
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
            if let holder, holder != announcement.transfer.id {
                // It may have ended, or been cancelled, since it was read.
                let rival = try await engine.snapshot(of: holder)
                if rival.hasName(path) {
                    named.rival = rival
                    return named
                }
            }
            guard let saved = try await engine.completed(at: [path])[0] else { return named }
            if await engine.lostFile(of: saved) != nil {
                named.former = saved.id
            } else if let finished = saved.finished, finished >= named.transfer.added {
                named.twin = saved.id
            }
        } catch {
            // Only an ID is missing from a line; a failure of the store ends the run elsewhere.
            return named
        }
        return named
    }
}
