/// Reads a response strictly against the request and what is known of the resource (I5).
///
/// The table is the one in `docs/ARCHITECTURE.md`: the request's condition gives the row, the status the column. A
/// status alone is never enough to write bytes.
package struct ResponseJudge: Sendable {
    /// What is known of the resource so far.
    package var known: DownloadProgress
    /// What the user wants done about a change.
    package var onChange: ChangePolicy
    /// Whether resuming needs more proof than an equal overlap.
    package var strictResume: Bool
    /// Whether another answer has shown that the resource has another version now.
    package var hasChanged: Bool
    /// Whether a digest will tell whether all bytes belong together, so that no other proof is needed.
    package var isVerifiedLater = false
    /// Whether the whole is requested because no part was usable.
    package var doesWithoutParts = false
    /// The statuses that are retried although they are final otherwise.
    package var retriedStatuses: Set<Int>
    /// The URL that was requested, for messages and to recognise a signed one.
    package var url: HTTPURL

    /// Creates a judge of answers to the download of `specification`.
    package init(known: DownloadProgress, specification: DownloadSpecification, hasChanged: Bool = false) {
        self.known = known
        self.hasChanged = hasChanged
        self.onChange = specification.options.onChange
        self.strictResume = specification.resumesStrictly
        self.retriedStatuses = specification.options.retriedStatuses
        self.url = specification.url
    }

    private var hasBytes: Bool { known.segments.received > 0 }

    /// The expected length of a 200's body; `nil` if it is decoded.
    private var knownLength: Int64? { known.isDecoded ? nil : known.segments.length }

    /// Whether an answer has the form of the received bytes. The lengths of two forms cannot be compared.
    private func isSameForm(_ response: ResponseFacts) -> Bool {
        response.contentCoding == known.contentCoding
    }

    /// Returns what the response to `request`, for the rest of `segment`, means.
    package func judge(
        _ response: ResponseFacts,
        to request: RangeRequest,
        segment: Segment
    ) -> ResponseVerdict {
        switch response.status {
        case 200, 203: wholeBody(response, request: request, segment: segment)
        case 206: request.isWhole ? .refuse(unaskedPart) : part(response, request: request, segment: segment)
        case 412: request.isWhole ? refusal(response) : .askAgain(.whole)
        case 416:
            request.isWhole ? refusal(response) : unsatisfied(response, request: request, segment: segment)
        default: refusal(response)
        }
    }

    // MARK: 200

    private func wholeBody(
        _ response: ResponseFacts,
        request: RangeRequest,
        segment: Segment
    ) -> ResponseVerdict {
        guard response.contentRange == .absent else {
            return .refuse(contradiction("it calls its answer whole and partial at once"))
        }
        guard response.bodyLength ?? 0 <= ByteRange.longestResource else { return .refuse(impossibleLength) }
        if !hasBytes { return .begin }
        let agreement = agreement(of: response)
        // Comparing bytes tells a new version from a server with its own date for the same one.
        if agreement == .doubtful, !strictResume, request.pinsEntityTag,
            knownLength == nil || (isSameForm(response) && knownLength == response.bodyLength)
        {
            return .askAgain(.overlapping(segment, upTo: request.upTo), finding: .otherDate)
        }
        guard agreement == .proved else { return changed(response, request: request) }
        if isSameForm(response), let total = knownLength, let length = response.bodyLength, total != length {
            // If parts also contradict what is known, the first answer was wrong.
            let mayStartOver = onChange == .restart || (doesWithoutParts && request.isWhole)
            return mayStartOver ? .startOver(.resourceChanged) : .refuse(otherLength)
        }
        if case .ifRange(let tag) = request.condition {
            // The version is right, so the server ignored If-Range or refused to send a part for its own reasons.
            // `If-Match` shows which of the two is true.
            let again = RangeRequest(from: request.from, upTo: request.upTo, condition: .ifMatch(tag))
            return .askAgain(again)
        }
        return .startOver(isSameForm(response) ? sameVersion(request) : .formChanged)
    }

    /// Why bytes are dropped although the version may be the same: no part was requested, because nothing would have
    /// proved its version, or the server did not send a part.
    private func sameVersion(_ request: RangeRequest) -> ResponseVerdict.Reason {
        strictResume && request.isWhole && !doesWithoutParts ? .unproved : .rangesUnsupported
    }

    /// Handles an answer that is not proved to be the version of the received bytes. If nothing in it disagrees, the
    /// server merely cannot send parts. Otherwise the download starts over only with a plausible new version.
    private func changed(_ response: ResponseFacts, request: RangeRequest) -> ResponseVerdict {
        if !hasChanged, agrees(response) { return .startOver(sameVersion(request)) }
        let reason: ResponseVerdict.Reason = isSameForm(response) ? .resourceChanged : .formChanged
        switch onChange {
        case .restart:
            return .startOver(reason)
        case .fail, .keep:
            return .refuse(.changed(at: url, isFinal: onChange == .fail))
        case .automatic:
            return isPlausibleVersion(response) ? .startOver(reason) : .refuse(replaced)
        }
    }

    /// Whether the answer repeats everything that was known, unchanged.
    private func agrees(_ response: ResponseFacts) -> Bool {
        let before = known.validator
        if before.contradicts(response.validator) { return false }
        if before.entityTag != nil, response.validator.entityTag == nil { return false }
        if before.lastModified != nil, response.validator.lastModified == nil { return false }
        guard isSameForm(response) else { return false }
        if let total = knownLength, let length = response.bodyLength, total != length {
            return false
        }
        // No answer has said yet which type the file of another tool has.
        if known.part?.adoption != nil, known.mediaType == nil, response.mediaType?.isHTML != true {
            return response.bodyLength ?? .max >= known.segments.claimedExtent
        }
        return response.mediaType == known.mediaType
    }

    /// Whether the answer looks like another version of the resource, and not like something else, such as the login
    /// page of a hotel's network.
    private func isPlausibleVersion(_ response: ResponseFacts) -> Bool {
        if known.validator.strength != .none, response.validator.strength == .none { return false }
        // The first answer may have been that page.
        if known.mediaType?.isHTML == true, let type = response.mediaType, !type.isHTML { return true }
        if let before = known.mediaType { return response.mediaType == before }
        return response.mediaType?.isHTML != true
    }

    // MARK: 206

    private func part(_ response: ResponseFacts, request: RangeRequest, segment: Segment) -> ResponseVerdict {
        // Whatever range its head names, the body is not that part alone.
        guard response.mediaType?.isSeveralRanges != true else {
            return .refuse(contradiction("it sent several parts, but one was requested"))
        }
        guard case .present(.bytes(let range, let total)) = response.contentRange else {
            return .refuse(contradiction("it sent a part without saying which"))
        }
        guard isSameForm(response) else { return partOfAnotherForm(response, request: request) }
        guard total ?? 0 <= ByteRange.longestResource else { return .refuse(impossibleLength) }
        guard range.lowerBound == request.from, range.upperBound <= request.upTo ?? .max else {
            return .refuse(contradiction("it sent another part than the requested one"))
        }
        if let length = response.bodyLength, length != range.upperBound - range.lowerBound {
            return .refuse(contradiction("its part has another length than it announces"))
        }
        let agreement = agreement(of: response)
        guard agreement != .refuted else {
            // A new version came despite the condition: this server ignores If-Range.
            return .askAgain(.whole, finding: request.usesIfRange ? .ignoredIfRange : .otherVersion)
        }
        let provesVersion = agreement == .proved
        if let total, total < known.segments.claimedExtent {
            return provesVersion && onChange != .restart
                ? .refuse(otherLength) : .askAgain(.whole, finding: .otherVersion)
        }
        if let length = known.segments.length, total != length {
            if total != nil, provesVersion, onChange != .restart { return .refuse(otherLength) }
            // A missing total does not contradict a proved version. Without proof of the version, the total is needed.
            guard total == nil, provesVersion, range.upperBound <= length else {
                return .askAgain(.whole, finding: total == nil ? nil : .otherVersion)
            }
        }
        if agreement == .doubtful, request.pinsEntityTag {
            return unproved(request, segment: segment, finding: .otherDate)
        }
        return versionVerdict(on: response, to: request, segment: segment, provesVersion: provesVersion)
    }

    /// Handles a part of another form than the received bytes. It does not contradict them, so they are kept, unless
    /// it is also of another version.
    private func partOfAnotherForm(_ response: ResponseFacts, request: RangeRequest) -> ResponseVerdict {
        if agreement(of: response) == .refuted {
            return .askAgain(.whole, finding: request.usesIfRange ? .ignoredIfRange : .otherVersion)
        }
        return onChange == .restart ? .askAgain(.whole) : .refuse(otherForm(response.contentCoding))
    }

    /// Decides how certain it is that a correct part is of the right version.
    private func versionVerdict(
        on response: ResponseFacts,
        to request: RangeRequest,
        segment: Segment,
        provesVersion: Bool
    ) -> ResponseVerdict {
        switch request.condition {
        case .none:
            return .refuse(unaskedPart)
        case .ifRange, .ifMatch:
            return provesVersion ? .proceed(.entityTagMatched) : unproved(request, segment: segment)
        case .ifUnmodifiedDate:
            // A date that the answer gives does not contradict here, so it matches.
            let isGiven = response.validator.lastModified != nil && response.isOf(resource: known.source)
            return isGiven ? .proceed(.dateMatched) : unproved(request, segment: segment)
        case .overlap(let length):
            // An empty overlap proves nothing.
            guard isVerifiedLater || (length > 0 && !strictResume) else {
                return .askAgain(.whole)
            }
            return .compare(overlap: length)
        }
    }

    /// Handles an answer without the known validator, or one that contradicts it: nothing proves that the server
    /// evaluated the condition.
    private func unproved(
        _ request: RangeRequest,
        segment: Segment,
        finding: ResponseVerdict.Finding? = nil
    ) -> ResponseVerdict {
        let next = strictResume ? .whole : RangeRequest.overlapping(segment, upTo: request.upTo)
        return .askAgain(next, finding: finding)
    }

    // MARK: 416

    private func unsatisfied(
        _ response: ResponseFacts,
        request: RangeRequest,
        segment: Segment
    ) -> ResponseVerdict {
        let isConditional = request.usesIfRange || request.pinsEntityTag
        let agreement = agreement(of: response)
        if isConditional, agreement != .refuted,
            case .present(.unsatisfied(let total)) = response.contentRange,
            total == known.segments.completePrefix, total == request.from,
            known.segments.length.map({ $0 == total }) ?? true
        {
            // A server that ignores the condition answers this for any version of this length. The tag, or compared
            // bytes, must prove that the version is the same.
            return agreement == .proved ? .complete : unproved(request, segment: segment)
        }
        return .askAgain(.whole)
    }

    // MARK: Versions

    /// What the validators of an answer say about its version.
    private enum Agreement {
        /// The strong entity tag matches and nothing else differs: the version is the same.
        case proved
        /// The strong entity tag matches, but the modification date differs. Servers behind one name may each have
        /// their own date for the same file, or the tag was reused. Only the bytes can show which.
        case doubtful
        /// No validator that both gave differs, but nothing proves that the version is the same.
        case open
        /// A validator that both gave differs.
        case refuted
    }

    private func agreement(of response: ResponseFacts) -> Agreement {
        if let tag = known.validator.entityTag, let theirs = response.validator.entityTag {
            if tag.strongMatches(theirs) {
                if known.validator.contradicts(response.validator) { return .doubtful }
                return response.isOf(resource: known.source) ? .proved : .open
            }
            // A tag that was strong and is weak now names another form of the resource, if not another version.
            if tag != theirs { return .refuted }
        }
        return known.validator.contradicts(response.validator) ? .refuted : .open
    }

    // MARK: Problems

    private func refusal(_ response: ResponseFacts) -> ResponseVerdict {
        let problem = StatusProblem.problem(for: response, url: url, hasWorked: hasBytes)
        // A problem that passes is retried anyway, and one that waits for something has more to wait for.
        guard problem.disposition == .permanent, retriedStatuses.contains(response.status),
            StatusList.mayRetry(response.status)
        else { return .refuse(problem) }
        return .refuse(Problem(problem.failure, .transient(retryAfter: response.retryAfter)))
    }

    private var impossibleLength: Problem { contradiction("it announces an impossible length") }

    private var unaskedPart: Problem { contradiction("it sent a part, but the whole file was requested") }

    /// One of the two lengths is wrong. If the first length is wrong, no later answer will match it.
    private var otherLength: Problem {
        .transient(
            .badResponse,
            "The answer of \(url.hostAndPort) contradicts itself: its entity tag is the same but its length is another.",
            remedies: [.restartOnChange]
        )
    }

    /// A part has a content coding that was not requested, or lacks the one of the received bytes.
    private func otherForm(_ coding: String?) -> Problem {
        let form = coding.map { "in \(ContentForm.name(of: $0))" } ?? "without a content coding"
        return .transient(
            .badResponse,
            "\(url.hostAndPort) sent a part \(form), which cannot follow the received bytes.",
            remedies: [.restartOnChange]
        )
    }

    private var replaced: Problem {
        .transient(
            .resourceReplaced,
            "Something else answers at \(url.redacted) now, perhaps a login page.",
            remedies: [.openInBrowser, .retry, .restartOnChange]
        )
    }

    private func contradiction(_ what: String) -> Problem {
        .transient(.badResponse, "The answer of \(url.hostAndPort) contradicts itself: \(what).")
    }
}
