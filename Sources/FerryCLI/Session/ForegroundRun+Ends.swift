import Ferry

/// What is found out about transfers that have just ended, for the sake of whoever looks on.
extension ForegroundRun {
    /// The announcement with the transfer that has the name which this one did not get, where there is one: nobody should
    /// move its part file aside.
    func naming(_ announcement: Announcement, by holders: inout NameHolders) async -> Announcement {
        var named = announcement
        guard case .state = announcement.news, case .failed(let failure) = announcement.transfer.state,
            failure.code == .destinationExists, let path = announcement.transfer.finalPath
        else { return named }
        do {
            let holder = try await holders.holder(of: path, at: SystemTime.now) { [engine] in
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

    /// Holds a file that was left as it is against the digest that was asked for: nobody else looks at it.
    ///
    /// - Returns: what is wrong with it; `nil` when it is right, or when nothing was asked.
    func flaw(of announcement: Announcement) async -> CommandFailure? {
        let transfer = announcement.transfer
        guard case .state = announcement.news, transfer.isSkipped,
            transfer.specification.options.checksum != nil
        else { return nil }
        do {
            guard let failure = try await engine.verify(transfer.id).failure else { return nil }
            var told = CommandFailure(failure, transfer: transfer.id)
            told.hint = "It is left as it is. The same line with --overwrite replaces it."
            return told
        } catch {
            return CommandFailure(error, transfer: transfer.id)
        }
    }
}

extension Transfer {
    /// Whether nothing was fetched, because another file has the name already.
    var isSkipped: Bool {
        state == .completed && specification.options.existingFile == .noClobber && finalPath != nil
            && checkpoint.part == nil
    }
}
