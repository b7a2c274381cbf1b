/// Reads a response strictly against what was asked and what is known of the resource (I5).
///
/// The table is the one in `docs/ARCHITECTURE.md`: the request's condition gives the row, the status the column. Nothing is ever
/// written on the strength of a status alone.
public struct ResponseJudge: Sendable {
    /// What is known of the resource so far.
    public var known: Checkpoint
    /// What the user wants done about a change.
    public var onChange: ChangePolicy
    /// Whether an overlap is not good enough to go on.
    public var strictResume: Bool
    /// Whether another answer has shown that the resource is another version now.
    public var hasChanged: Bool
    /// Whether a digest will tell whether all bytes belong together, so that nothing else must prove it.
    public var isVerifiedLater = false
    /// Whether the whole is asked for because no part that came could be used.
    public var doesWithoutParts = false
    /// The URL that was asked, for messages and to tell a signed one.
    public var url: HTTPURL

    /// Creates a judge of answers to a download that is asked for by `specification`.
    public init(known: Checkpoint, specification: DownloadSpecification, hasChanged: Bool = false) {
        self.known = known
        self.hasChanged = hasChanged
        self.onChange = specification.options.onChange
        self.strictResume = specification.resumesStrictly
        self.url = specification.url
    }

    private var hasBytes: Bool { known.segments.received > 0 }

    /// How long the body of a 200 should be; that of one which was decoded is not known.
    private var knownLength: Int64? { known.isDecoded ? nil : known.segments.length }

    /// Whether an answer brings the form of which bytes are there. The lengths of two forms say nothing of each other.
    private func isSameForm(_ response: ResponseFacts) -> Bool {
        response.contentCoding == known.contentCoding
    }

    /// What the response to `request`, for the segment at `segment`, means.
    public func judge(
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
        guard response.bodyLength ?? 0 <= Self.longestResource else { return .refuse(impossibleLength) }
        if !hasBytes { return .begin }
        let agreement = agreement(of: response)
        // Bytes that are compared tell a new version from a server with a date of its own for the same one.
        if agreement == .doubtful, !strictResume, request.pinsEntityTag,
            knownLength == nil || (isSameForm(response) && knownLength == response.bodyLength)
        {
            return .askAgain(.overlapping(segment, upTo: request.upTo), finding: .otherDate)
        }
        guard agreement == .proved else { return changed(response, request: request) }
        if isSameForm(response), let total = knownLength, let length = response.bodyLength, total != length {
            // Where parts contradict what is known as well, it is the first answer that was wrong.
            let mayStartOver = onChange == .restart || (doesWithoutParts && request.isWhole)
            return mayStartOver ? .startOver(.resourceChanged) : .refuse(otherLength)
        }
        if case .ifRange(let tag) = request.condition {
            // The version is the right one, so the server ignored If-Range or refused to send a part for
            // reasons of its own; If-Match tells which.
            let again = RangeRequest(from: request.from, upTo: request.upTo, condition: .ifMatch(tag))
            return .askAgain(again)
        }
        return .startOver(isSameForm(response) ? sameVersion(request) : .formChanged)
    }

    /// Why bytes are dropped although nothing speaks for another version: a part was not asked for, as nothing would
    /// have proved it, or the server did not send one.
    private func sameVersion(_ request: RangeRequest) -> ResponseVerdict.Reason {
        strictResume && request.isWhole && !doesWithoutParts ? .unproved : .rangesUnsupported
    }

    /// The answer is not proved to be the version of which bytes are there. Where nothing in it disagrees, the
    /// server merely cannot send parts; otherwise start over only with a plausible new version.
    private func changed(_ response: ResponseFacts, request: RangeRequest) -> ResponseVerdict {
        if !hasChanged, agrees(response) { return .startOver(sameVersion(request)) }
        let reason: ResponseVerdict.Reason = isSameForm(response) ? .resourceChanged : .formChanged
        switch onChange {
        case .restart:
            return .startOver(reason)
        case .fail:
            return .refuse(.changed(at: url, isFinal: true))
        case .keep:
            return .refuse(.changed(at: url, isFinal: false))
        case .automatic:
            return isPlausibleVersion(response) ? .startOver(reason) : .refuse(replaced)
        }
    }

    /// Whether everything that was known is said again, and the same.
    private func agrees(_ response: ResponseFacts) -> Bool {
        let before = known.validator
        if before.contradicts(response.validator) { return false }
        if before.entityTag != nil, response.validator.entityTag == nil { return false }
        if before.lastModified != nil, response.validator.lastModified == nil { return false }
        guard isSameForm(response) else { return false }
        if let total = knownLength, let length = response.bodyLength, total != length {
            return false
        }
        return response.mediaType == known.mediaType
    }

    /// Whether the answer looks like the same resource in another version, rather than like something that
    /// stands in its way, such as the login page of a hotel's network.
    private func isPlausibleVersion(_ response: ResponseFacts) -> Bool {
        if known.validator.strength != .none, response.validator.strength == .none { return false }
        // What came first may have been the page that stands in the way.
        if known.mediaType?.isHTML == true, let type = response.mediaType, !type.isHTML { return true }
        if let before = known.mediaType { return response.mediaType == before }
        return response.mediaType?.isHTML != true
    }

    // MARK: 206

    private func part(_ response: ResponseFacts, request: RangeRequest, segment: Segment) -> ResponseVerdict {
        // Whatever range its head names besides, the body is not that part alone.
        guard response.mediaType?.isSeveralRanges != true else {
            return .refuse(contradiction("it sent several parts, but one was requested"))
        }
        guard case .present(.bytes(let range, let total)) = response.contentRange else {
            return .refuse(contradiction("it sent a part without saying which"))
        }
        guard isSameForm(response) else { return partOfAnotherForm(response, request: request) }
        guard total ?? 0 <= Self.longestResource else { return .refuse(impossibleLength) }
        guard range.lowerBound == request.from, range.upperBound <= request.upTo ?? .max else {
            return .refuse(contradiction("it sent another part than the requested one"))
        }
        if let length = response.bodyLength, length != range.upperBound - range.lowerBound {
            return .refuse(contradiction("its part has another length than it announces"))
        }
        let agreement = agreement(of: response)
        guard agreement != .refuted else {
            // A new version came in spite of the condition: this server ignores If-Range.
            return .askAgain(.whole, finding: request.usesIfRange ? .ignoredIfRange : .otherVersion)
        }
        let provesVersion = agreement == .proved
        if let total, total < known.segments.claimedExtent {
            return provesVersion && onChange != .restart
                ? .refuse(otherLength) : .askAgain(.whole, finding: .otherVersion)
        }
        if let length = known.segments.length, total != length {
            if total != nil, provesVersion, onChange != .restart { return .refuse(otherLength) }
            // A total that is not told says nothing against a version that is proved; without proof it is missed.
            guard total == nil, provesVersion, range.upperBound <= length else {
                return .askAgain(.whole, finding: total == nil ? nil : .otherVersion)
            }
        }
        if agreement == .doubtful, request.pinsEntityTag {
            return unproved(request, segment: segment, finding: .otherDate)
        }
        return goingOn(with: response, to: request, segment: segment, provesVersion: provesVersion)
    }

    /// A part of another form than the one that is there. It says nothing against the bytes so far, so they are kept,
    /// unless it is of another version as well.
    private func partOfAnotherForm(_ response: ResponseFacts, request: RangeRequest) -> ResponseVerdict {
        if agreement(of: response) == .refuted {
            return .askAgain(.whole, finding: request.usesIfRange ? .ignoredIfRange : .otherVersion)
        }
        return onChange == .restart ? .askAgain(.whole) : .refuse(otherForm(response.contentCoding))
    }

    /// A right part of what may be the right version: how sure is that?
    private func goingOn(
        with response: ResponseFacts,
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
            // What is given does not contradict; so it agrees, if it is given.
            let isGiven = response.validator.lastModified != nil && isSameSource(response)
            return isGiven ? .proceed(.dateMatched) : unproved(request, segment: segment)
        case .overlap(let length):
            // Nothing to compare proves nothing.
            guard isVerifiedLater || (length > 0 && !strictResume) else {
                return .askAgain(.whole)
            }
            return .compare(overlap: length)
        }
    }

    /// The validator that was always there is missing, or is contradicted, so nothing proves that the condition was
    /// looked at.
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
        let isConditional: Bool
        switch request.condition {
        case .ifRange, .ifMatch, .ifUnmodifiedDate: isConditional = true
        case .none, .overlap: isConditional = false
        }
        let agreement = agreement(of: response)
        if isConditional, agreement != .refuted,
            case .present(.unsatisfied(let total)) = response.contentRange,
            total == known.segments.completePrefix, total == request.from,
            known.segments.length.map({ $0 == total }) ?? true
        {
            // A server that ignores the condition says as much of any version of this length; so the tag, or
            // bytes that are compared, must say that it is the same one.
            return agreement == .proved ? .complete : unproved(request, segment: segment)
        }
        return .askAgain(.whole)
    }

    // MARK: Versions

    /// What the validators of an answer say of its version.
    private enum Agreement {
        /// The strong entity tag is the same, and nothing else differs: so is the version.
        case proved
        /// The strong entity tag is the same, and the date of the last change is another one. Servers behind one name may
        /// each have a date of their own for the same file; or the tag was kept for another one. Only bytes tell.
        case doubtful
        /// Nothing that both gave differs, and nothing proves that they are one version.
        case open
        /// Something that both gave differs.
        case refuted
    }

    private func agreement(of response: ResponseFacts) -> Agreement {
        if let tag = known.validator.entityTag, let theirs = response.validator.entityTag {
            if tag.strongMatches(theirs) {
                if known.validator.contradicts(response.validator) { return .doubtful }
                return isSameSource(response) ? .proved : .open
            }
            // A tag that was strong and is weak now names another form of the resource, if not another version.
            if tag != theirs { return .refuted }
        }
        return known.validator.contradicts(response.validator) ? .refuted : .open
    }

    /// Whether the answer is for the resource that gave the bytes: a redirect may lead to another one by now, whose
    /// validators can be the same by chance.
    private func isSameSource(_ response: ResponseFacts) -> Bool {
        guard let before = known.source, let now = response.url?.resource else { return true }
        return before == now
    }

    // MARK: The rest

    private func refusal(_ response: ResponseFacts) -> ResponseVerdict {
        .refuse(StatusProblem.problem(for: response, url: url, hasWorked: hasBytes))
    }

    /// The longest resource that is believed, in bytes: an exbibyte. No file system holds more, and lengths near
    /// the end of the range would overflow whatever adds them up.
    public static let longestResource: Int64 = 1 << 60

    private var impossibleLength: Problem { contradiction("it announces an impossible length") }

    private var unaskedPart: Problem { contradiction("it sent a part, but the whole file was requested") }

    /// One of the two lengths was told wrongly, and it may have been the first; then no answer ever agrees with it.
    private var otherLength: Problem {
        .transient(
            .badResponse,
            "The answer of \(url.host) contradicts itself: its entity tag is the same but its length is another.",
            hint:
                "Repeat the `ferry get` line with --on-change restart to drop the part file and take the present version."
        )
    }

    /// A part came in a content coding that was not asked for, or without the one that the bytes so far have.
    private func otherForm(_ coding: String?) -> Problem {
        let form = coding.map { "in \(ContentForm.name(of: $0))" } ?? "without a content coding"
        return .transient(
            .badResponse,
            "\(url.host) sent a part \(form), which cannot follow the received bytes; they are kept.",
            hint:
                "Repeat the `ferry get` line with --on-change restart to drop them and take the present version."
        )
    }

    private var replaced: Problem {
        .transient(
            .resourceReplaced,
            "Something else answers at \(url.redacted) now, perhaps a login page; the received bytes are kept.",
            hint: "Open the address in a browser, then try again; --on-change restart takes the present file."
        )
    }

    private func contradiction(_ what: String) -> Problem {
        .transient(.badResponse, "The answer of \(url.host) contradicts itself: \(what).")
    }
}
