/// From the beginning of an attempt to a part file that is ready.
extension DownloadMachine {
    mutating func begin() -> [DownloadAction] {
        guard case .idle(let lost) = stage else { return [] }
        if download.isStream, download.options.isSealed {
            return fail(.permanent(.refused, "The bytes of a stream cannot be sealed. Name a file."))
        }
        guard lost > 0 else { return open() }
        if let refusal = download.refusalToStartOver { return fail(refusal) }
        let dropped = ByteCount(lost).formatted
        return [
            download.note(
                .startedOver,
                "Starting over: the server compressed its answer, which cannot be resumed; \(dropped) dropped."
            )
        ] + open()
    }

    private mutating func open() -> [DownloadAction] {
        guard !download.isStream, download.place != nil else {
            stage = .transferring
            return connect()
        }
        return survey()
    }

    // MARK: What is on disk

    /// Looks at the place of the file. Its name is decided.
    mutating func survey(unopened: FileIdentity? = nil) -> [DownloadAction] {
        guard let place = download.place else {
            preconditionFailure("a place is looked at before the file has a name")
        }
        stage = .busy(.surveying(unopened: unopened))
        // A body waits for its file, which has no other obstacle than what is found now.
        let creating = progress.part == nil && !part.isOpen && board.connections.hasLive
        return [.survey(place, creating: creating)]
    }

    mutating func surveyed(_ survey: FileSurvey) -> [DownloadAction] {
        // Only the answer to this look ends the stage.
        guard case .busy(.surveying, let ending) = stage, let place = download.place else {
            preconditionFailure("what is on disk is told without having been asked for")
        }
        if let ending { return stop(ending) }
        let survey = survey.inClear(for: progress.part)
        let situation = RecoverySituation(progress, survey: survey, boot: boot)
        // What is on a disk that is not mounted is not gone.
        let isDiskMounted = situation.part != .unmounted
        if survey.final == nil, isDiskMounted { download.progress.saved = nil }
        if part.isOpen {
            // The saved file, which is to be replaced, and the open one are both on that disk.
            guard isDiskMounted || progress.saved == nil else { return fail(download.diskUnmounted(place)) }
            return surveyedAgain(survey, at: place)
        }
        if isDiskMounted, let taking = takeOver(survey, at: place) { return taking }
        return carryOut(RecoveryTable.decide(situation), situation, at: place, survey)
    }

    /// Looks at the final name once more before the publication. A saved file is replaced only if it is still the same.
    /// Otherwise the existing file counts as if it had been there from the beginning. The file of another transfer that got
    /// the same name meanwhile is not replaced.
    private mutating func surveyedAgain(_ survey: FileSurvey, at place: FilePlace) -> [DownloadAction] {
        guard let final = survey.final else { return publish(isLookedAt: true) }
        if progress.saved == nil, download.specification.replacesUnnamed {
            return survey.keeper.map { fail(download.kept(place, by: $0)) } ?? publish(isLookedAt: true)
        }
        guard final.kind == .file else { return fail(download.neverReplaced(place, final)) }
        if let saved = progress.saved {
            if saved.isStill(final) { return publish(replacingSaved: true) }
            if download.options.existingFile == .fail { return fail(download.changedSince(place)) }
            download.progress.saved = nil
            return publish()
        }
        return leaveAlone(final, at: place)
    }

    private mutating func carryOut(
        _ decision: RecoveryTable.Decision,
        _ situation: RecoverySituation,
        at place: FilePlace,
        _ survey: FileSurvey
    ) -> [DownloadAction] {
        switch decision {
        case .begin:
            return yieldName(to: survey.fetcher, at: place) ?? begin(at: place)
        case .beginAgain:
            return noteLostPart() + begin(at: place)
        case .awaitDisk:
            return fail(download.diskUnmounted(place))
        case .resume(let trust):
            download.believe(trust, fileLength: survey.part?.length ?? 0)
            return openPart(at: place, for: .resuming)
        case .resumeChanged:
            return resumeChanged(at: place, fileLength: survey.part?.length ?? 0)
        case .finishRename:
            return openPart(at: place, for: .finishingRename)
        case .markCompleted:
            stage = .publishing
            download.progress.part?.modified = survey.final?.modified
            // A file system that cannot rename without replacing uses a link and an unlink. A crash in between leaves
            // both names.
            if let claim = progress.part, survey.part?.identity.isSameFile(as: claim.identity) == true {
                return [.removePart(place, claim.identity)]
            }
            return [.synchronizeDirectory(place)]
        case .partNameTaken where download.options.existingFile == .autoRename && progress.part == nil:
            return surveyNextName()
        case .partNameTaken where download.options.existingFile == .autoRename:
            return beginUnderAnotherName()
        case .partNameTaken where progress.part == nil && !survey.isPartHeld && !survey.isPartClaimed:
            return surveyNextPart() ?? fail(download.noFreePartName)
        case .partNameTaken:
            return fail(download.partNameTaken(place, isHeld: survey.isPartHeld, by: survey.fetcher))
        case .nameTaken:
            guard let final = survey.final else {
                preconditionFailure("a final name is taken that nothing has")
            }
            return nameTaken(by: final, situation, at: place, survey)
        }
    }

    /// Leaves the name to another transfer, before a byte is written. Returns `nil` if no other one is fetching a file with it, and
    /// if this download begins nevertheless.
    private mutating func yieldName(to fetcher: TransferID?, at place: FilePlace) -> [DownloadAction]? {
        guard progress.part == nil, let fetcher,
            let refusal = download.refusal(of: place, fetchedBy: fetcher)
        else { return nil }
        return download.options.existingFile == .autoRename ? surveyNextName() : fail(refusal)
    }

    /// Handles a final name that is taken, as the user's policy says.
    private mutating func nameTaken(
        by final: FileSurvey.Entry,
        _ situation: RecoverySituation,
        at place: FilePlace,
        _ survey: FileSurvey
    ) -> [DownloadAction] {
        let saved = DestinationTable.Saved(progress.saved, final)
        let decision = DestinationTable.decide(
            final.kind,
            // A device that the user named is a stream, which has no place.
            isNamed: false,
            saved,
            policy: download.options.existingFile,
            updates: download.options.updates,
            isProvable: download.options.canProveFile
        )
        if decision == .replace, let keeper = survey.keeper { return fail(download.kept(place, by: keeper)) }
        if saved == .changed, decision != .fail { download.progress.saved = nil }
        switch decision {
        case .number where progress.part == nil:
            return surveyNextName()
        // A part file exists already, and gets the number when it is published.
        case .number, .create, .replace, .update:
            return carryOut(RecoveryTable.decideIgnoringFinal(situation), situation, at: place, survey)
        case .fail where final.kind != .file, .write:
            return fail(download.neverReplaced(place, final))
        case .fail where saved == .changed:
            return fail(download.changedSince(place))
        case .skip, .verify, .fail:
            if let claim = progress.part, final.identity.isSameFile(as: claim.identity) {
                return fail(download.renamedUnfinished(place, claim))
            }
            return decision.mayAccept ? leaveAlone(final, at: place) : fail(download.exists(place, final))
        }
    }

    // MARK: The file of another tool

    /// Makes the file of another tool the part file; `nil` if it is that already, or is gone.
    private mutating func takeOver(_ survey: FileSurvey, at place: FilePlace) -> [DownloadAction]? {
        // A file that is being published may have its final name already.
        guard let claim = progress.part, claim.adoption != nil, progress.phase == .receiving,
            let final = survey.final, final.kind == .file, final.identity.isSameFile(as: claim.identity)
        else { return nil }
        stage = .busy(.preparing(.adopting))
        return [.adopt(place, claim.identity)]
    }

    /// The file is the part file. What is on disk is looked at as in every attempt.
    mutating func adopted() -> [DownloadAction] {
        guard case .busy(.preparing(.adopting), let ending) = stage else {
            preconditionFailure("a file is taken over without an order")
        }
        return ending.map { stop($0) } ?? survey()
    }

    mutating func surveyNextName() -> [DownloadAction] {
        guard let place = download.place else {
            preconditionFailure("a number is added before the file has a name")
        }
        guard let name = numbering.next(after: place.name) else {
            return fail(.permanent(.destinationExists, "\(place.path) and all numbered names already exist."))
        }
        download.progress.name = name
        return survey()
    }

    /// Looks at the next name for the part file, because something that belongs to no transfer has the present one.
    /// Returns `nil` when all numbers are used up.
    ///
    /// The name is in the claim, which is recorded before the file gets it. So every later attempt finds the file.
    mutating func surveyNextPart() -> [DownloadAction]? {
        guard download.partNumber < Download.mostPartNumber else { return nil }
        download.partNumber += 1
        return survey()
    }

    // MARK: A file that is left as it is

    /// Leaves an existing file as it is. The attempt completes, unless the file differs from what was asked for.
    private mutating func leaveAlone(_ file: FileSurvey.Entry, at place: FilePlace) -> [DownloadAction] {
        let options = download.options
        // What is asked for is in clear. A sealed file has another length, and cannot be read without its key.
        if !options.isSealed, let flaw = FileFlaw(length: file.length, asked: options) {
            return fail(download.wrong(flaw, at: place))
        }
        guard options.canProveFile else { return leaveAlone(at: place) }
        let unopened: FileIdentity? =
            if case .surveying(let identity) = stage.operation { identity } else { nil }
        stage = .busy(.inspecting(file, isSecondTry: unopened?.isSameFile(as: file.identity) == true))
        return [.inspect(place, file)]
    }

    private mutating func leaveAlone(at place: FilePlace) -> [DownloadAction] {
        let proof = download.proofOfFile.map { " and has the \($0)" } ?? ""
        let text =
            part.isOpen
            ? "\(place.path) exists now\(proof) and is not changed; the fetched bytes are dropped."
            : "\(place.path) already exists\(proof); nothing was fetched."
        return [download.note(.fileKept, text)] + stop(.alreadyThere)
    }

    mutating func inspected(_ flaw: FileFlaw?) -> [DownloadAction] {
        guard case .busy(.inspecting, let ending) = stage, let place = download.place else { return [] }
        if let ending { return stop(ending) }
        return flaw.map { fail(download.wrong($0, at: place)) } ?? leaveAlone(at: place)
    }

    // MARK: Where to begin

    /// Begins without a part file: connects or, if the head has arrived already, creates the part file for its body.
    private mutating func begin(at place: FilePlace) -> [DownloadAction] {
        let notes = noteNumber(of: place)
        // A connection that was dismissed for a useless answer may not have ended yet.
        if let waiting = board.connections.oldest {
            stage = .busy(.preparing(.receiving(waiting)))
            return notes + [.createPart(place)]
        }
        // No file exists, whatever was known before. An answer that broke off before its first byte may have given the length.
        forgetBytes(keepsVersion: true)
        stage = .transferring
        return notes + connect()
    }

    /// Says that the part file gets a number, and why.
    private mutating func noteNumber(of place: FilePlace) -> [DownloadAction] {
        guard progress.part == nil, download.partNumber > 0 else { return [] }
        let usual = FilePlace(directory: place.directory, name: place.name).partPath
        let text =
            "\(usual) belongs to no transfer of this store and stays as it is; "
            + "the part file is \(place.part)."
        return [download.note(.partNumbered, text)]
    }

    /// Forgets the bytes of a part file that is gone.
    private mutating func noteLostPart() -> [DownloadAction] {
        let lost = progress.segments.received
        forgetBytes(keepsVersion: true)
        return lost > 0 ? [download.note(.partFileLost, "The part file is gone; starting over.")] : []
    }

    /// The part file of this transfer has lost its name, or never had it: another file took it.
    private mutating func beginUnderAnotherName() -> [DownloadAction] {
        let notes = noteLostPart()
        download.progress.part = nil
        if case .file(_, let name) = specification.destination { download.progress.name = name }
        return notes + open()
    }

    /// Another program has changed the part file. If a digest of the whole or of its pieces is known, that decides in
    /// the end. Otherwise the bytes on disk do not count as received.
    private mutating func resumeChanged(at place: FilePlace, fileLength: Int64) -> [DownloadAction] {
        let received = progress.segments.received
        // Bytes that the other program appended are not cut off.
        if progress.part?.adoption?.hasBytes == true { download.progress.part?.adoption?.length = nil }
        // A sealed chunk that was changed cannot be opened.
        let isVerified =
            !download.options.isSealed && (download.options.pieces != nil || download.expected != nil)
        download.progress.segments.truncateClaims(to: isVerified ? fileLength : 0)
        // A file that was about to be published is verified once more.
        download.progress.phase = .receiving
        var notes: [DownloadAction] = []
        if received > 0 {
            let changed = "The part file was changed by another program"
            notes = [
                download.note(
                    .partFileChanged,
                    isVerified
                        ? "\(changed); its digest will show whether its bytes are right."
                        : "\(changed); starting over, \(ByteCount(received).formatted) dropped."
                )
            ]
        }
        return notes + openPart(at: place, for: .resuming)
    }

    // MARK: The part file

    private mutating func openPart(
        at place: FilePlace,
        for preparation: DownloadStage.Preparation
    ) -> [DownloadAction] {
        guard let claim = progress.part else {
            preconditionFailure("I6: the transfer resumes a part file that it has no claim on")
        }
        // The file may have been cut within a chunk.
        if preparation == .resuming, download.options.isSealed {
            download.progress.segments = progress.segments.sealed()
        }
        // Not all that was recorded can be kept.
        keepsEarlierBytes = progress.segments.received > 0
        stage = .busy(.preparing(preparation))
        return [.openPart(place, claim.identity)]
    }

    mutating func partReady(_ identity: FileIdentity, isNamed: Bool, _ seal: PartSeal?) -> [DownloadAction] {
        guard let place = download.place else { preconditionFailure("a part file is open that has no place") }
        let isFound = stage.preparation == .resuming || stage.preparation == .finishingRename
        let adoption = isFound ? progress.part?.adoption : nil
        download.progress.part = PartFileClaim(name: place.part, identity: identity, boot: boot)
        download.progress.part?.adoption = adoption
        download.progress.part?.seal = seal
        guard case .busy(.preparing(let preparation), let ending) = stage else {
            // A sync failed while the file replaced another one, and ended the attempt.
            precondition(stage.isStopping, "a part file is open that was not to be opened")
            return []
        }
        if preparation != .finishingRename { download.progress.phase = .receiving }
        // A link gives a small file its final name, and cannot replace a saved one.
        if case .receiving(let id) = preparation, !isNamed, progress.saved == nil,
            part.maySpareName(progress.segments.length, download.options)
        {
            part.openedUnnamed()
            return ending.map { stop($0) } ?? receive(id)
        }
        part.opened()
        switch preparation {
        case .resuming:
            let recorded = record(.process)
            if let ending { return [recorded] + stop(ending) }
            stage = .transferring
            return [recorded] + connect()
        case .finishingRename:
            let recorded = record(.process)
            return [recorded] + (ending.map { stop($0) } ?? verify())
        case .receiving, .rewinding:
            // The claim on a new part file must survive power loss before the file has its name. Otherwise the file
            // would be foreign to its own transfer. This holds even if it has the inode number of a former file; the
            // claims on that file must be dropped.
            let recorded = record(.power)
            return [recorded] + (ending.map { stop($0) } ?? [.namePart])
        case .reserving, .trimming, .quieting, .adopting:
            preconditionFailure("a part file is opened for the second time")
        }
    }

    /// Names a part file that received bytes while it had no name.
    mutating func takeName() -> [DownloadAction] {
        part.takeName(&download.progress.segments)
        return [record(.power), .namePart]
    }

    mutating func partNamed() -> [DownloadAction] {
        switch part.file {
        case .unnamed, .naming:
            // The attempt may be in any stage now.
            part.named()
            return stage.isStopping && board.connections.isEmpty ? [record(.process)] + stopped() : []
        case .named, .closed: break
        }
        let waiting: ConnectionID?
        switch stage.preparation {
        case .receiving(let id): waiting = id
        case .rewinding(let id): waiting = id
        default: return []
        }
        if let ending = stage.ending { return stop(ending) }
        if let waiting { return receive(waiting) }
        stage = .transferring
        return connect()
    }

    /// Replaces the part file by an empty one. The row gives up its claims first, so that it never claims bytes that
    /// are gone (I2).
    mutating func rewind(for id: ConnectionID?) -> [DownloadAction] {
        let why = "The bytes of \(download.foreignName) cannot be used"
        if let refusal = download.refusalToDropForeign(why) { return fail(refusal) }
        stage = .busy(.preparing(.quieting(id)))
        return [record(.power)] + rewindWhenQuiet(for: id)
    }

    /// Replaces the part file once no connection writes: old bytes must not get into the new file (I5).
    ///
    /// Each part file only ever holds bytes of one version. If the old file were emptied and refilled, a store restored
    /// from a backup would take the new bytes for the old ones.
    mutating func rewindWhenQuiet(for id: ConnectionID?) -> [DownloadAction] {
        guard !board.connections.isWriting else { return [] }
        guard let place = download.place, let claim = progress.part else {
            preconditionFailure("I6: a part file is replaced that the transfer has no claim on")
        }
        stage.prepare(.rewinding(id))
        return [.replacePart(place, claim.identity)]
    }
}
