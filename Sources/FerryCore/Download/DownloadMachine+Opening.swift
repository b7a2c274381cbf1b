/// From the beginning of an attempt to a part file that is ready.
extension DownloadMachine {
    mutating func begin() -> [Action] {
        guard decodedBytesLost > 0 else { return open() }
        if let refusal = refusalToStartOver { return fail(refusal) }
        let dropped = ByteCount(decodedBytesLost).formatted
        return [
            note(
                "Starting over: the server compressed its answer, which cannot be resumed; \(dropped) dropped."
            )
        ] + open()
    }

    private mutating func open() -> [Action] {
        guard !isStream, place != nil else {
            stage = .transferring
            return connect()
        }
        return survey()
    }

    /// Looks at the place of the file, whose name is decided.
    mutating func survey() -> [Action] {
        guard let place else { preconditionFailure("a place is looked at before the file has a name") }
        stage = .surveying
        return [.survey(place)]
    }

    mutating func surveyed(_ survey: FileSurvey) -> [Action] {
        // Only this answer leads out of the stage.
        guard stage == .surveying, let place else {
            preconditionFailure("what is on disk is told without having been asked for")
        }
        if let ending { return stop(ending) }
        if isPartOpen { return surveyedAgain(survey, at: place) }
        let situation = RecoverySituation(checkpoint, survey: survey, boot: boot)
        switch RecoveryTable.decide(situation) {
        case .nameTaken(let replaceable):
            return nameTaken(place, situation: situation, survey: survey, replaceable: replaceable)
        case let decision:
            return carryOut(decision, at: place, survey: survey)
        }
    }

    /// Handles a final name that was taken at publication while no existing file may be replaced. The existing file
    /// counts as if it had been there from the beginning.
    private mutating func surveyedAgain(_ survey: FileSurvey, at place: FilePlace) -> [Action] {
        guard let final = survey.final else { return publish() }
        guard final.kind == .file else { return fail(neverReplaced(place, survey)) }
        return leaveAlone(final, at: place)
    }

    /// Leaves an existing file as it is. The attempt completes, unless the file differs from what was asked for.
    private mutating func leaveAlone(_ file: FileSurvey.Entry, at place: FilePlace) -> [Action] {
        if let flaw = FileFlaw(length: file.length, asked: options) { return fail(wrong(flaw, at: place)) }
        guard options.checksum != nil || options.pieces != nil else { return leaveAlone(at: place) }
        stage = .inspecting(file)
        return [.inspect(place, file)]
    }

    private mutating func leaveAlone(at place: FilePlace) -> [Action] {
        let text =
            isPartOpen
            ? "\(place.path) exists now and is not changed; the fetched bytes are dropped."
            : "\(place.path) already exists; nothing was fetched."
        return [note(text)] + stop(.alreadyThere)
    }

    mutating func inspected(_ flaw: FileFlaw?) -> [Action] {
        guard case .inspecting = stage, let place else { return [] }
        if let ending { return stop(ending) }
        return flaw.map { fail(wrong($0, at: place)) } ?? leaveAlone(at: place)
    }

    /// The file could not be opened. Looks again: another file may have its name by now, or none.
    mutating func notInspected(_ file: FileSurvey.Entry, _ problem: Problem) -> [Action] {
        guard problem.failure.code == .cannotOpen, ending == nil,
            unopened?.isSameFile(as: file.identity) != true
        else { return fail(problem) }
        unopened = file.identity
        return survey()
    }

    private func wrong(_ flaw: FileFlaw, at place: FilePlace) -> Problem {
        .permanent(
            .checksumMismatch,
            flaw.sentence(about: place.path),
            hint: "It was not changed. Repeat the line with --overwrite to replace it."
        )
    }

    /// A person gave the unfinished file its final name.
    private func renamedUnfinished(_ place: FilePlace, _ claim: PartFileClaim) -> Problem {
        let message = "\(place.path) is the unfinished file of this transfer."
        guard checkpoint.segments.received > 0 else {
            return .permanent(
                .destinationExists,
                message,
                hint:
                    "None of it can be resumed. Move it away, and `ferry retry {id}` fetches the file again; "
                    + "or repeat the line with --overwrite to replace it."
            )
        }
        return .permanent(
            .destinationExists,
            message,
            hint: "Rename it back to \(claim.name), and `ferry retry {id}` resumes. "
                + "Repeat the line with --overwrite to fetch all of it again."
        )
    }

    private func neverReplaced(_ place: FilePlace, _ survey: FileSurvey) -> Problem {
        .permanent(
            .cannotCreate,
            "\(place.path) is \(survey.final?.kind.inWords ?? "no file") and is never replaced.",
            hint: "Choose another name with -o, or another directory with -d."
        )
    }

    private mutating func carryOut(
        _ decision: RecoveryTable.Decision,
        at place: FilePlace,
        survey: FileSurvey
    ) -> [Action] {
        switch decision {
        case .begin:
            return begin(at: place)
        case .beginAgain:
            let lost = checkpoint.segments.received
            forgetBytes()
            let notes = lost > 0 ? [note("The part file is gone; starting over.")] : []
            return notes + begin(at: place)
        case .resume(let trust):
            believe(trust, fileLength: survey.part?.length ?? 0)
            return openPart(at: place, for: .resuming)
        case .resumeChanged:
            return resumeChanged(at: place, fileLength: survey.part?.length ?? 0)
        case .finishRename:
            return openPart(at: place, for: .finishingRename)
        case .markCompleted:
            stage = .publishing
            checkpoint.part?.modified = survey.final?.modified
            // A file system that cannot rename without replacing uses a link and an unlink. A crash in between leaves
            // both names.
            if let claim = checkpoint.part, survey.part?.identity.isSameFile(as: claim.identity) == true {
                return [.removePart(place, claim.identity)]
            }
            return [.synchronizeDirectory(place)]
        case .partNameTaken where options.existingFile == .autoRename && checkpoint.part == nil:
            return surveyNextName(after: place)
        case .partNameTaken where options.existingFile == .autoRename:
            return beginUnderAnotherName()
        case .partNameTaken:
            return fail(partNameTaken(place, isHeld: survey.isPartHeld))
        case .nameTaken(let replaceable):
            return nameTaken(
                place,
                situation: RecoverySituation(checkpoint, survey: survey, boot: boot),
                survey: survey,
                replaceable: replaceable
            )
        }
    }

    /// The part file of this transfer has lost its name, or never had it: another file took it.
    private mutating func beginUnderAnotherName() -> [Action] {
        let lost = checkpoint.segments.received
        forgetBytes()
        checkpoint.part = nil
        if case .file(_, let name) = specification.destination { checkpoint.name = name }
        let notes = lost > 0 ? [note("The part file is gone; starting over.")] : []
        return notes + open()
    }

    /// Another program has changed the part file. If a digest of the whole or of its pieces is known, that decides in
    /// the end. Otherwise the bytes on disk do not count as received.
    private mutating func resumeChanged(at place: FilePlace, fileLength: Int64) -> [Action] {
        let received = checkpoint.segments.received
        let isVerified = options.pieces != nil || specification.expectedDigest(knowing: checkpoint) != nil
        checkpoint.segments.truncateClaims(to: isVerified ? fileLength : 0)
        // A file that was about to be published is verified once more.
        checkpoint.phase = .receiving
        var notes: [Action] = []
        if received > 0 {
            let changed = "The part file was changed by another program"
            notes = [
                note(
                    isVerified
                        ? "\(changed); its digest will show whether its bytes are right."
                        : "\(changed); starting over, \(ByteCount(received).formatted) dropped."
                )
            ]
        }
        return notes + openPart(at: place, for: .resuming)
    }

    /// Another transfer, of another list or from another URL, has the part file's name. If this one could follow it,
    /// it waits for its turn.
    private func partNameTaken(_ place: FilePlace, isHeld: Bool) -> Problem {
        guard isHeld else {
            let hint =
                "It may belong to a transfer that `ferry list` shows; if not, move it away. Or choose another name with -o."
            guard checkpoint.part == nil else {
                let message = "\(place.partPath) is not the part file that this transfer wrote."
                return .permanent(.partFileLost, message, hint: hint)
            }
            let message = "\(place.partPath) already exists and belongs to another download."
            return .permanent(.destinationExists, message, hint: hint)
        }
        let message = "Another transfer is writing \(place.partPath)."
        switch options.existingFile {
        case .overwrite, .noClobber:
            return .transient(.cannotOpen, message)
        case .fail, .autoRename:
            let hint =
                "Its file will get that name. Choose another one with -o, or keep both with --auto-rename."
            return .permanent(.destinationExists, message, hint: hint)
        }
    }

    /// Handles a taken final name as the user's policy says.
    private mutating func nameTaken(
        _ place: FilePlace,
        situation: RecoverySituation,
        survey: FileSurvey,
        replaceable: Bool
    ) -> [Action] {
        guard replaceable, let final = survey.final else { return fail(neverReplaced(place, survey)) }
        let unfinished = checkpoint.part.flatMap { final.identity.isSameFile(as: $0.identity) ? $0 : nil }
        switch options.existingFile {
        case .overwrite:
            return carryOut(RecoveryTable.decideIgnoringFinal(situation), at: place, survey: survey)
        case .autoRename where checkpoint.part != nil:
            return carryOut(RecoveryTable.decideIgnoringFinal(situation), at: place, survey: survey)
        case .autoRename:
            return surveyNextName(after: place)
        case .noClobber, .fail:
            if let unfinished { return fail(renamedUnfinished(place, unfinished)) }
            if options.existingFile == .noClobber { return leaveAlone(final, at: place) }
            return fail(
                .permanent(.destinationExists, "\(place.path) already exists.", hint: Self.existsHint)
            )
        }
    }

    static var existsHint: String {
        "Use --overwrite to replace it, --auto-rename to keep both, or -o for another name."
    }

    mutating func surveyNextName(after place: FilePlace) -> [Action] {
        renameNumber += 1
        guard renameNumber <= Self.renameLimit else {
            return fail(.permanent(.destinationExists, "\(place.path) and all its numbered names are taken."))
        }
        let base = unnumberedName ?? place.name
        unnumberedName = base
        checkpoint.name = base.numbered(renameNumber)
        return survey()
    }

    /// Begins without a part file: connects or, if the head has arrived already, creates the part file for its body.
    private mutating func begin(at place: FilePlace) -> [Action] {
        // A connection that was dismissed for a useless answer may not have ended yet.
        if let waiting = connections.filter({ !$0.value.isDismissed }).keys.min() {
            stage = .preparing(.receiving(waiting))
            return [.createPart(place)]
        }
        // No file exists, whatever was known before, such as the length of a file whose part could not be created.
        forgetBytes()
        stage = .transferring
        return connect()
    }

    private mutating func openPart(at place: FilePlace, for preparation: Preparation) -> [Action] {
        guard let claim = checkpoint.part else {
            preconditionFailure("I6: a part file is gone on with that the transfer has no claim on")
        }
        stage = .preparing(preparation)
        return [.openPart(place, claim.identity)]
    }

    private mutating func believe(_ trust: RecoveryTable.Trust, fileLength: Int64) {
        switch trust {
        case .written: break
        case .writtenWithinFile: checkpoint.segments.truncateClaims(to: fileLength)
        case .durable: checkpoint.segments.rewindToDurable()
        case .durableWithinFile:
            checkpoint.segments.rewindToDurable()
            checkpoint.segments.truncateClaims(to: fileLength)
        }
    }

    mutating func partReady(_ identity: FileIdentity, isNamed: Bool) -> [Action] {
        guard let place else { preconditionFailure("a part file is open that has no place") }
        isPartOpen = true
        checkpoint.part = PartFileClaim(name: place.part, identity: identity, boot: boot)
        guard case .preparing(let preparation) = stage else {
            // A sync failed while the file replaced another one, and ended the attempt.
            precondition(stage == .stopping, "a part file is open that was not to be opened")
            return []
        }
        if preparation != .finishingRename { checkpoint.phase = .receiving }
        partName = .given
        if case .receiving(let id) = preparation, !isNamed, maySpareName { return spareName(for: id) }
        // The claim on a new part file must survive power loss before the file has its name. Otherwise the file would
        // be foreign to its own transfer. This holds even if it has the number of a former file, whose claims must
        // go.
        let isNew =
            switch preparation {
            case .receiving, .rewinding: true
            case .resuming, .finishingRename, .reserving, .trimming: false
            }
        let recorded = record(isNew ? .power : .process)
        if let ending { return [recorded] + stop(ending) }
        switch preparation {
        case .resuming:
            stage = .transferring
            return [recorded] + connect()
        case .finishingRename:
            return [recorded] + verify()
        case .receiving, .rewinding:
            return [recorded, .namePart]
        case .reserving, .trimming:
            preconditionFailure("a part file is opened for the second time")
        }
    }

    mutating func partNamed() -> [Action] {
        guard partName == .given else { return named() }
        let waiting: ConnectionID?
        switch stage {
        case .preparing(.receiving(let id)): waiting = id
        case .preparing(.rewinding(let id)): waiting = id
        default: return []
        }
        if let ending { return stop(ending) }
        if let waiting { return receive(waiting) }
        stage = .transferring
        return connect()
    }
}

extension FileSurvey.Kind {
    fileprivate var inWords: String {
        switch self {
        case .file: "a file"
        case .directory: "a directory"
        case .symbolicLink: "a symbolic link"
        case .stream: "a device or a FIFO"
        case .other: "not a regular file"
        }
    }
}
