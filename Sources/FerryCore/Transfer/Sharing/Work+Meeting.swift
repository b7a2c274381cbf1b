/// What changes in work that no process runs when it is asked for once more.
struct WorkMeeting: Hashable, Sendable {
    /// Whether what was done so far was done on terms that no longer apply.
    var dropsBytes = false
    /// The changes.
    var edit = TransferEdit()
}

extension Work {
    /// What this work comes to when `asked`, which has its identity, is asked for as well.
    ///
    /// - Returns: `nil` for a kind of work that is never shared.
    /// - Throws: what it does and keeps, and `asked` does not accept.
    func meeting(
        _ asked: Work,
        as standing: SharedOption.Standing
    ) throws(SharedTerms.Refusal) -> WorkMeeting? {
        switch self {
        case .download(let own):
            guard case .download(let asked) = asked else { return nil }
            return try own.meeting(asked.specification, as: standing)
        case .request: return nil
        }
    }

    /// Uses another URL from the next request on, also in a running attempt, if it is still the same work then.
    ///
    /// - Returns: whether the URL is another one and was taken.
    mutating func renew(url: HTTPURL) -> Bool {
        var isTaken = false
        change(download: { isTaken = $0.renew(url: url) }, request: { _ in })
        return isTaken
    }

    /// Drops what was done so far on terms that no longer apply, so that the next attempt starts over.
    mutating func dropBytes() {
        change(download: { $0.dropBytes() }, request: { _ in })
    }

    /// Why it is not shared with the transfer of another process; `nil` when it can be.
    func refusalToShare(_ id: TransferID) -> StoreError? {
        switch self {
        case .download(let work): work.refusalToShare(id)
        case .request: nil
        }
    }
}

extension DownloadWork {
    fileprivate func meeting(
        _ asked: DownloadSpecification,
        as standing: SharedOption.Standing
    ) throws(SharedTerms.Refusal) -> WorkMeeting {
        let terms = try SharedTerms(asked.options, meeting: self, as: standing)
        var meeting = WorkMeeting(dropsBytes: terms.dropsBytes)
        // The URL may be the same file under another signature.
        if specification.url != asked.url { meeting.edit.url = asked.url }
        if specification.options != terms.options { meeting.edit.options = .download(terms.options) }
        return meeting
    }

    fileprivate mutating func renew(url: HTTPURL) -> Bool {
        var renewed = specification
        renewed.url = url
        // The caller may name other ignored parameters; a held transfer keeps its own.
        guard renewed != specification, renewed.identity == specification.identity else { return false }
        specification = renewed
        return true
    }

    fileprivate mutating func dropBytes() {
        progress.forgetBytes()
        let text = "The received bytes were fetched with options that no longer apply; starting over."
        progress.note = TransferNote(.startedOver, text)
    }

    fileprivate func refusalToShare(_ id: TransferID) -> StoreError? {
        guard failureInOtherProcess != nil else { return nil }
        return .notPossible(
            id,
            "Transfer \(id) writes the same to the standard output of another process.",
            [.waitOrSaveToFile]
        )
    }
}
