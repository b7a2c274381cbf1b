/// One attempt of a download, as a state machine: events in, actions out.
///
/// ```
/// idle ──▶ surveying ──▶ preparing ──▶ transferring ──▶ digesting ──▶ synchronizing ──▶ publishing ──▶ ended
///              │             │              │                                              ▲
///              └─────────────┴── (all bytes there) ───────────────────────────────────────┘
/// ```
/// Some steps lead back. `preparing` returns to `surveying` when a name is taken. `transferring` returns to
/// `surveying` when the first answer gives the name, and to `preparing` when a new version needs an empty file. A
/// wrong digest leads from `digesting` to `transferring` to fetch some bytes again, or to `preparing` to fetch all, and
/// so do sealed bytes that do not open.
/// `publishing` returns to `surveying` when the name was taken meanwhile and no file may be replaced.
///
/// Every stage but `ended` can also lead to `stopping`, which waits for the connections to end, and from there to
/// `ended`.
///
/// The machine sees watermarks, never bytes. It performs nothing itself: its runner carries out the actions in order
/// and feeds back the results. It moves from stage to stage and leaves the rest to types that own their state: see
/// ``PartDurability`` and ``ConnectionBoard``.
package struct DownloadMachine: Sendable {
    /// What was asked for, and what is known and done so far.
    var download: Download
    /// The stage that the attempt is in.
    var stage: DownloadStage
    /// Which parts of the part file survive the death of the process or a power cut.
    var part: PartDurability
    /// The connections, and all that decides their number and what each fetches.
    var board: ConnectionBoard
    /// The search for a free name.
    var numbering = NameNumbering.unused
    /// Whether the bytes of an answer were taken, so that its status is that of the download.
    private(set) var hasTakenAnswer: Bool
    /// Whether bytes of an earlier attempt are kept. Without them, a connection that continues others resumes nothing.
    var keepsEarlierBytes: Bool
    /// The proof that this attempt named when it last announced a resumption.
    var toldProof: String?
    /// Whether the file was already longer than allowed when this attempt began.
    let beganTooLong: Bool
    /// The boot under which this attempt runs.
    let boot: BootID

    /// The smallest piece, in bytes, for which a connection is opened beside others.
    package static let smallestPiece: Int64 = 512 << 10
    /// Length in bytes below which a file is small: work done once per file would cost more than it saves.
    package static let smallLength: Int64 = 1 << 20

    /// Creates the machine of an attempt that resumes from `progress`. `traits` describe the server of its bytes;
    /// `isProbed` if one connection more than its remembered limit is tried. `expiry` is when the signature of its own
    /// URL expires, unless that is renewed before. The attempt keeps the status of the answer whose bytes it continues.
    package init(
        _ specification: DownloadSpecification,
        from progress: DownloadProgress,
        traits: ServerTraits = ServerTraits(),
        isProbed: Bool = false,
        expiry: Instant? = nil,
        boot: BootID,
        smallestPiece: Int64 = DownloadMachine.smallestPiece,
        smallLength: Int64 = DownloadMachine.smallLength,
        at now: Instant
    ) {
        var download = Download(specification: specification, progress: progress, now: now, expiry: expiry)
        let options = specification.options
        board = ConnectionBoard(
            pieces: PiecePlan(
                most: options.mostConnections,
                smallestPiece: smallestPiece,
                alignment: options.isSealed ? PartSeal.chunkLength : 1,
                isInOrder: options.isInOrder
            ),
            sources: SourceBoard(lead: traits)
        )
        // The traits belong to the server that gave the bytes; without bytes they say nothing.
        if progress.segments.received > 0 {
            board.sources.learn(traits, of: download.server(of: download.lead), isProbed: isProbed)
        }
        stage = .idle(decodedBytesLost: download.prepare())
        let hasWorked = download.progress.status.map { (200..<300).contains($0) } ?? false
        hasTakenAnswer = hasWorked && download.progress.segments.received > 0
        beganTooLong = download.passedMaximum != nil
        keepsEarlierBytes = download.progress.segments.received > 0
        part = PartDurability(smallLength: smallLength, isSealed: options.isSealed, at: now)
        self.download = download
        self.boot = boot
    }

    /// The download that the caller specified.
    package var specification: DownloadSpecification { download.specification }

    /// What is known and done so far.
    package var progress: DownloadProgress { download.progress }

    /// Which bytes were received. To copy the whole progress for that takes much longer.
    package var segments: SegmentMap { download.progress.segments }

    /// Whether every byte is received and verified, so that no more bytes will arrive.
    package var isFinishing: Bool { stage.isFinishing }

    /// Handles an event and returns the actions to perform, in order.
    package mutating func handle(_ event: DownloadEvent, at now: Instant) -> [DownloadAction] {
        guard stage != .ended else { return [] }
        download.now = now
        switch event {
        case .begin: return begin()
        case .surveyed(let survey): return surveyed(survey)
        case .partReady(let identity, let isNamed, let seal):
            return partReady(identity, isNamed: isNamed, seal)
        case .partNamed: return partNamed()
        case .reserved: return reserved()
        case .trimmed: return trimmed()
        case .head(let id, let facts): return head(of: id, facts)
        case .advanced(let watermarks): return advanced(watermarks)
        case .connectionEnded(let id, let offset, let end): return connectionEnded(id, at: offset, end)
        case .sampled(let watermarks): return sampled(watermarks)
        case .recalled(let traits, let server, let isProbed):
            return recalled(traits, of: server, isProbed: isProbed)
        case .shortened(let id, let isDone): return shortened(for: id, isDone)
        case .synchronized: return synchronized()
        case .digested(let checksum): return digested(checksum)
        case .piecesDigested(let wrong): return piecesDigested(wrong)
        case .published(let modified): return published(modified: modified)
        case .directorySynchronized: return finish(.completed)
        case .storageFailed(let operation, let problem): return storageFailed(operation, problem)
        case .ask(let ending): return ask(ending)
        case .partRemoved: return partRemoved()
        case .readdressed(let expiry):
            download.expiry = expiry
            return []
        case .inspected(let flaw): return inspected(flaw)
        case .adopted: return adopted()
        }
    }

    // MARK: Shared by the stages

    /// Forgets the received bytes.
    ///
    /// - Parameter keepsVersion: whether only the file is gone, so that its version still has its length.
    mutating func forgetBytes(keepsVersion: Bool = false) {
        // This resets the count of refused parts. The new whole must not be divided into such parts again.
        if download.doesWithoutParts { board.pieces.takeWhole() }
        if keepsVersion { download.progress.forgetFile() } else { download.progress.forgetBytes() }
        keepsEarlierBytes = false
        part.invalidate()
    }

    /// Notes that the bytes of an answer are taken. The first such answer gives the download its status. A later one does so only
    /// if it brings the whole anew.
    mutating func noteTaken(_ answer: ConnectionAnswer, isWhole: Bool = false) {
        if isWhole || !hasTakenAnswer { download.progress.status = answer.status }
        hasTakenAnswer = true
    }

    mutating func record(_ durability: Durability) -> DownloadAction {
        joinSegments()
        return part.record(progress, durability)
    }

    /// Joins complete segments, so that the map stays small however often it is divided.
    mutating func joinSegments() {
        download.progress.segments.join(except: board.connections.segments)
    }

    // MARK: Early ends

    mutating func ask(_ wanted: StopOrder) -> [DownloadAction] {
        switch stage {
        case .publishing, .ended:
            // A rename is not interrupted, and after it there is nothing left to stop.
            return []
        case .busy, .stopping:
            // The answer of the operation, the connections or the removal ends the attempt.
            stage.insist(on: .asked(wanted))
            return []
        case .idle, .transferring:
            return stop(.asked(wanted))
        }
    }

    /// Ends the attempt with a problem, once every connection has ended.
    mutating func fail(_ problem: Problem) -> [DownloadAction] {
        stop(.problem(download.concerningForeignBytes(problem)))
    }

    /// Ends the attempt: cuts the connections and finishes when the last one has ended.
    mutating func stop(_ ending: DownloadStage.Ending) -> [DownloadAction] {
        // Connections, a last sync or the removal are already awaited; their result ends the attempt.
        guard !stage.isStopping else { return [] }
        stage = .stopping(stage.ending ?? ending)
        return board.connections.cutAll() + (board.connections.isEmpty ? stopped() : [])
    }

    /// The last connection has ended: saves what is worth keeping and finishes.
    mutating func stopped() -> [DownloadAction] {
        guard case .stopping(let ending) = stage, !part.isSynchronizing, part.file != .naming else {
            return []
        }
        if dropsExcess(before: ending) || dropsMismatch(before: ending) || givesBack(before: ending) {
            guard let removal = removal() else { return finish(ending.outcome) }
            return [record(.power), removal]
        }
        if part.owesName(progress, before: ending) { return takeName() }
        if owesSync(before: ending) { return [part.synchronize(progress.segments)] }
        switch ending {
        case .asked(.cancel(keepingPart: false)):
            guard let removal = removal() else { return finish(.cancelled) }
            return [removal]
        case .alreadyThere:
            // The existing file is not this transfer's, which knows nothing of it.
            guard let removal = removal() else { return finish(.completed) }
            // If the process dies after the removal, no row claims the bytes that are gone (I2).
            return [record(.power), removal]
        case .upToDate:
            if let saved = progress.saved {
                let (note, status) = (progress.note, progress.status)
                download.progress = saved.completed(as: progress.name)
                (download.progress.note, download.progress.status) = (note, status)
            }
            return finish(.completed)
        case .asked(.release), .asked(.cancel(keepingPart: true)), .problem:
            return finish(ending.outcome)
        }
    }

    /// Whether bytes that the next attempt needs are synced before this one ends. The transfer may wait for long.
    private func owesSync(before ending: DownloadStage.Ending) -> Bool {
        guard part.isAtRisk(progress) else { return false }
        return switch ending {
        case .asked(let order): order == .release
        // A failed write may have reported an error of earlier writes. A sync does not report that again, so its success would
        // prove nothing (I2).
        case .problem(let problem):
            problem.disposition != .permanent && !problem.isOfTheDisk && !progress.startsOver
        case .alreadyThere, .upToDate: false
        }
    }

    /// Whether an attempt that ends now leaves the beginning of a file of unknown length that is too long. Bytes of earlier
    /// attempts, which may have allowed more, stay; so do those of a version whose length is known.
    private func dropsExcess(before ending: DownloadStage.Ending) -> Bool {
        guard case .problem(let problem) = ending, problem.failure.code == .tooLong, !beganTooLong else {
            return false
        }
        return progress.segments.received == 0 || progress.segments.length == nil
    }

    /// Whether an attempt that ends now leaves the part file of a wrong file in a pool. No byte of it is of use, and the entry is
    /// to be as it was: with a part file, the server would not be asked whether the entry is up to date.
    private func dropsMismatch(before ending: DownloadStage.Ending) -> Bool {
        guard case .problem(let problem) = ending, problem.failure.code == .checksumMismatch else {
            return false
        }
        return download.options.cache != nil && progress.segments.received == 0
    }

    /// Whether an attempt that ends now gives the file of another tool back: the download has failed, and nothing shows that
    /// the bytes are the server's.
    private func givesBack(before ending: DownloadStage.Ending) -> Bool {
        guard case .problem(let problem) = ending, problem.disposition == .permanent, part.isOpen,
            progress.part?.adoption != nil
        else { return false }
        return progress.segments.received == 0 || progress.assurance == .single
    }

    /// Gives up all bytes. The part file is to be removed if it can be found, and one of another tool given back.
    private mutating func removal() -> DownloadAction? {
        let claim = part.recordable(progress).part
        forgetBytes()
        guard let place = download.place, let claim else { return nil }
        guard let adoption = claim.adoption else { return .removePart(place, claim.identity) }
        return .giveBack(place, claim.identity, adoption)
    }

    mutating func partRemoved() -> [DownloadAction] {
        if stage == .publishing, let place = download.place { return [.synchronizeDirectory(place)] }
        forgetBytes()
        download.progress.settleResidue(as: .removed)
        return finish(stage.ending?.outcome ?? .cancelled)
    }

    mutating func finish(_ outcome: AttemptOutcome) -> [DownloadAction] {
        stage = .ended
        if outcome == .completed {
            download.progress.saved = nil
            download.progress.part?.seal?.erase()
            download.progress.part?.adoption = nil
        }
        return [.finish(outcome, part.recordable(progress))]
    }

    // MARK: Failed operations

    mutating func storageFailed(
        _ operation: DownloadEvent.StorageOperation,
        _ problem: Problem
    ) -> [DownloadAction] {
        switch operation {
        case .synchronize:
            part.lose(&download.progress, at: download.now)
            // The bytes that the connections still write come after a gap of lost bytes.
            board.connections.disregardAll()
            let recorded = record(.process)
            if stage.isStopping, board.connections.isEmpty { return [recorded] + stopped() }
            return [recorded] + fail(problem)
        case .publish:
            return publicationFailed(problem)
        case .prepare where takesNextName(after: problem), .name where takesNextName(after: problem):
            download.progress.part = nil
            part.closed()
            return surveyNextName()
        case .prepare where takesNextPart(after: problem):
            return surveyNextPart() ?? fail(problem)
        case .name where beginsUnderNextName(after: problem):
            // Its few bytes are fetched again: the file has no name and disappears when it is closed.
            forgetBytes(keepsVersion: true)
            download.progress.part = nil
            part.closed()
            return board.connections.dismissAll() + surveyNextName()
        case .name:
            return nameRefused(problem)
        case .prepare where problem.failure.code == .partFileLost:
            // If another file has the name, the next attempt looks at who writes it. This transfer's own file may be
            // put back.
            if problem.disposition != .permanent || download.options.existingFile == .autoRename {
                forgetBytes(keepsVersion: true)
                download.progress.part = nil
            }
            return fail(Problem(problem.failure, .transient(retryAfter: nil)))
        case .remove:
            return stage == .publishing ? fail(problem) : finish(stage.ending?.outcome ?? .cancelled)
        case .digest where problem == .sealedBytesDamaged, .prepare where problem == .sealedBytesDamaged:
            return damaged()
        case .digest:
            if case .busy(.inspecting(let file, isSecondTry: false), then: nil) = stage,
                problem.failure.code == .cannotOpen
            {
                // By now another file may have its name, or no file.
                return survey(unopened: file.identity)
            }
            return fail(problem)
        case .prepare where problem == .bytesDiffer:
            // The server has sent a last chunk that is not the one that was sealed before.
            return overlapDiffered()
        case .survey:
            return fail(download.surveyFailed(problem))
        case .prepare:
            return fail(problem)
        }
    }

    /// Handles a part file that got no name: what was written to it is lost.
    private mutating func nameRefused(_ problem: Problem) -> [DownloadAction] {
        // The file disappears when it is closed, unless it got its name although the call failed: a network file
        // system can lose the answer. The next attempt finds it then.
        forgetBytes(keepsVersion: true)
        board.connections.disregardAll()
        let isTaken = problem.saysThatNameIsTaken
        if isTaken { download.progress.part = nil }
        part.closed()
        let recorded = record(.process)
        if stage.isStopping, board.connections.isEmpty { return [recorded] + stopped() }
        // Who has the name now is not known. The next attempt looks, and takes another one if no transfer has it.
        return [recorded]
            + fail(isTaken ? Problem(problem.failure, .transient(retryAfter: nil)) : problem)
    }

    /// Whether another number is tried because the part file's name is taken.
    private func takesNextName(after problem: Problem) -> Bool {
        guard case .busy(.preparing(.receiving), then: nil) = stage else { return false }
        return download.options.existingFile == .autoRename && problem.saysThatNameIsTaken
    }

    /// Whether the part file gets another name: an empty file that belongs to no transfer has the present one.
    private func takesNextPart(after problem: Problem) -> Bool {
        guard case .busy(.preparing(.receiving), then: nil) = stage, progress.part == nil else {
            return false
        }
        return problem.failure.code == .destinationExists
    }

    /// Whether the next number is tried because another file took the name before the part file was named.
    private func beginsUnderNextName(after problem: Problem) -> Bool {
        guard stage == .transferring, part.file == .naming else { return false }
        return download.options.existingFile == .autoRename && problem.saysThatNameIsTaken
    }
}
