/// What the head of an answer means, and what the machine does about it.
extension DownloadMachine {
    mutating func head(of id: ConnectionID, _ facts: ResponseFacts) -> [Action] {
        guard ending == nil, let connection = connections[id], !connection.isDismissed,
            let segment = connection.division.map({ Segment($0.range) })
                ?? segment(of: connection)
        else { return cut(id) }
        // The file is being prepared for the body of another connection. This one's body is asked for again afterwards.
        if let first = preparesFor, first != id { return dismiss(id) }
        plan.answered(after: max(.zero, connection.opened.duration(to: now)))
        let form = form(of: facts)
        var facts = facts
        // The digest is of the encoded form (RFC 9530 §3, RFC 9110 §8.4) and says nothing of the file.
        if form.decodedCoding != nil { facts.digest = nil }
        if speaksOfTheFile(facts) {
            if let refused = refuseOtherFile(id, connection, facts) { return refused }
            if let refused = refuseOtherThanVouchedFor(id, connection, facts) { return refused }
        }
        checkpoint.trail.formUnion(facts.trail)
        let judge = judge(of: connection)
        let verdict = judge.judge(facts, to: connection.request, segment: segment)
        if isMirror(connection) { return mirrorAnswered(id, connection, facts, verdict) }
        if let spared = spare(id, facts, verdict) { return spared }
        switch verdict {
        case .begin, .startOver:
            if case .unsupported(let coding) = form {
                return refuse(id, connection, ContentForm.problem(of: coding, from: judge.url))
            }
            connections[id]?.coding = form.decodedCoding
        default: break
        }
        switch verdict {
        case .begin:
            return beginBody(of: id, facts)
        case .proceed(let reason):
            return confirmLackOfIfRange(connection.request, facts) + proceed(id, facts, reason: reason)
        case .compare(let overlap):
            return compare(id, facts, overlap: overlap)
        case .startOver(let reason):
            return startOver(with: id, facts, reason: reason)
        case .askAgain(let request, let finding):
            return askAgain(connection, id, facts, request, finding)
        case .complete:
            guard checkpoint.segments.fix(length: segment.written) else {
                return dismiss(id) + fail(impossibleLength)
            }
            return dismiss(id) + (hasLiveConnection ? [] : verify())
        case .refuse(let problem):
            return askForWhole(insteadOf: id, connection, problem) ?? refuse(id, connection, problem)
        }
    }

    /// Counts an unusable answer to a request for a part. Asks for the whole after ``mostRefusedParts`` of them.
    /// Returns `nil` when the problem is handled as any other.
    ///
    /// An unusable answer beside other connections is no reason to drop what they bring, and another source may do
    /// better.
    private mutating func askForWhole(
        insteadOf id: ConnectionID,
        _ connection: Connection,
        _ problem: Problem
    ) -> [Action]? {
        guard problem.failure.code == .badResponse, problem.disposition != .permanent,
            connection.source == checkpoint.mirroring.lead, !connection.request.isWhole, liveCount == 1
        else { return nil }
        checkpoint.refusedParts += 1
        guard doesWithoutParts, !canBeReplaced(connection.source) else { return nil }
        var request = RangeRequest.whole
        request.mirror = connection.request.mirror
        let dismissed = dismiss(id)
        let again = newConnection(.segment(0), request, from: connection.source)
        let news = note(
            "\(host(of: connection.source)) sends no usable part; requesting the whole file. "
                + "The received bytes are kept until it arrives."
        )
        return dismissed + [news, .connect(again, request)]
    }

    /// Whether the whole is asked for although a part would do, because the lead sends no usable part.
    var doesWithoutParts: Bool {
        guard checkpoint.refusedParts >= Self.mostRefusedParts, !isStream else { return false }
        return options.onChange == .automatic || options.onChange == .restart
    }

    /// Whether the length and the digest of an answer are comparable with what is known. They are not while the
    /// answer has another content coding than the bytes on disk.
    func speaksOfTheFile(_ facts: ResponseFacts) -> Bool {
        checkpoint.segments.received == 0 || facts.contentCoding == checkpoint.contentCoding
    }

    private mutating func askAgain(
        _ connection: Connection,
        _ id: ConnectionID,
        _ facts: ResponseFacts,
        _ request: RangeRequest,
        _ finding: ResponseVerdict.Finding?
    ) -> [Action] {
        let found = finding == .ignoredIfRange ? rememberLackOfIfRange(facts) : []
        let dismissed = dismiss(id)
        // The first segment begins a request for the whole.
        var request = request
        request.mirror = connection.request.mirror
        let work = request.isWhole && connection.isBeside ? .segment(0) : connection.work
        let again = newConnection(work, request, from: connection.source)
        connections[again]?.expectsChange = finding?.isAnotherVersion == true || connection.expectsChange
        connections[again]?.isBeside = connection.isBeside
        if case .ifMatch = connection.request.condition, facts.status == 412 {
            connections[again]?.followsRefusedMatch = true
        }
        return found + dismissed + [.connect(again, request)]
    }

    /// Remembers that the server does not know `If-Range`: it answered a right `If-Range` with the whole, and the
    /// same tag in `If-Match` with the part.
    private mutating func confirmLackOfIfRange(_ request: RangeRequest, _ facts: ResponseFacts) -> [Action] {
        guard case .ifMatch = request.condition else { return [] }
        return rememberLackOfIfRange(facts)
    }

    mutating func rememberLackOfIfRange(_ facts: ResponseFacts) -> [Action] {
        // After a redirect, what was known may belong to another server.
        let isSameServer = facts.server == checkpoint.server || checkpoint.server == nil
        guard !traits.lacksIfRange || !isSameServer else { return [] }
        traits.lacksIfRange = true
        return facts.server.map { [remember(of: $0) { $0.lacksIfRange = true }] } ?? []
    }

    /// Handles a server that refuses `If-Match` with the very tag that it gives the file: it refuses every
    /// `If-Match`. It is asked with `If-Range` again before anything is dropped. Returns `nil` in any other case.
    mutating func takeBackLackOfIfRange(
        _ connection: Connection,
        _ facts: ResponseFacts
    ) -> [Action]? {
        guard traits.lacksIfRange, connection.followsRefusedMatch, !connection.expectsChange,
            isProved(by: facts)
        else { return nil }
        traits.lacksIfRange = false
        return facts.server.map { [remember(of: $0) { $0.lacksIfRange = false }] } ?? []
    }

    /// Whether an answer has the strong entity tag of the bytes on disk.
    private func isProved(by facts: ResponseFacts) -> Bool {
        guard let known = checkpoint.validator.entityTag, let theirs = facts.validator.entityTag else {
            return false
        }
        return known.strongMatches(theirs)
    }

    /// Handles the first answer: pins the version, names the file and makes a place for the body.
    private mutating func beginBody(of id: ConnectionID, _ facts: ResponseFacts) -> [Action] {
        forgetBytes()
        checkpoint.segments = SegmentMap(length: length(of: facts, decodedOn: id))
        pin(facts, of: id)
        // Others may have begun to bring another version, of which no byte is recorded yet (I5).
        let others = connections.keys.sorted().filter { $0 != id }.flatMap { dismiss($0) }
        connections[id]?.work = .segment(0)
        connections[id]?.endsWithResource = true
        if isStream { return receive(id) }
        if isPartOpen { return others + rewind(for: id) }
        if let place {
            stage = .preparing(.receiving(id))
            return [.createPart(place)]
        }
        checkpoint.name = FileName.choose(
            userGiven: nil,
            contentDisposition: facts.disposition,
            url: specification.url
        )
        return survey()
    }

    /// How the body of an answer is to be decoded.
    private func form(of facts: ResponseFacts) -> ContentForm {
        let names = [
            checkpoint.name?.rawValue, facts.disposition?.filename, specification.url.lastPathSegment,
            facts.url?.lastPathSegment,
        ]
        return ContentForm(facts, names: names.compactMap(\.self))
    }

    /// The length of the file that an answer brings; `nil` for a decoded body, whose length is not the file's.
    private func length(of facts: ResponseFacts, decodedOn id: ConnectionID, _ known: Int64? = nil) -> Int64?
    {
        connections[id]?.coding == nil ? facts.bodyLength ?? known : nil
    }

    private mutating func pin(_ facts: ResponseFacts, of id: ConnectionID) {
        let source = connections[id]?.source ?? .own
        checkpoint.mirroring.lead = source
        if source == .own { checkpoint.mirroring.discover(discovery(in: facts)) }
        checkpoint.version = Mirroring.Version(facts)
        checkpoint.mediaType = facts.mediaType
        checkpoint.contentCoding = facts.contentCoding
        checkpoint.isDecoded = connections[id]?.coding != nil
        checkpoint.volunteered = facts.digest
        checkpoint.trail = facts.trail
        checkpoint.assurance = .single
    }

    private mutating func proceed(
        _ id: ConnectionID,
        _ facts: ResponseFacts,
        reason: ResponseVerdict.Reason
    ) -> [Action] {
        if let refusal = adopt(facts) { return refuseLength(id, refusal) }
        checkpoint.refusedParts = 0
        checkpoint.assurance = max(checkpoint.assurance, .proved)
        guard connections[id]?.isBeside == false else { return takePart(of: id, facts) }
        let proof = reason == .dateMatched ? "its date matched" : "ETag matched"
        // Each gap between connections is requested by itself. One note for all of them is enough.
        guard toldProof != proof else { return takePart(of: id, facts) }
        toldProof = proof
        return [note(resumption(proof))] + takePart(of: id, facts)
    }

    /// Takes the part that an answer brings, once the connection that fills its segment has made way.
    mutating func takePart(of id: ConnectionID, _ facts: ResponseFacts) -> [Action] {
        guard var division = connections[id]?.division else { return receive(id, upTo: facts.partEnd) }
        division.partEnd = facts.partEnd
        connections[id]?.work = .division(division)
        return divide(for: id, division)
    }

    private mutating func compare(_ id: ConnectionID, _ facts: ResponseFacts, overlap: Int64) -> [Action] {
        if let refusal = adoptLength(facts) { return refuseLength(id, refusal) }
        let reason =
            isProved(by: facts)
            ? "because the date changed but the ETag did not" : "because there is no strong validator"
        let proof = "the last \(ByteCount(overlap).formatted) were compared, \(reason)"
        // The note is shown, and the proof counts, when the compared bytes are equal.
        let unproved = Unproved(
            version: Mirroring.Version(facts),
            announcement: resumption(proof),
            assurance: .overlapChecked
        )
        connections[id]?.unproved = unproved
        return receive(id, comparing: overlap, upTo: facts.partEnd)
    }

    private mutating func refuseLength(_ id: ConnectionID, _ refusal: Problem) -> [Action] {
        connections[id].flatMap { askForWhole(insteadOf: id, $0, refusal) } ?? (dismiss(id) + fail(refusal))
    }

    private func resumption(_ proof: String) -> String {
        "Resumed at \(ByteCount(checkpoint.segments.received).formatted): \(proof)."
    }

    /// Confirms the version of a connection once it has passed its overlap.
    mutating func prove(_ connection: inout Connection, at offset: Int64) -> [Action] {
        guard let unproved = connection.unproved, offset >= connection.beganAt else { return [] }
        connection.unproved = nil
        if connection.source == checkpoint.mirroring.lead { checkpoint.refusedParts = 0 }
        checkpoint.assurance = max(checkpoint.assurance, unproved.assurance)
        adopt(unproved.version, of: connection.source)
        return [note(unproved.announcement)]
    }

    /// Takes over what a part says beside its bytes: its version and the total length.
    private mutating func adopt(_ facts: ResponseFacts) -> Problem? {
        adopt(Mirroring.Version(facts), of: checkpoint.mirroring.lead)
        return adoptLength(facts)
    }

    private mutating func adoptLength(_ facts: ResponseFacts) -> Problem? {
        guard case .present(.bytes(_, let total?)) = facts.contentRange else { return nil }
        return checkpoint.segments.fix(length: total) ? nil : impossibleLength
    }

    var impossibleLength: Problem {
        .transient(.badResponse, "\(specification.url.host) gives an impossible length.")
    }

    /// Drops the received bytes and takes this body, from byte 0 on.
    private mutating func startOver(
        with id: ConnectionID,
        _ facts: ResponseFacts,
        reason: ResponseVerdict.Reason
    ) -> [Action] {
        if let refusal = refusalToStartOver { return dismiss(id) + fail(refusal) }
        let dropped = ByteCount(checkpoint.segments.received).formatted
        let knownLength = lengthStillHolds(for: facts, reason) ? checkpoint.segments.length : nil
        forgetBytes()
        checkpoint.segments = SegmentMap(length: length(of: facts, decodedOn: id, knownLength))
        pin(facts, of: id)
        let others = connections.keys.sorted().filter { $0 != id }.flatMap { dismiss($0) }
        connections[id]?.work = .segment(0)
        connections[id]?.endsWithResource = true
        let cause =
            switch reason {
            case .rangesUnsupported: "the server cannot resume a download"
            case .unproved: "the server sends no proof of the version, which --strict-resume requires"
            case .formChanged: "the server now sends the file in another content coding"
            case .resourceChanged, .entityTagMatched, .dateMatched: "the file has changed on the server"
            }
        return others + [note("Starting over: \(cause); \(dropped) dropped.")] + rewind(for: id)
    }

    /// Whether a body without a length must have the length that was known before.
    ///
    /// The same version has the same length. Without proof of the version, the end of a chunked body is the end of the
    /// resource (RFC 9112 §8), as in a first request. The close of a connection may have come early.
    private func lengthStillHolds(for facts: ResponseFacts, _ reason: ResponseVerdict.Reason) -> Bool {
        guard reason == .rangesUnsupported || reason == .unproved else { return false }
        let mayChange = options.onChange == .automatic || options.onChange == .restart
        return isProved(by: facts) || !facts.isChunked || !mayChange
    }

    /// A stream cannot take back written bytes.
    var refusalToStartOver: Problem? {
        guard isStream else { return nil }
        return .permanent(
            .cannotResume,
            "The stream cannot continue: the server no longer has the same version of the file.",
            hint: "Start again, or download to a file, which can start over."
        )
    }

    /// Replaces the part file by an empty one. The row gives up its claims first, so that it never claims bytes that
    /// are gone (I2).
    mutating func rewind(for id: ConnectionID?) -> [Action] {
        stage = .preparing(.rewinding(id))
        return [record(.power)] + rewindWhenQuiet()
    }

    /// Replaces the part file once no connection writes: old bytes must not get into the new file (I5).
    mutating func rewindWhenQuiet() -> [Action] {
        awaitsQuiet = connections.values.contains(where: \.isReceiving)
        return awaitsQuiet ? [] : [replacePart()]
    }

    /// Starts over in a new part file, so that each part file only ever holds bytes of one version (I5). If the old
    /// file were emptied and refilled, a store restored from a backup would take the new bytes for the old ones.
    func replacePart() -> Action {
        guard let place, let claim = checkpoint.part else {
            preconditionFailure("I6: a part file is replaced that the transfer has no claim on")
        }
        return .replacePart(place, claim.identity)
    }
}

extension ResponseFacts {
    /// The end of the part that this answer says it brings, exclusive.
    var partEnd: Int64? {
        if case .present(.bytes(let range, _)) = contentRange { range.upperBound } else { nil }
    }
}
