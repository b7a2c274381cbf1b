/// From the last byte to the final name.
extension DownloadMachine {
    // MARK: Verifying

    /// Verifies the file once every byte is received.
    mutating func verify() -> [DownloadAction] {
        guard let length = progress.segments.length, progress.segments.isComplete else {
            return fail(.transient(.internalFault, "I1: a download was to be verified before it was whole."))
        }
        if let excess = download.passedMaximum { return fail(excess) }
        if let more = settleJunctions() { return more }
        // A file without a name was made by this attempt, so it has no bytes after its end. The last chunk of a sealed file is
        // still to be sealed.
        guard !download.isStream, part.file != .unnamed || download.options.isSealed else {
            return digest(length)
        }
        stage = .busy(.preparing(.trimming))
        return [.trim(length)]
    }

    /// Without a digest, bytes of several sources count only if they are equal wherever they meet. Compares what was not
    /// compared yet, and fetches again what no comparison can prove.
    ///
    /// - Returns: `nil` if the bytes belong together.
    private mutating func settleJunctions() -> [DownloadAction]? {
        // A file that is about to be published was settled before.
        guard download.needsComparisons, progress.phase == .receiving else { return nil }
        let review = JunctionReview(download)
        if !review.doubtful.isEmpty { return fetchAgain(unproved: review.doubtful) }
        let open = review.open
        guard !open.isEmpty else { return nil }
        stage = .transferring
        let comparisons = board.compareAll(open, of: review, download)
        if !comparisons.isEmpty { return comparisons }
        return leaveUncompared(open, of: review)
    }

    /// No source that could compare bytes can be asked in this attempt.
    private mutating func leaveUncompared(_ open: [Junction], of review: JunctionReview) -> [DownloadAction] {
        let lead = download.lead
        let ends = open.filter { review.isOfLead($0) }
        // A lead that is gone will never compare the end of the file. Another source gives all of it.
        if !ends.isEmpty, let anew = replaceLead() { return anew }
        let problem = board.sources.problem(of: lead)
        // The bytes are fetched again, as the lead's bytes need no comparison with each other. A lead that did not send the
        // requested part may have another file by now, or send no parts. Only a request for missing bytes can show that and
        // start over.
        let mayGive =
            board.sources.isUsable(lead, in: download) || !download.isListed(lead)
            || problem?.failure.code == .badResponse
        guard mayGive else { return failWithoutSources() }
        // A mirror at an end would give the same bytes again in this attempt, and again no one would compare them.
        for source in ends.flatMap({ [$0.before, $0.after] }) where source != lead {
            board.sources.giveUp(source, problem ?? download.lostConnection)
        }
        return fetchAgain(unproved: review.ranges(at: open))
    }

    /// Drops bytes that no comparison can prove, and fetches them again.
    mutating func fetchAgain(unproved ranges: [Range<Int64>]) -> [DownloadAction] {
        let count = ranges.reduce(0) { $0 + $1.upperBound - $1.lowerBound }
        // Nothing of the file would be left, so the user decides. The file is given back as it was.
        if count == progress.segments.received, let refusal = download.refusalToFetchForeign {
            part.invalidate()
            download.drop(ranges)
            return fail(refusal)
        }
        let isOfOtherTool = progress.mirroring.excluded[.otherTool] != nil
        let dropped = ByteCount(count).formatted
        let text =
            isOfOtherTool
            ? "\(dropped) of another tool are fetched again, also those that were equal."
            : "\(dropped) of other sources are fetched again: nothing shows that they fit."
        return fetchAgain(ranges, [download.note(.bytesRefetched, text)])
    }

    /// Drops bytes and fetches them again. No connection may be writing.
    private mutating func fetchAgain(_ ranges: [Range<Int64>], _ news: [DownloadAction]) -> [DownloadAction] {
        part.invalidate()
        download.drop(ranges)
        let recorded = record(.process)
        stage = .transferring
        return news + [recorded] + connect()
    }

    mutating func trimmed() -> [DownloadAction] {
        guard case .busy(.preparing(.trimming), let ending) = stage, let length = progress.segments.length
        else {
            return []
        }
        part.invalidate()
        return ending.map { stop($0) } ?? digest(length)
    }

    private mutating func digest(_ length: Int64) -> [DownloadAction] {
        if let asked = download.options.length, asked != length {
            let flaw = FileFlaw.length(length, expected: asked)
            return failed(verification: download.mismatch(flaw.sentence(about: "The file")))
        }
        // An answer without a length ends where the connection does.
        if let listed = download.options.listedLength, listed != length, !progress.isDecoded {
            return failed(verification: download.unlisted(length, listed: listed))
        }
        guard let algorithm = download.expected?.algorithm ?? algorithmToOpenAll else {
            return digestPieces(length)
        }
        stage = .busy(.digesting(.whole))
        return [.digest(algorithm, length: length)]
    }

    /// The algorithm that only serves to read a sealed file back; `nil` if that is not needed. Bytes of an earlier attempt may have
    /// been damaged since, and without a digest no one would notice. The chunks that do not open show it.
    private var algorithmToOpenAll: Checksum.Algorithm? {
        download.options.isSealed && keepsEarlierBytes && download.options.pieces == nil ? .sha256 : nil
    }

    private mutating func digestPieces(_ length: Int64, wrongWhole: Checksum? = nil) -> [DownloadAction] {
        guard let pieces = download.options.pieces else { return verified() }
        guard pieces.fit(size: length) else {
            let text =
                "The file has \(ByteCount(length).detailed), which does not match \(pieces.checksums.count) pieces of "
                + "\(ByteCount(pieces.length).formatted)."
            return failed(verification: download.mismatch(text))
        }
        stage = .busy(.digesting(.pieces(wrongWhole: wrongWhole)))
        return [.digestPieces(pieces, length: length)]
    }

    /// Compares the digest. A file with a wrong digest is repaired or dropped.
    mutating func digested(_ found: Checksum) -> [DownloadAction] {
        guard case .busy(.digesting(.whole), let ending) = stage else { return [] }
        if let ending { return stop(ending) }
        guard let expected = download.expected, expected != found else { return verified() }
        return judge(.whole(found))
    }

    mutating func piecesDigested(_ wrong: [Int]) -> [DownloadAction] {
        guard case .busy(.digesting(.pieces(let wrongWhole)), let ending) = stage else { return [] }
        if let ending { return stop(ending) }
        guard wrong.isEmpty else { return judge(.pieces(wrong: wrong, wrongWhole: wrongWhole)) }
        guard let wrongWhole, let expected = download.expected else { return verified() }
        // Each piece is right but the whole is wrong: one of the given digests is wrong.
        return failed(verification: download.mismatch(expected: expected, found: wrongWhole))
    }

    /// Judges what was found wrong. If a sync is in progress, its end is awaited first, because it may have dropped
    /// bytes before they were read.
    private mutating func judge(_ doubt: DownloadStage.Doubt) -> [DownloadAction] {
        guard !part.isSynchronizing else {
            stage = .busy(.digesting(.doubting(doubt)))
            return []
        }
        switch doubt {
        case .whole(let found):
            guard let expected = download.expected else { return verified() }
            return carryOut(download.repair(wrongWhole: found, expected: expected))
        case .pieces(let wrong, let wrongWhole):
            guard let pieces = download.options.pieces else { return verified() }
            return carryOut(download.repair(wrongPieces: wrong, of: pieces, wrongWhole: wrongWhole))
        case .unopened:
            return carryOut(download.repairDamage())
        }
    }

    /// Handles sealed bytes on the disk that do not open. They would not open in the next attempt either.
    mutating func damaged() -> [DownloadAction] {
        switch stage {
        case .busy(.digesting, then: nil), .busy(.preparing(.trimming), then: nil):
            return judge(.unopened)
        case .transferring:
            // They were read for a comparison. What the connections still write goes with the file.
            return board.connections.dismissAll() + carryOut(download.repairDamage())
        default:
            return fail(.sealedBytesDamaged)
        }
    }

    private mutating func carryOut(_ repair: Repair) -> [DownloadAction] {
        switch repair {
        case .fail(let problem):
            return failed(verification: problem)
        case .findPieces(let length, let wrongWhole):
            return digestPieces(length, wrongWhole: wrongWhole)
        case .fetchAgain(let ranges, let note, let culprits):
            let news = [download.note(note)] + download.excludeWrong(culprits)
            elect()
            return fetchAgain(ranges, news)
        case .replace(let note, let culprits):
            return startOver([download.note(note)] + download.excludeWrong(culprits))
        case .startOver(let giver):
            download.progress.mirroring.isAlone = true
            return startOver(download.exclude(giver, .wrongBytes))
        }
    }

    /// Drops all bytes, and fetches them again into another file.
    private mutating func startOver(_ news: [DownloadAction]) -> [DownloadAction] {
        forgetBytes()
        elect()
        return news + rewind(for: nil)
    }

    /// Makes another source the lead if the present one is no longer used.
    private mutating func elect() {
        guard download.elect() else { return }
        board.sources.traitsOfLead = board.sources.traits(of: download.server(of: download.lead))
    }

    /// No source can be asked any more in this attempt.
    mutating func failWithoutSources() -> [DownloadAction] {
        let (problem, isVerification) = download.problem(whenNoSourceIsLeft: board.sources.mildest)
        return isVerification ? failed(verification: problem) : fail(problem)
    }

    /// The bytes are wrong, and no source is left that might have others.
    private mutating func failed(verification problem: Problem) -> [DownloadAction] {
        forgetBytes()
        // The next attempt may ask every source again.
        download.progress.mirroring = Mirroring()
        // The row gives up its claim, so that this transfer never touches the file again. A damaged file is of no use.
        if download.options.keepsMismatch, problem.failure.code == .checksumMismatch {
            download.progress.part = nil
        }
        return (download.isStream ? [] : [record(.process)]) + fail(problem)
    }

    // MARK: Making durable

    /// Continues once the bytes are verified.
    private mutating func verified() -> [DownloadAction] {
        download.isStream ? finish(.completed) : synchronizeAll()
    }

    private mutating func synchronizeAll() -> [DownloadAction] {
        stage = .busy(.synchronizing)
        // A running sync covers only what was written when it began. Its answer orders the next one.
        return part.isSynchronizing ? [] : [part.synchronize(progress.segments, isEnded: true)]
    }

    mutating func synchronized() -> [DownloadAction] {
        part.confirm(&download.progress.segments, at: download.now)
        switch stage {
        case .busy(.synchronizing, let ending):
            if let ending { return stop(ending) }
            return progress.segments.isDurable ? publish() : synchronizeAll()
        case .busy(.digesting(.doubting(let doubt)), let ending):
            let recorded = record(.process)
            return [recorded] + (ending.map { stop($0) } ?? judge(doubt))
        case .stopping where board.connections.isEmpty:
            return stopped()
        default:
            return [record(.process)]
        }
    }

    // MARK: Publishing

    /// Renames the whole and verified file. Looks first whether a saved file that it replaces is still the same, and whether it
    /// would replace the file of another transfer.
    mutating func publish(replacingSaved: Bool = false, isLookedAt: Bool = false) -> [DownloadAction] {
        if progress.saved != nil, !replacingSaved { return survey() }
        if !replacingSaved, !isLookedAt, download.specification.replacesUnnamed { return survey() }
        guard let place = download.place else {
            preconditionFailure("I1: a file is to be published that has no name")
        }
        stage = .publishing
        joinSegments()
        let noted = part.notePublication(&download.progress)
        let replaces = replacingSaved || download.options.existingFile == .overwrite
        return [noted, .publish(place.name, replacing: replaces, dated: download.keptTime)]
    }

    mutating func published(modified: Int64?) -> [DownloadAction] {
        download.progress.part?.modified = modified
        return noteTime(modified) + finish(.completed)
    }

    /// Says that the file did not get the server's time.
    private mutating func noteTime(_ modified: Int64?) -> [DownloadAction] {
        guard let wanted = download.keptTime, let modified else { return [] }
        // FAT counts in steps of two seconds.
        let difference = wanted.duration(to: Instant(milliseconds: modified / 1_000_000))
        guard difference > .seconds(2) || difference < .seconds(-2) else { return [] }
        let text = "The file system did not take the server's time; the file has that of its download."
        return [download.note(.timeNotKept, text)]
    }

    mutating func publicationFailed(_ problem: Problem) -> [DownloadAction] {
        switch problem.failure.code {
        case .destinationMoved where problem.failure.remedies.contains(.mountDisk):
            // The note about the publication stays, so that the file is recognised when its disk is mounted again.
            return fail(Problem(problem.failure, .condition(.diskMount)))
        case .destinationMoved:
            // The file is whole and published, but its directory has another path now. This transfer leaves the file
            // alone from now on.
            forgetBytes()
            download.progress.part = nil
        case .destinationExists:
            // The name was taken while the bytes arrived.
            download.progress.phase = .receiving
            switch download.options.existingFile {
            case .autoRename: return publishUnderNextName()
            case .noClobber: return [record(.process)] + survey()
            case .fail, .overwrite: break
            }
        default:
            // The rename may have succeeded, and only its sync failed. The note about it stays, so that the next
            // attempt recognises its file under the final name.
            return fail(problem)
        }
        return [record(.process)] + fail(problem)
    }

    private mutating func publishUnderNextName() -> [DownloadAction] {
        guard let name = progress.name.flatMap({ numbering.next(after: $0) }) else {
            return fail(.permanent(.destinationExists, "All numbered names already exist."))
        }
        download.progress.name = name
        return publish()
    }
}
