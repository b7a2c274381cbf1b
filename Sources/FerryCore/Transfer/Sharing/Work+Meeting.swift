/// The changes in work that no process runs, when it is requested once more.
struct WorkMeeting: Hashable, Sendable {
    /// Whether earlier attempts used terms that no longer apply.
    var dropsBytes = false
    /// The changes.
    var edit = TransferEdit()
    /// Whether the saved file that the new request knows is the one to replace.
    var takesSaved = false
}

extension Work {
    /// Returns this work combined with `asked`, a request with the same identity.
    ///
    /// - Returns: `nil` for a kind of work that is never shared.
    /// - Throws: the property of this work that `asked` does not accept.
    func meeting(
        _ asked: Work,
        as reliance: SharedOption.Reliance
    ) throws(SharedTerms.Refusal) -> WorkMeeting? {
        switch (self, asked) {
        case (.download(let own), .download(let asked)):
            return try own.meeting(asked.specification, as: reliance)
        // Work of one identity becomes the work that was requested last.
        case (.request(let own), .request(let asked)):
            guard own.identity != nil, own.identity == asked.identity else { return nil }
            switch reliance {
            // The process that holds it has promised this file to its caller.
            case .held where !own.carriesTheSame(as: asked):
                throw SharedTerms.Refusal(reason: "with another body, other fields or other credentials")
            // Only the body is the latest that counts. Under another condition, the new one could fail where this one would
            // not.
            case .pending where !own.hasTheSameTerms(as: asked):
                throw SharedTerms.Refusal(reason: "with other fields, conditions or credentials")
            case .held, .pending, .dropped, .completed: return WorkMeeting()
            }
        case (.upload(let own), .upload(let asked)):
            if reliance == .held, !own.specification.file.isSame(as: asked.specification.file) {
                throw SharedTerms.Refusal(reason: "with another file, or another version of it")
            }
            // Under another condition, the new one could fail where this one would not.
            guard ![.held, .pending].contains(reliance) || own.hasTheSameTerms(as: asked) else {
                throw SharedTerms.Refusal(reason: "with other fields, conditions or credentials")
            }
            return WorkMeeting()
        case (.download, _), (.request, _), (.upload, _): return nil
        }
    }
}

extension RequestWork {
    fileprivate func carriesTheSame(as other: RequestWork) -> Bool {
        let (own, other) = (specification, other.specification)
        return own.body == other.body && own.exchange.headers == other.exchange.headers
            && own.exchange.credentials == other.exchange.credentials
    }

    /// Whether both may differ in the body only, and in what describes it.
    fileprivate func hasTheSameTerms(as other: RequestWork) -> Bool {
        let (own, other) = (specification.exchange, other.specification.exchange)
        return own.headers.filter { !$0.describesBody } == other.headers.filter { !$0.describesBody }
            && own.credentials == other.credentials
    }
}

extension UploadWork {
    /// Whether both may differ in the file only, and in what describes it.
    fileprivate func hasTheSameTerms(as other: UploadWork) -> Bool {
        let (own, other) = (specification, other.specification)
        return own.fields == other.fields && own.exchange.headers == other.exchange.headers
            && own.exchange.credentials == other.exchange.credentials
    }
}

extension DownloadWork {
    fileprivate func meeting(
        _ asked: DownloadSpecification,
        as reliance: SharedOption.Reliance
    ) throws(SharedTerms.Refusal) -> WorkMeeting {
        let terms = try SharedTerms(asked.options, meeting: self, as: reliance)
        var meeting = WorkMeeting(dropsBytes: terms.dropsBytes)
        // The caller has just looked at the entry of the pool, and knows whether its file is what it wants.
        meeting.takesSaved = reliance == .dropped && terms.options.cache != nil
        // The URL may be the same file under another signature.
        if specification.url != asked.url { meeting.edit.url = asked.url }
        if specification.options != terms.options { meeting.edit.options = .download(terms.options) }
        return meeting
    }
}
