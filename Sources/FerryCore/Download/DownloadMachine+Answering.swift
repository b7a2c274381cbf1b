/// What follows from the answer to a request.
extension DownloadMachine {
    mutating func head(of id: ConnectionID, _ head: ResponseFacts) -> [DownloadAction] {
        guard stage.ending == nil, let connection = board.connections[id], !connection.isDismissed,
            let segment = (connection.division?.range ?? connection.comparison?.window).map({ Segment($0) })
                ?? download.segment(of: connection)
        else { return board.connections.cut(id) }
        // The file is being prepared for the body of another connection. The body of this one is asked for again
        // afterwards.
        if let first = stage.preparesFor, first != id { return board.connections.dismiss(id) }
        if !hasTakenAnswer { download.progress.status = head.status }
        board.pieces.plan.answered(after: max(.zero, connection.opened.duration(to: download.now)))
        var facts = head.readAsWhole(answering: connection.request)
        if let part = connection.request.part {
            let host = download.host(of: connection.source)
            do throws(Problem) {
                facts = try part.read(head, to: connection.request, from: host)
            } catch {
                return board.connections.dismiss(id) + failed(connection, error, broughtBytes: false)
            }
        }
        var answer = ConnectionAnswer(
            id: id,
            status: head.status,
            facts: facts,
            form: download.form(of: facts),
            connection: connection,
            segment: segment,
            hasOthers: board.connections.liveCount > 1,
            isSourceShared: board.connections.count(of: connection.source) > 1,
            hasOtherSources: board.connections.liveCount > board.connections.count(of: connection.source),
            isGiverReceiving: connection.division.flatMap { board.connections[$0.giver] }?.isReceiving
                == true,
            traitsOfLead: board.sources.traitsOfLead
        )
        // The digest is of the encoded form (RFC 9530 §3, RFC 9110 §8.4) and says nothing about the file.
        if answer.form.decodedCoding != nil { answer.facts.digest = nil }
        if let kept = keepSaved(answer) { return kept }
        if let refusal = download.refusal(of: answer) { return follow(refusal, answer) }
        download.progress.trail.formUnion(head.trail)
        return follow(download.course(of: answer), answer)
    }

    /// Handles an answer that has no other version than the saved file's. Returns `nil` for any other answer.
    private mutating func keepSaved(_ answer: ConnectionAnswer) -> [DownloadAction]? {
        guard let saved = download.revalidated, answer.connection.source == .own,
            answer.facts.status == 304
                ? answer.connection.request.unless != nil : saved.isRepeated(by: answer.facts)
        else { return nil }
        guard answer.facts.isOf(resource: saved.source) else {
            var again = answer.connection.request
            again.unless = nil
            return askAgain(answer, again, nil)
        }
        let news = download.note(.upToDate, "The server has no other version.")
        return board.connections.dismiss(answer.id) + [news] + stop(.upToDate)
    }

    private mutating func follow(_ course: AnswerCourse, _ answer: ConnectionAnswer) -> [DownloadAction] {
        let (id, source) = (answer.id, answer.connection.source)
        switch course {
        case .follow(let verdict):
            return follow(verdict, answer)
        case .join(let overlap):
            return join(answer, comparing: overlap)
        case .compare(let comparison):
            return noteMatch(answer) + receive(comparison, over: id)
        case .exclude(let reason, let problem):
            if let problem { board.sources.giveUp(source, problem) }
            return board.connections.dismiss(id) + exclude(source, reason) + leaveToOthers()
        case .refuse(let problem):
            return refuse(answer, problem)
        case .fail(let problem):
            return board.connections.dismiss(id) + fail(problem)
        case .limitSource:
            return board.connections.dismiss(id) + board.limit(source, by: answer.facts, download)
        case .holdSourceBack(let lacksIfRange):
            let found = lacksIfRange ? noteLackOfIfRange(answer) : []
            return found + board.connections.dismiss(id) + board.holdBack(source, download)
        case .keepForFailover:
            return board.connections.dismiss(id) + keepForFailover(answer)
        case .returnToIfRange:
            let found = board.sources.noteIfRange(by: answer.facts.server)
            return found + board.connections.dismiss(id) + fetchRestOrVerify()
        }
    }

    private mutating func follow(_ verdict: ResponseVerdict, _ answer: ConnectionAnswer) -> [DownloadAction] {
        switch verdict {
        case .begin:
            return beginBody(answer)
        case .proceed(let reason):
            return noteMatch(answer) + proceed(answer, reason)
        case .compare(let overlap):
            return compare(answer, overlap)
        case .startOver(let reason):
            return startOver(answer, reason)
        case .askAgain(let request, let finding):
            return askAgain(answer, request, finding)
        case .complete:
            guard download.progress.segments.fix(length: answer.segment.written) else {
                return board.connections.dismiss(answer.id) + fail(download.impossibleLength)
            }
            return board.connections.dismiss(answer.id) + (board.connections.hasLive ? [] : verify())
        case .refuse(let problem):
            return askDespite(problem, answer) ?? refuse(answer, problem)
        }
    }

    private mutating func keepForFailover(_ answer: ConnectionAnswer) -> [DownloadAction] {
        let (source, validator) = (answer.connection.source, answer.facts.validator)
        let isKnown = board.sources.isOfOtherDate(source, in: download)
        board.sources.note(validator, of: source)
        let news = isKnown ? [] : [download.noteOtherDate(validator, of: source)]
        let held = board.holdBack(source, download)
        // The lead may have ended since this source was asked. Then it takes over.
        return news + held + (board.connections.hasLive ? [] : fetchRestOrVerify())
    }

    /// Remembers a server that answers a right `If-Range` with the whole, and the same tag in `If-Match` with the part.
    private mutating func noteMatch(_ answer: ConnectionAnswer) -> [DownloadAction] {
        guard case .ifMatch = answer.connection.request.condition else { return [] }
        return noteLackOfIfRange(answer)
    }

    private mutating func noteLackOfIfRange(_ answer: ConnectionAnswer) -> [DownloadAction] {
        board.sources.noteLackOfIfRange(by: answer.facts.server, otherThan: progress.server)
    }

    /// Handles the first answer: pins the version, names the file and makes a place for the body.
    private mutating func beginBody(_ answer: ConnectionAnswer) -> [DownloadAction] {
        let length = download.lengthOfVersion(in: answer.facts)
        // Others may have begun to bring another version; no byte of it is recorded yet (I5).
        let others = takeWhole(answer, length: length) + warnOfPage(in: answer)
        if download.isStream { return others + receive(answer.id) }
        // An open file may have chunks that its key has sealed, even if the row claims none after a crash.
        if part.isOpen { return others + rewind(for: answer.id) }
        if let place = download.place {
            stage = .busy(.preparing(.receiving(answer.id)))
            return others + [.createPart(place)]
        }
        download.progress.name = download.name(with: answer.facts)
        if download.options.isSealed { download.progress.name = progress.name.map(\.sealed) }
        return others + survey()
    }

    /// Drops the received bytes and takes this body, from byte 0 on.
    private mutating func startOver(
        _ answer: ConnectionAnswer,
        _ reason: ResponseVerdict.Reason
    ) -> [DownloadAction] {
        if let refusal = download.refusalToStartOver ?? download.refusalToTakeWhole(because: reason) {
            return board.connections.dismiss(answer.id) + fail(refusal)
        }
        let dropped = ByteCount(progress.segments.received).formatted
        let holds = download.lengthStillHolds(for: answer.facts, reason)
        let former = progress
        let others = takeWhole(answer, length: holds ? former.segments.length : nil)
        // A lead that sends no parts cannot compare its bytes with those of others, which would be dropped in the end.
        if reason == .rangesUnsupported, !answer.connection.request.isWhole, download.sourceUse == .compared {
            board.pieces.takeWhole()
        }
        if reason.mayBeSameVersion { download.keepExclusions(of: former) }
        let news = download.note(.startedOver, "Starting over: \(reason.explanation); \(dropped) dropped.")
        return others + [news] + warnOfPage(in: answer) + rewind(for: answer.id)
    }

    /// Warns of a web page under the name of something else, unless a digest decides what the file must be.
    private mutating func warnOfPage(in answer: ConnectionAnswer) -> [DownloadAction] {
        guard !download.isVerifiedLater, let text = download.unexpectedPage(in: answer.facts) else {
            return []
        }
        return [download.note(.unexpectedType, text)]
    }

    /// Forgets the received bytes, because this connection brings the whole file, and dismisses the other connections.
    private mutating func takeWhole(_ answer: ConnectionAnswer, length: Int64?) -> [DownloadAction] {
        let isDistrusted = download.doesWithoutParts && answer.connection.source == download.lead
        forgetBytes()
        noteTaken(answer, isWhole: true)
        // If this body breaks off, one more unusable part is enough.
        if isDistrusted { download.progress.refusedParts = Download.mostRefusedParts - 1 }
        let coding = answer.form.decodedCoding
        download.pin(answer.facts, from: answer.connection.source, decoding: coding, length: length)
        board.connections[answer.id]?.work = .segment(0)
        board.connections[answer.id]?.extent = .whole(coding)
        return board.connections.dismissAll(but: answer.id)
    }

    private mutating func proceed(
        _ answer: ConnectionAnswer,
        _ reason: ResponseVerdict.Reason
    ) -> [DownloadAction] {
        download.adopt(Mirroring.Version(answer.facts), of: download.lead)
        if let refusal = download.adoptLength(answer.facts) { return refuseLength(answer, refusal) }
        download.progress.refusedParts = 0
        download.progress.assurance = max(progress.assurance, .proved)
        let proof = reason == .dateMatched ? "its date matched" : "ETag matched"
        // Each gap between connections is requested by itself. One note for all of them is enough.
        guard keepsEarlierBytes, !answer.connection.isBeside, toldProof != proof else {
            return takePart(answer)
        }
        toldProof = proof
        return [download.note(download.resumption(proof))] + takePart(answer)
    }

    private mutating func compare(_ answer: ConnectionAnswer, _ overlap: Int64) -> [DownloadAction] {
        if let refusal = download.adoptLength(answer.facts) { return refuseLength(answer, refusal) }
        let reason =
            download.isProved(by: answer.facts)
            ? "because the date changed but the ETag did not"
            : "because ETag and date do not prove the version"
        let proof = "the last \(ByteCount(overlap).formatted) were compared, \(reason)"
        return compare(answer, overlap, announcement: download.resumption(proof))
    }

    /// Uses the answer of a source that is not the lead.
    private mutating func join(_ answer: ConnectionAnswer, comparing overlap: Int64) -> [DownloadAction] {
        let source = answer.connection.source
        guard overlap > 0 else {
            let assurance: Assurance = download.isVerifiedLater ? .proved : .overlapChecked
            download.progress.assurance = max(progress.assurance, assurance)
            download.adopt(Mirroring.Version(answer.facts), of: source)
            return takePart(answer)
        }
        let compared = ByteCount(overlap).formatted
        let text = "Resuming from \(download.host(of: source)): the last \(compared) are the same there."
        return compare(answer, overlap, announcement: TransferNote(.resumed, text))
    }

    /// Takes a body whose first bytes are compared. The note is shown, and the version counts, when they are equal.
    private mutating func compare(
        _ answer: ConnectionAnswer,
        _ overlap: Int64,
        announcement: TransferNote
    ) -> [DownloadAction] {
        noteTaken(answer)
        let version = Mirroring.Version(answer.facts)
        let unproved = OpenConnection.Unproved(version: version, announcement: announcement)
        board.connections[answer.id]?.body = .awaited(unproved: unproved)
        return receive(answer.id, comparing: overlap, upTo: answer.facts.partEnd)
    }

    private mutating func askAgain(
        _ answer: ConnectionAnswer,
        _ request: RangeRequest,
        _ finding: ResponseVerdict.Finding?
    ) -> [DownloadAction] {
        let connection = answer.connection
        let found = finding == .ignoredIfRange ? noteLackOfIfRange(answer) : []
        var again = connection.again(request, at: download.now)
        // The first segment begins a request for the whole.
        if request.isWhole, connection.isBeside { again.work = .segment(0) }
        again.expectsChange = finding?.isAnotherVersion == true || connection.expectsChange
        if case .ifMatch = connection.request.condition {
            again.followsRefusedMatch = answer.facts.status == 412
        }
        return found + board.connections.dismiss(answer.id) + [board.connect(again)]
    }

    /// Counts an unusable answer to a request for a part and asks again, after ``Download/mostRefusedParts`` of them
    /// for the whole. Returns `nil` when the problem is handled like any other.
    ///
    /// If other connections are open, an unusable answer is no reason to drop what they bring. Another source may also
    /// give a usable answer.
    private mutating func askDespite(_ problem: Problem, _ answer: ConnectionAnswer) -> [DownloadAction]? {
        let connection = answer.connection
        guard problem.failure.code == .badResponse, problem.disposition != .permanent,
            connection.source == download.lead, !connection.request.isWhole, !answer.hasOthers
        else { return nil }
        download.progress.refusedParts += 1
        guard download.mayDoWithoutParts, !board.sources.canReplace(connection.source, in: download) else {
            return nil
        }
        guard download.doesWithoutParts else { return askAgain(answer, connection.request, nil) }
        var again = connection.again(.whole, at: download.now)
        (again.work, again.isBeside) = (.segment(0), false)
        let text =
            "\(download.host(of: connection.source)) sends no usable part; requesting the whole file. "
            + "The received bytes are kept until it arrives."
        return board.connections.dismiss(answer.id) + [
            download.note(.wholeRequested, text), board.connect(again),
        ]
    }

    private mutating func refuseLength(_ answer: ConnectionAnswer, _ refusal: Problem) -> [DownloadAction] {
        askDespite(refusal, answer) ?? (board.connections.dismiss(answer.id) + fail(refusal))
    }

    /// Cuts a connection whose answer shows a problem, and handles that as its failure.
    private mutating func refuse(_ answer: ConnectionAnswer, _ problem: Problem) -> [DownloadAction] {
        board.connections.dismiss(answer.id) + failed(answer.connection, problem, broughtBytes: false)
    }
}
