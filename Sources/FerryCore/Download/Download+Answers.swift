/// The course of each answer.
extension Download {
    /// Whether an answer of this connection can only add to the answers of the lead.
    func isMirror(_ connection: OpenConnection, hasOthers: Bool) -> Bool {
        connection.source != lead && (progress.segments.received > 0 || hasOthers)
    }

    /// The course of an answer about another file than the one that was asked for; `nil` when it may be that one.
    func refusal(of answer: ConnectionAnswer) -> AnswerCourse? {
        let (facts, source) = (answer.facts, answer.connection.source)
        guard speaksOfTheFile(facts) else { return nil }
        if let length = facts.resourceLength, let problem = unwanted(length, at: source) {
            return hasMirrors ? .exclude(.length, problem) : .fail(problem)
        }
        // A discovered mirror must have the file that the server vouched for.
        guard progress.mirroring.isDiscovered(source), let discovery = progress.mirroring.discovery else {
            return nil
        }
        if let length = facts.resourceLength, length != discovery.length ?? length {
            return .exclude(.length)
        }
        if let digest = facts.digest, digest.algorithm == discovery.digest.algorithm,
            digest != discovery.digest
        {
            return .exclude(.digest)
        }
        return nil
    }

    /// The course of an answer about the file that was asked for.
    func course(of answer: ConnectionAnswer) -> AnswerCourse {
        let connection = answer.connection
        if let comparison = connection.comparison { return course(of: answer, comparing: comparison) }
        let isMirror = isMirror(connection, hasOthers: answer.hasOthers)
        let judge = judge(of: connection, isMirror: isMirror)
        let verdict = judge.judge(answer.facts, to: connection.request, segment: answer.segment)
        if isMirror { return courseOfMirror(answer, verdict) }
        if let spared = spare(answer, verdict) { return spared }
        switch (verdict, answer.form) {
        case (.begin, .unsupported(let coding)), (.startOver, .unsupported(let coding)):
            return .refuse(ContentForm.problem(of: coding, from: judge.url))
        case (.begin, _), (.startOver, _):
            if let excess = excess(of: announcedLength(answer)) { return .refuse(excess) }
            guard options.refusesPages, let text = unexpectedPage(in: answer.facts) else {
                return .follow(verdict)
            }
            return .refuse(.permanent(.badResponse, text, remedies: [.openInBrowser, .retry]))
        default:
            return .follow(verdict)
        }
    }

    /// The judge of the answers to a connection.
    private func judge(of connection: OpenConnection, isMirror: Bool) -> ResponseJudge {
        var judge = ResponseJudge(
            known: known(of: connection.source),
            specification: specification,
            hasChanged: connection.expectsChange
        )
        judge.doesWithoutParts = connection.source == lead && doesWithoutParts
        judge.url = connection.request.mirror ?? specification.url
        judge.isVerifiedLater = isMirror && (isVerifiedLater || sourceUse == .compared)
        return judge
    }

    /// The course of an answer whose use would drop what the other connections bring. Returns `nil` when the answer is
    /// to be used.
    ///
    /// Servers behind one name may each have their own tag for the same file, and a redirect may lead each connection
    /// to another server. If another connection brings the same part anyway, a new version in this answer is no reason
    /// to drop bytes. If no other connection brings that part, it is a reason.
    private func spare(_ answer: ConnectionAnswer, _ verdict: ResponseVerdict) -> AnswerCourse? {
        if case .startOver = verdict, refusesEveryMatch(answer) { return .returnToIfRange }
        guard answer.connection.isBeside, answer.hasOthers else { return nil }
        switch verdict {
        case .startOver(.rangesUnsupported), .startOver(.unproved):
            return .limitSource
        case .askAgain(_, .otherDate):
            // There is nothing to compare with while the others still bring what comes before it.
            return .holdSourceBack()
        case .startOver where answer.isGiverReceiving:
            return .holdSourceBack()
        case .askAgain(let request, let finding) where answer.isGiverReceiving && request.isWhole:
            // The whole file would be of no use either.
            let isAnotherVersion = finding != nil || answer.facts.status == 412
            return isAnotherVersion ? .holdSourceBack(lacksIfRange: finding == .ignoredIfRange) : .limitSource
        default: return nil
        }
    }

    /// Whether a server refuses `If-Match` with the same tag that it gives the file. It then refuses every `If-Match`,
    /// and is asked with `If-Range` again before anything is dropped.
    private func refusesEveryMatch(_ answer: ConnectionAnswer) -> Bool {
        answer.traitsOfLead.lacksIfRange && answer.connection.followsRefusedMatch
            && !answer.connection.expectsChange && isProved(by: answer.facts)
    }

    /// The course of an answer of a source that is not the lead.
    private func courseOfMirror(_ answer: ConnectionAnswer, _ verdict: ResponseVerdict) -> AnswerCourse {
        let facts = answer.facts
        if let digest = facts.digest, let expected, digest.algorithm == expected.algorithm,
            digest != expected, !options.ignoresServerDigests
        {
            return .exclude(.digest)
        }
        switch verdict {
        case .proceed: return join(answer, comparing: 0)
        case .compare(let overlap): return join(answer, comparing: overlap)
        // A change of its file says nothing about the lead's.
        case .refuse(let problem) where !problem.endsByPolicy: return .refuse(problem)
        case .begin, .startOver, .askAgain, .complete, .refuse:
            return exclusion(by: answer).map { AnswerCourse.exclude($0) } ?? notSent(answer)
        }
    }

    /// Why a source that is not the lead is not used any more after an answer without the requested part, if the answer
    /// gives a reason.
    private func exclusion(by answer: ConnectionAnswer) -> Mirroring.Exclusion? {
        let facts = answer.facts
        if speaksOfTheFile(facts), let length = facts.resourceLength, length != progress.segments.length {
            return .length
        }
        let version = progress.mirroring.versions[answer.connection.source]
        return version?.validator.contradicts(facts.validator) == true ? .changed : nil
    }

    private func join(_ answer: ConnectionAnswer, comparing overlap: Int64) -> AnswerCourse {
        // A missing total could differ.
        guard let length = answer.facts.resourceLength else { return notSent(answer) }
        guard length == progress.segments.length else { return .exclude(.length) }
        let isBeside = answer.connection.isBeside
        // A mirror that has taken over may have several connections of its own.
        let isMixed = isBeside && (answer.connection.isBesideLead || answer.hasOtherSources)
        guard !isMixed || !isOfOtherDate(answer.facts.validator) else { return .keepForFailover }
        // A later comparison requests the version that is pinned by then, so these bytes must be of that version. An
        // overlap is enough for a source that takes over, but not beside others.
        guard isVerifiedLater || isPinned(answer) || (overlap > 0 && !isBeside) else {
            guard isBeside else { return notSent(answer) }
            // If its version is known by now, a later request has it as its condition.
            let isKnown = version(of: answer.connection.source).validator.pinsParts
            return isKnown ? .holdSourceBack() : .limitSource
        }
        return .join(comparing: overlap)
    }

    /// Whether a source that sent this validator has a file of another date than the lead, and no digest will tell whether it is
    /// the same file. Files of one length may differ where nothing is compared.
    func isOfOtherDate(_ validator: Validator) -> Bool {
        !isVerifiedLater && progress.validator.hasOtherDate(than: validator)
    }

    /// Whether a strong validator shows that an answer is of the version that its source serves.
    private func isPinned(_ answer: ConnectionAnswer) -> Bool {
        let (facts, known) = (answer.facts, version(of: answer.connection.source))
        guard case .overlap = answer.connection.request.condition else {
            return known.completed(by: Mirroring.Version(facts)).validator.pinsParts
        }
        // The request had no condition, as the version was not known. Meanwhile another connection may have brought bytes
        // of another server behind the same name.
        return facts.validator.pinsParts && facts.isOf(resource: known.source)
    }

    /// The course of an answer that brings bytes only to be compared. It never makes the download start over: if the lead
    /// does not give them, the source of the other side may.
    private func course(of answer: ConnectionAnswer, comparing comparison: Comparison) -> AnswerCourse {
        let (facts, isLead) = (answer.facts, answer.connection.source == lead)
        let judge = judge(of: answer.connection, isMirror: !isLead)
        let verdict = judge.judge(facts, to: answer.connection.request, segment: answer.segment)
        switch verdict {
        case .proceed where isWhole(comparison, in: facts), .compare where isWhole(comparison, in: facts):
            return .compare(comparison)
        // It may have ignored `If-Range`.
        case .askAgain(let request, _) where isLead && request.pinsEntityTag:
            return .follow(verdict)
        case .refuse(let problem) where !problem.endsByPolicy:
            return .refuse(problem)
        case .proceed, .compare, .refuse, .begin, .startOver, .askAgain, .complete:
            let reason = isLead ? nil : exclusion(by: answer)
            return reason.map { AnswerCourse.exclude($0) } ?? notSent(answer)
        }
    }

    private func isWhole(_ comparison: Comparison, in facts: ResponseFacts) -> Bool {
        facts.partEnd == comparison.window.upperBound && facts.resourceLength == progress.segments.length
    }

    private func notSent(_ answer: ConnectionAnswer) -> AnswerCourse {
        // It sends parts to the other connections; this is one more than it serves.
        if answer.connection.isBeside, answer.isSourceShared { return .limitSource }
        let host = host(of: answer.connection.source)
        return .refuse(.transient(.badResponse, "\(host) does not send the requested part."))
    }

    // MARK: What an answer says

    /// Whether the length and the digest of an answer can be compared with what is known. They cannot if the answer has
    /// another content coding than the bytes on disk.
    func speaksOfTheFile(_ facts: ResponseFacts) -> Bool {
        progress.segments.received == 0 || facts.contentCoding == progress.contentCoding
    }

    /// The length of the file that an answer begins to bring, if it is known before the body. That of an encoded body is not
    /// the file's.
    private func announcedLength(_ answer: ConnectionAnswer) -> Int64? {
        answer.form.decodedCoding == nil ? answer.facts.bodyLength : nil
    }

    /// Whether an answer has the strong entity tag of the bytes on disk.
    func isProved(by facts: ResponseFacts) -> Bool {
        guard let known = progress.validator.entityTag, let theirs = facts.validator.entityTag else {
            return false
        }
        return known.strongMatches(theirs)
    }

    /// The name that the file has, or gets with this answer.
    func name(with facts: ResponseFacts) -> FileName {
        progress.name
            ?? FileName.choose(userGiven: nil, contentDisposition: facts.disposition, url: specification.url)
    }

    /// Says that an answer is a web page although the name promises something else; `nil` if it does not.
    func unexpectedPage(in facts: ResponseFacts) -> String? {
        guard let type = facts.mediaType, type.isHTML else { return nil }
        let name = name(with: facts)
        guard let promised = PromisedContent(name: name) else { return nil }
        let host = (facts.url ?? specification.url).hostAndPort
        return "\(host) sent a web page (\(type)), but \(name.rawValue) is the name of \(promised.rawValue)."
    }

    /// How to decode the body of an answer.
    func form(of facts: ResponseFacts) -> ContentForm {
        ContentForm(
            facts,
            names: [
                progress.name?.rawValue, facts.disposition?.filename, specification.url.lastPathSegment,
                facts.url?.lastPathSegment,
            ].compactMap(\.self)
        )
    }

    /// Whether a body without a length must have the length that was known before.
    ///
    /// The same version has the same length. Without proof of the version, the end of a chunked body is the end of the
    /// resource (RFC 9112 §8), as in a first request. The close of a connection may have come early.
    func lengthStillHolds(for facts: ResponseFacts, _ reason: ResponseVerdict.Reason) -> Bool {
        guard reason.mayBeSameVersion else { return false }
        return isProved(by: facts) || !facts.isChunked || !mayStartOver
    }

    /// The length that the first body must have if its answer gives none: an earlier answer of the same version gave it, and
    /// broke off before its first byte. Returns `nil` if nothing proves that the version and its form are the same.
    func lengthOfVersion(in facts: ResponseFacts) -> Int64? {
        guard isProved(by: facts), !progress.validator.contradicts(facts.validator),
            facts.isOf(resource: progress.source), facts.contentCoding == progress.contentCoding,
            !progress.isDecoded
        else { return nil }
        return progress.segments.length
    }

    /// The mirrors that a server names along with a digest (RFC 6249 §6). Without a digest nothing would show whether
    /// they serve the same file. Returns `nil` without a digest, or without any other source to check against it.
    private func discovery(in facts: ResponseFacts) -> Mirroring.Discovery? {
        guard let digest = facts.digest, !options.ignoresServerDigests, !isStream else { return nil }
        let isSecure = specification.url.scheme != .http && !options.allowsDowngrade
        let known = Set([specification.url] + options.mirrors)
        let named = facts.mirrors.filter { !known.contains($0) && (!isSecure || $0.scheme == .https) }
        // A checksum that only detects damage does not prove where the bytes came from.
        let isAsked = digest.algorithm.provesOrigin && !options.ignoresServerMirrors
        let mirrors = isAsked ? Array(named.prefix(Self.mostDiscovered)) : []
        guard !mirrors.isEmpty || !options.mirrors.isEmpty else { return nil }
        return Mirroring.Discovery(digest: digest, length: facts.resourceLength, mirrors: mirrors)
    }

    /// The announcement of a resumption.
    func resumption(_ proof: String) -> TransferNote {
        TransferNote(.resumed, "Resumed at \(ByteCount(progress.segments.received).formatted): \(proof).")
    }

    // MARK: What is taken over from an answer

    /// Pins the version that the first answer gives. The bytes of any other version were forgotten.
    mutating func pin(
        _ facts: ResponseFacts,
        from source: SourceID,
        decoding coding: ContentCoding?,
        length: Int64?
    ) {
        // The length of a decoded body is not the file's.
        progress.segments = SegmentMap(length: coding == nil ? facts.bodyLength ?? length : nil)
        progress.mirroring.lead = source
        if source == .own { progress.mirroring.discover(discovery(in: facts)) }
        progress.version = Mirroring.Version(facts)
        progress.partStart = facts.partStart
        progress.mediaType = facts.mediaType
        progress.contentCoding = facts.contentCoding
        progress.isDecoded = coding != nil
        progress.volunteered = facts.digest
        progress.trail = facts.trail
        progress.assurance = .single
    }

    /// Takes over the total that a part gives.
    ///
    /// - Returns: why the part is not taken, if it is not.
    mutating func adoptLength(_ facts: ResponseFacts) -> Problem? {
        if case .present(.bytes(_, let total?)) = facts.contentRange,
            !progress.segments.fix(length: total)
        {
            return impossibleLength
        }
        return excess(of: progress.segments.length)
    }
}

extension ResponseFacts {
    /// The end of the part that this answer says it brings, exclusive.
    var partEnd: Int64? {
        if case .present(.bytes(let range, _)) = contentRange { range.upperBound } else { nil }
    }

    /// The length of the whole file, if the answer gives it.
    fileprivate var resourceLength: Int64? {
        if case .present(.bytes(_, let total)) = contentRange { return total }
        return status == 200 && !isEncoded ? bodyLength : nil
    }
}

extension ResponseVerdict.Reason {
    /// Whether nothing in the answer says that the file has changed.
    var mayBeSameVersion: Bool { self == .rangesUnsupported || self == .unproved }

    /// The reason why a download starts over, for display.
    var explanation: String {
        switch self {
        case .rangesUnsupported: "the server cannot resume a download"
        case .unproved: "the server sends no proof of the version, which strict resume requires"
        case .formChanged: "the server now sends the file in another content coding"
        case .resourceChanged, .entityTagMatched, .dateMatched: "the file has changed on the server"
        }
    }
}
