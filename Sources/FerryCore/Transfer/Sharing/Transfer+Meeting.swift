/// What becomes of a transfer when the same is asked for once more.
extension Transfer {
    /// What this transfer is to somebody who asks for the same once more.
    public enum Reunion: Hashable, Sendable {
        /// It had failed, and is queued anew.
        case revived
        /// It is not over.
        case attached
    }

    /// Takes up a second request for the same download.
    ///
    /// - A transfer that runs continues; a request to stop it is withdrawn.
    /// - Any other gets the queue and the priority of the new request, unless these are the defaults. It starts after all
    ///   transfers that either request named.
    /// - ``SharedOption`` decides which options count.
    /// - A failed or paused transfer is queued again. So is any other that nobody holds, if `holder` is to run it.
    ///
    /// Without a `holder` the transfer belongs to the queue from now on: it is run even if the process that holds it now
    /// is stopped.
    ///
    /// - Throws: ``StoreError/notPossible(_:_:)`` on a completed or cancelled transfer, and on one that cannot stand for what
    ///   is asked for.
    public mutating func meet(
        _ new: NewTransfer,
        holder: OwnerID?,
        token: Int64,
        at now: Instant
    ) throws(StoreError) -> Reunion {
        guard let wanted = new.download, let download else {
            throw .notPossible(id, "Transfer \(id) is not a download, and cannot be shared.")
        }
        try requireOwnOutput(for: wanted, holder)
        let terms = try terms(with: wanted.options, of: download)
        takeLabels(of: new, at: now)
        if holder == nil, !isForQueue { (isForQueue, updated) = (true, now) }
        guard state != .active else {
            takeURL(of: wanted, at: now)
            if wish?.makesRoom == true { updated = now }
            takeBackWish()
            return .attached
        }
        takePlace(of: new, at: now)
        guard claim == nil else {
            takeURL(of: wanted, at: now)
            comeAfter(new.after, at: now)
            return .attached
        }
        let isFailed = state.isFailed
        if terms.dropsBytes { dropBytes(at: now) }
        var edit = TransferEdit()
        var options = terms.options
        // The same file under another signature.
        if work.url != wanted.url {
            if mayReplaceURL(by: wanted.url) {
                edit.url = wanted.url
            } else {
                // What is ignored of the URL that stays is a part of its identity, which other transfers may not have.
                options.ignoredQuery = download.specification.options.ignoredQuery
            }
        }
        if download.specification.options != options { edit.options = options }
        if edit != TransferEdit() { try apply(edit, at: now) }
        comeAfter(new.after, at: now)
        if isFailed || holder != nil || state == .paused {
            try requeue(holder: holder, token: token, at: now)
        }
        return isFailed ? .revived : .attached
    }

    /// The latest caller finds it by its tag.
    private mutating func takeLabels(of new: NewTransfer, at now: Instant) {
        let (tag, payload) = (new.tag ?? tag, new.payload ?? payload)
        guard tag != self.tag || payload != self.payload else { return }
        (self.tag, self.payload, updated) = (tag, payload, now)
    }

    /// Who counts on it; `nil` for one that is over for good.
    package var standing: SharedOption.Standing {
        if claim != nil { return .held }
        switch state {
        case .queued, .active, .waiting: return .pending
        case .paused, .failed, .cancelled: return .dropped
        case .completed: return .completed
        }
    }

    /// The options that count for all who ask for it.
    private func terms(
        with asked: DownloadOptions,
        of download: DownloadWork
    ) throws(StoreError) -> SharedTerms {
        do {
            return try SharedTerms(asked, meeting: download, as: standing)
        } catch {
            let does = standing == .held ? "already runs" : "is to run"
            throw .notPossible(
                id,
                "Transfer \(id) \(does) \(error.reason), and keeps that. "
                    + "To change it: `ferry pause \(id)`, then repeat this command."
            )
        }
    }

    /// Fails for what goes to the standard output of another process.
    private func requireOwnOutput(
        for other: DownloadSpecification,
        _ holder: OwnerID?
    ) throws(StoreError) {
        guard let owner = claim?.owner, owner != holder, other.destination == .standardOutput else { return }
        throw .notPossible(
            id,
            "Transfer \(id) writes the same to the standard output of another process. When it has ended, repeat "
                + "the line to fetch it again; `-o FILE` saves it now."
        )
    }

    private mutating func takePlace(of new: NewTransfer, at now: Instant) {
        if new.queue != NewTransfer.defaultQueue, new.queue != queue { (queue, updated) = (new.queue, now) }
        if new.priority != 0, new.priority != priority { (priority, updated) = (new.priority, now) }
    }

    /// The URL that is given now has the freshest signature. An attempt that runs asks it from its next request on; one that
    /// waits for a URL has it.
    private mutating func takeURL(of new: DownloadSpecification, at now: Instant) {
        guard var renewed = download, mayReplaceURL(by: new.url) else { return }
        let former = renewed.specification
        renewed.specification.url = new.url
        // Which parameters are ignored may be said otherwise now; what is held keeps what it has.
        guard renewed.specification != former, renewed.specification.identity == former.identity else {
            return
        }
        work = .download(renewed)
        updated = now
        if state == .waiting(.newURL) { enter(.queued, at: now) }
    }

    /// An old line from the shell's history does not replace a signature that works. A refused one is replaced by any other,
    /// as a fresh one may end earlier.
    private func mayReplaceURL(by url: HTTPURL) -> Bool {
        state == .waiting(.newURL) || !url.isSignedBefore(work.url)
    }

    private mutating func dropBytes(at now: Instant) {
        guard var download else { return }
        download.progress.forgetBytes()
        download.progress.note =
            "The present bytes were fetched with options that no longer apply; starting over."
        work = .download(download)
        updated = now
    }
}
