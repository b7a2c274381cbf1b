import HTTPTypes

/// One attempt at an upload, as a state machine.
///
/// ```
///  idle ─▶ surveying ─▶ exchanging: discover ─▶ recording ─▶ exchanging: create ─▶ recording ─┐
///              │  ╰───▶ exchanging: ask, look ◀──────────────── misplaced ───────────┐        │
///              │               ╰────────────────────────────────────────────────▶ appending ◀─┘
///              │                                                                     │
///  ended ◀─ exchanging: complete ◀─ recording ◀─ surveying ◀──────── all parts ──────╯
/// ```
///
/// If only a checksum can tell whether the server's object is this file, the file is read (`comparing`).
///
/// From every state an attempt may end, and the file may turn out to have changed. What the server holds of a former
/// version is then removed (`aborting`), before the upload ends or starts over.
///
/// What the server may act on is recorded before it is sent: the request that creates the upload, and the one that makes
/// the object. The handle is recorded before the first part is sent. After an answer was lost, the server is asked.
package struct UploadMachine: Sendable {
    enum State {
        /// Not begun; exits to `surveying`, and to `ended`.
        case idle
        /// The file is looked at, at the beginning or before the object is made; exits to `exchanging`, `recording`,
        /// `aborting` and `ended`.
        case surveying(Survey)
        /// The progress is recorded; exits to `exchanging` or `appending`, and to `aborting` or `ended` when the attempt was
        /// asked to end. With the stage before the record.
        case recording(Next, former: UploadProgress.Stage)
        /// One request is on its way, and no other; exits to every state but `idle`.
        case exchanging(UploadStep, UploadRequest, ID)
        /// The file is read, because an object like it is there; exits to `exchanging`, `recording`, `aborting` and `ended`.
        case comparing(UploadResult, Checksum, ID)
        /// Parts are on their way. With an aim no part is begun, and once none is on its way the aim is followed; exits to
        /// `surveying`, `recording`, `exchanging`, `aborting` and `ended`.
        case appending(Aim?)
        /// The server removes what it holds; exits to `surveying` and `ended`.
        case aborting(ID, Sequel)
        /// The attempt is over. No exit.
        case ended
    }

    enum Survey { case beginning, finishing }

    enum Next { case send(UploadStep), append }

    /// What follows when no part is on its way.
    enum Aim {
        case fail(Problem)
        case ask
        case startOver
        case changed(Problem)
        case end(StopOrder)

        /// Of two aims the higher one is followed.
        var rank: Int {
            switch self {
            case .fail(let problem): problem.disposition == .permanent ? 3 : 0
            case .ask: 1
            case .startOver: 2
            case .end(.release): 4
            case .changed: 5
            case .end(.cancel): 6
            }
        }
    }

    /// What follows a removal.
    enum Sequel {
        case finish(AttemptOutcome)
        case survey
        /// The object was made. The parts at the server are removed, in case it was not made of them.
        case complete(UploadResult)
    }

    /// Names an exchange, or the reading of a part before it.
    package typealias ID = Int

    /// What happened.
    package enum Event: Sendable {
        /// The attempt may begin.
        case begin
        /// The file is this one now.
        case surveyed(PinnedFile)
        /// The file cannot be looked at.
        case unreadable(Problem)
        /// The progress was recorded.
        case recorded
        /// A part has this checksum.
        case digested(ID, Checksum)
        /// An interim answer has arrived.
        case interim(ID, UploadAnswer)
        /// The answer has arrived.
        case answered(ID, UploadAnswer)
        /// An exchange, or the reading before it, has failed before an answer came, also because it was cut.
        case failed(ID, Problem, hasLeft: Bool)
        /// Time to note the progress.
        case tick
        /// The caller wants the attempt to end.
        case ask(StopOrder)
    }

    /// What the runner must do.
    package enum Action: Hashable, Sendable {
        /// Look at the file under the path of this one.
        case survey(PinnedFile)
        /// Record the progress so that it survives power loss.
        case record(UploadProgress)
        /// Record the progress, for display. It need not survive power loss.
        case note(UploadProgress)
        /// Compute the checksum of a range of the file.
        case digest(ID, PinnedFile, Range<Int64>, Checksum.Algorithm)
        /// Send this request; its body may be a range of the file.
        case send(ID, UploadRequest, PinnedFile)
        /// Cut an exchange, or the reading before it; its failure is still fed back.
        case cut(ID)
        /// The attempt is over.
        case finish(AttemptOutcome, UploadProgress)
    }

    /// How often one attempt starts over, or takes steps in a row that bring it hardly further, or sends one part that arrives
    /// damaged.
    static let limits = (startsOver: 2, stalls: 5, damages: 3)

    let specification: UploadSpecification
    let rules: UploadPartRules
    let wire: any UploadProtocol
    package internal(set) var progress: UploadProgress
    /// The file as this attempt sends it.
    var source: PinnedFile
    var parts: UploadParts?
    /// The parts on their way, from the first byte that is read of them.
    var running: [ID: UploadPart] = [:]
    var ending: StopOrder?
    var latest: ID = 0
    var counts = (startsOver: 0, stalls: 0)
    var damages: [Int: Int] = [:]
    var notedBytes: Int64
    var state = State.idle

    /// Creates the machine of an attempt that starts from this progress.
    package init(_ work: UploadWork, by wire: any UploadProtocol) {
        specification = work.specification
        progress = work.progress
        source = work.progress.source ?? work.specification.file
        notedBytes = work.progress.confirmed
        self.wire = wire
        rules = wire.rules
    }

    /// Handles an event and returns the actions to perform.
    package mutating func handle(_ event: Event, at now: Instant) -> [Action] {
        switch (state, event) {
        case (.idle, .begin): return survey(.beginning)
        case (.surveying(let survey), .surveyed(let file)): return surveyed(file, survey, at: now)
        case (.surveying, .unreadable(let problem)): return finish(.failed(problem))
        case (.recording(let next, let former), .recorded): return recorded(next, former, at: now)
        case (.exchanging(let step, _, let id), .interim(let one, let answer)) where one == id:
            return interim(answer, to: step, id, at: now)
        case (.exchanging(let step, let request, let id), .answered(let one, let answer)) where one == id:
            return answered(answer, to: step, request, at: now)
        case (.exchanging(let step, _, let id), .failed(let one, let problem, let hasLeft)) where one == id:
            return failed(problem, hasLeft: hasLeft, step)
        case (.comparing(let result, let checksum, let id), .digested(let one, let own)) where one == id:
            return own == checksum ? found(result, at: now) : notFound(at: now)
        case (.comparing(_, _, let id), .failed(let one, let problem, _)) where one == id:
            return problem.failure.code == .bodyChanged ? changed(problem) : finish(.failed(problem))
        case (.appending, .digested(let id, let checksum)): return digested(id, checksum, at: now)
        case (.appending, .answered(let id, let answer)): return appended(id, answer, at: now)
        case (.appending, .failed(let id, let problem, _)): return notAppended(id, problem, at: now)
        case (.aborting(let id, let sequel), .answered(let one, let answer)) where one == id:
            return aborted(wire.reading(answer, to: .abort, of: known, at: now), sequel)
        case (.aborting(let id, let sequel), .failed(let one, let problem, _)) where one == id:
            return aborted(.failed(problem), sequel)
        case (.ended, _): return []
        case (_, .tick): return note()
        case (_, .ask(let order)): return ask(order, at: now)
        case (.idle, _), (.surveying, _), (.recording, _), (.exchanging, _), (.comparing, _), (.appending, _),
            (.aborting, _):
            return []
        }
    }

    /// Notes the progress, for display.
    private mutating func note() -> [Action] {
        guard progress.confirmed != notedBytes else { return [] }
        notedBytes = progress.confirmed
        return [.note(progress)]
    }

    // MARK: Beginning

    mutating func survey(_ survey: Survey) -> [Action] {
        state = .surveying(survey)
        return [.survey(specification.file)]
    }

    mutating func surveyed(_ file: PinnedFile, _ survey: Survey, at now: Instant) -> [Action] {
        switch survey {
        case .finishing:
            guard file.isSame(as: source) else { return changed(.changed(file.path)) }
            if let parts, !rules.areIndependent, !parts.areComplete {
                return record(.append, as: .completing)
            }
            progress.expected = wire.expectedObject(of: known)
            return record(.send(.complete), as: .completing)
        case .beginning:
            guard file.isSame(as: specification.file) || specification.startsOverOnChange else {
                return changed(.changed(file.path))
            }
            source = file
            guard progress.stage == .fresh || progress.source?.isSame(as: file) ?? false else {
                progress.note = TransferNote(.startedOver, "Started over, because \(file.path) was changed.")
                return abort(then: .survey)
            }
            return resume(at: now)
        }
    }

    mutating func resume(at now: Instant) -> [Action] {
        switch progress.stage {
        case .fresh: return start(at: now)
        case .creating:
            if let unknown = unknownOutcome(of: .create) { return finish(.failed(unknown)) }
            progress.startOver()
            progress.note = TransferNote(
                .startedOver,
                "The answer that named the upload was lost, so another one was begun. \(host) may still hold the first."
            )
            return start(at: now)
        case .open: return divide() ?? exchange(.ask(after: nil))
        case .completing:
            if let end = divide() { return end }
            // Where parts follow each other, the server tells the end of an upload like any other offset.
            return exchange(progress.handle == nil || rules.areIndependent ? .look : .ask(after: nil))
        case .done: return finish(.completed)
        }
    }

    mutating func start(at now: Instant) -> [Action] {
        if let former = progress.former {
            if !specification.sendsAgain, former.file.isCertainlySame(as: source) { return exchange(.look) }
            progress.former = nil
        }
        if wire.discovers, progress.offer == nil { return exchange(.discover) }
        if let end = divide() { return end }
        progress.source = source
        progress.sent = now
        if rules.longestWhole > 0, source.length <= rules.longestWhole {
            return record(.send(.sendWhole), as: .completing)
        }
        progress.partSize = rules.areIndependent ? parts?.size : nil
        return record(.send(.create), as: .creating)
    }

    /// Divides the file into parts.
    ///
    /// - Returns: the end of the attempt if it cannot be.
    mutating func divide() -> [Action]? {
        do throws(TransferFailure) {
            parts = try UploadParts(
                source.length,
                by: rules,
                offer: progress.offer,
                wished: specification.partSize,
                given: progress.partSize,
                most: specification.connections,
                host: host
            )
            return nil
        } catch {
            return finish(.failed(Problem(error, .permanent)))
        }
    }

    mutating func record(_ next: Next, as stage: UploadProgress.Stage) -> [Action] {
        state = .recording(next, former: progress.stage)
        progress.stage = stage
        return [.record(progress)]
    }

    mutating func recorded(
        _ next: Next,
        _ former: UploadProgress.Stage,
        at now: Instant
    ) -> [Action] {
        if let ending {
            // Nothing was sent.
            progress.stage = former
            return end(ending)
        }
        switch next {
        case .send(let step): return exchange(step)
        case .append: return append(at: now)
        }
    }

    // MARK: What is known

    /// The server, for display.
    var host: String { specification.url.hostAndPort }

    var known: UploadRecord {
        var record = UploadRecord(specification, progress, length: source.length)
        if let parts, rules.areIndependent {
            if case .appending = state { return record }
            record.parts = parts.sent
        } else if let parts {
            record.offset = parts.offset
        }
        return record
    }
}
