import HTTPTypes

/// One attempt at a request, as a state machine.
///
/// ```
/// idle ──▶ authorising ──▶ recording ──▶ sending ──▶ ended
///  │        ▲▼    ▲                          │ │
///  ├▶ looking     └────────── 401 ───────────┘ ▼
///  └────────────────────────▶ saving ──▶ noting ──▶ publishing ──▶ ended
/// ```
///
/// If the same file was sent to the URL before, the attempt first asks whether the server still has it. If so, nothing is
/// sent; if not, or if the server does not tell, the file is.
///
/// If the upload has a condition (``PutCondition``), the attempt asks in the same way, but once it is authorised: a question
/// with refused credentials gets no answer. Nothing is sent if the condition is false, or if the server cannot answer now.
///
/// From every state an attempt may end. If the body of the response is to be saved, it is recorded which file has the whole
/// body before that file gets its name. An attempt that finds this record sends nothing: it only gives the file its name.
///
/// It is authorised only if fresh credentials can be had: first, because those that it was given may be known to be refused,
/// and once more when the server refuses them. A 401 denies any effect, so that the request is sent again whatever its method
/// is.
///
/// The sending is recorded before the first byte may leave. If the process dies after that record, the attempt may have
/// sent the request. If it dies before, the request was not sent. If the claim has recorded it, the attempt skips `recording`.
package struct RequestMachine: Sendable {
    private enum State {
        /// Not begun; exits to `looking`, `authorising`, `recording` or `sending`, to `saving` or `publishing` when only the
        /// response is to be saved, or to `ended` when it must not be sent again.
        case idle
        /// The server is asked what it has; exits to `authorising` or `recording`, and to `ended`.
        case looking(StopOrder?)
        /// The attempt asks which credentials to send; exits to `looking` or `recording`, or to `ended` when there are none or
        /// it was asked to end. `refused` is the outcome of the attempt if there are no other credentials.
        case authorising(refused: AttemptOutcome?)
        /// The attempt is recording that it sends; exits to `sending`, or to `ended` when it was asked to end.
        case recording(StopOrder?)
        /// The request or its answer is on its way; exits to `authorising` when the server refused the credentials, to `noting`
        /// when a file has the body of the response, and to `ended`.
        case sending(StopOrder?)
        /// The stored body of the response is being written into a file; exits to `noting`, or to `ended` when that failed.
        case saving
        /// The attempt is recording which file has the body of the response; exits to `publishing`.
        case noting(PartFileClaim)
        /// That file gets its name; exits to `ended`, or as `idle` when the file is gone.
        case publishing
        /// The attempt is over. No exit.
        case ended
    }

    private let specification: RequestSpecification
    /// The request with the values of earlier responses, once it has begun.
    private var message: RequestSpecification
    private var progress: RequestProgress
    /// When an earlier attempt sent the request, if it may have had an effect.
    private let formerlySent: Instant?
    /// The time of sending that the claim has recorded, until the request is sent; `nil` if the claim has recorded none.
    private var sentByClaim: Instant?
    /// Whether fresh credentials can be had.
    private let isRenewable: Bool
    /// Whether the server is still to be asked whether the conditions of the upload are true.
    private var asksAboutConditions = false
    /// Whether the server has refused credentials in this attempt.
    private var wasRefused = false
    /// The application's rule for responses; it returns `nil` for one that is judged by its status.
    private let rule: @Sendable (StoredResponse) -> ResponseMeaning?
    private var state = State.idle

    /// Creates the machine of an attempt that starts from this progress.
    ///
    /// - Parameters:
    ///   - isRecorded: whether the claim has recorded that it is sent.
    ///   - isRenewable: whether fresh credentials can be had for refused ones.
    package init(
        _ work: RequestWork,
        isRecorded: Bool = false,
        isRenewable: Bool = false,
        rule: @escaping @Sendable (StoredResponse) -> ResponseMeaning? = { _ in nil }
    ) {
        self.isRenewable = isRenewable
        self.rule = rule
        specification = work.specification
        message = specification
        sentByClaim = isRecorded ? work.progress.sent : nil
        let former = isRecorded ? work.progress.sentBefore : work.progress.sent
        formerlySent = former
        progress = work.progress
        // Nothing is sent yet.
        (progress.sent, progress.sentBefore) = (former, nil)
    }

    /// Handles an event and returns the actions to perform.
    package mutating func handle(_ event: Event, at now: Instant) -> [Action] {
        switch (state, event) {
        case (.idle, .begin): return begin(at: now)
        case (.authorising, .authorised(let credentials)):
            if let credentials { message.exchange.authorise(with: credentials) }
            return lookOrRecord(at: now)
        case (.authorising(let outcome), .unauthorised(let problem)):
            guard let end = problem.map(AttemptOutcome.failed) ?? outcome else {
                return lookOrRecord(at: now)
            }
            return finish(end)
        case (.looking(let ending), .answered(let answer)): return looked(answer, ending, at: now)
        case (.looking(let ending?), .failed): return finish(AttemptOutcome(ending))
        case (.looking(nil), .failed(let problem, _)):
            if asksAboutConditions { return finish(.failed(problem)) }
            note(.unproved)
            return authorise(at: now)
        case (.looking(let former), .ask(let ending)):
            state = .looking(ending.prevailing(over: former))
            return [.disconnect]
        case (.recording(nil), .recorded):
            state = .sending(nil)
            return [.send(message)]
        case (.recording(let ending?), .recorded):
            // Nothing was sent.
            progress.sent = formerlySent
            return finish(AttemptOutcome(ending))
        case (.recording(let former), .ask(let ending)):
            state = .recording(ending.prevailing(over: former))
            return []
        case (.sending(let former), .ask(let ending)): return stop(ending.prevailing(over: former))
        case (.sending(let ending), .answered(let answer)): return answered(answer, ending)
        case (.sending(let ending), .failed(let problem, let hasLeft)):
            return failed(problem, hasLeft: hasLeft, ending)
        case (.sending, .left(let count)):
            guard let upload = progress.upload, upload.sent != count else { return [] }
            progress.upload?.sent = count
            return [.note(progress)]
        case (.saving, .saved(let claim)): return note(claim)
        case (.noting(let claim), .recorded): return publish(claim)
        case (.publishing, .published):
            progress.unsaved = nil
            return finish(.completed)
        case (.publishing, .fileLost): return fileLost(at: now)
        case (.saving, .notSaved(let problem)), (.publishing, .notSaved(let problem)):
            return finish(.failed(problem))
        case (.idle, .ask(let ending)), (.authorising, .ask(let ending)):
            return finish(AttemptOutcome(ending))
        case (.idle, _), (.looking, _), (.authorising, _), (.recording, _), (.sending, _), (.ended, _):
            return []
        // A stop waits until the response is saved.
        case (.saving, _), (.noting, _), (.publishing, _): return []
        }
    }

    private mutating func begin(at now: Instant) -> [Action] {
        if let unsaved = progress.unsaved { return save(unsaved) }
        guard !RequestWork(specification, progress).outcomeIsUnknown else {
            return finish(.failed(Problem(.outcomeUnknown(at: specification.url), .permanent)))
        }
        let former = specification.sendsAgain ? nil : progress.former
        progress.begin(specification, sent: formerlySent)
        do throws(TransferFailure) {
            message = try specification.message(with: progress.values ?? [:])
        } catch {
            return finish(.failed(Problem(error, .permanent)))
        }
        if progress.upload == nil, !message.body.isEmpty { progress.bodyLength = message.body.length }
        if let former, specification.body.onlyFile.map(former.file.isCertainlySame) ?? false {
            progress.former = former
        }
        asksAboutConditions = message.asksAboutConditions
        return progress.former == nil || asksAboutConditions ? authorise(at: now) : look()
    }

    private mutating func authorise(at now: Instant) -> [Action] {
        guard isRenewable else { return lookOrRecord(at: now) }
        state = .authorising(refused: nil)
        return [.authorise(message, isRefused: false)]
    }

    private mutating func lookOrRecord(at now: Instant) -> [Action] {
        asksAboutConditions ? look() : record(at: now)
    }

    private mutating func look() -> [Action] {
        state = .looking(nil)
        return [.send(message.question)]
    }

    /// Judges what the server says that it has. Anything but a proof means that the file is sent, if its conditions allow it.
    private mutating func looked(_ answer: Answer, _ ending: StopOrder?, at now: Instant) -> [Action] {
        if let ending { return finish(AttemptOutcome(ending)) }
        guard let former = progress.former else { return judgeConditions(by: answer, nil, at: now) }
        let described = specification.exchange.headers.filter(\.describesObject)
        guard let doubt = former.doubt(about: answer.response, described: described, at: now) else {
            (progress.former, progress.response) = (nil, answer.response)
            progress.upload?.sent = specification.body.length
            progress.note = TransferNote(.upToDate, "\(specification.url.hostAndPort) still has this file.")
            return finish(.completed)
        }
        return judgeConditions(by: answer, doubt, at: now)
    }

    private mutating func note(_ doubt: FormerUpload.Doubt) {
        progress.former = nil
        progress.note = doubt.note(at: specification.url.hostAndPort)
    }

    /// Sends the file, unless the answer shows that a condition is false, or that the server cannot tell now.
    ///
    /// - Parameter former: why it is not certain that the server still has what was sent before; `nil` if nothing was.
    private mutating func judgeConditions(
        by answer: Answer,
        _ former: FormerUpload.Doubt?,
        at now: Instant
    ) -> [Action] {
        guard asksAboutConditions else {
            if let former { note(former) }
            return authorise(at: now)
        }
        let (status, host) = (answer.response.status, specification.url.hostAndPort)
        if status == 401 {
            let outcome = AttemptOutcome.failed(.permanent(.notAuthorised, text(status), remedies: []))
            guard isRenewable, answer.refusesCredentials, !wasRefused else { return finish(outcome) }
            wasRefused = true
            state = .authorising(refused: outcome)
            return [.authorise(message, isRefused: true)]
        }
        for condition in message.conditions {
            switch condition.finding(answer.response) {
            case .send: continue
            case .broken(let breach):
                let text = breach.message(at: host) + doubt
                return finish(.failed(.permanent(.refused, text, remedies: [.remove])))
            case .later:
                let text = "\(host) answered the HEAD request with \(status), so nothing was sent."
                let code = TransferFailure.Code(status: status)
                return finish(.failed(.transient(code, text, retryAfter: answer.retryAfter)))
            }
        }
        asksAboutConditions = false
        if let former { note(former) }
        return record(at: now)
    }

    // MARK: Saving the response

    private mutating func save(_ unsaved: RequestProgress.UnsavedBody) -> [Action] {
        switch unsaved {
        case .stored:
            state = .saving
            return [.save(progress.response?.body ?? [])]
        case .file(let claim): return publish(claim)
        }
    }

    private mutating func note(_ claim: PartFileClaim) -> [Action] {
        progress.response?.moveToFile()
        progress.unsaved = .file(claim)
        state = .noting(claim)
        return [.record(progress)]
    }

    private mutating func publish(_ claim: PartFileClaim) -> [Action] {
        state = .publishing
        return [.publish(claim, length: progress.response?.length ?? 0)]
    }

    /// Sends the request again, if it may be repeated.
    private mutating func fileLost(at now: Instant) -> [Action] {
        progress.unsaved = nil
        guard !specification.isRepeatable else {
            state = .idle
            return begin(at: now)
        }
        let status = progress.response?.status ?? 0
        return finish(responseLost("\(text(status)) Its response was saved, and the file was removed since."))
    }

    private func responseLost(_ text: String, cause: TransferFailure.Code? = nil) -> AttemptOutcome {
        let text = "\(text) The request took effect, and is not sent again."
        return .failed(Problem(TransferFailure(.responseLost, text, cause: cause), .permanent))
    }

    // MARK: Sending

    private mutating func record(at now: Instant) -> [Action] {
        if let moment = sentByClaim {
            (sentByClaim, progress.sent) = (nil, moment)
            state = .sending(nil)
            return [.send(message)]
        }
        progress.sent = now
        state = .recording(nil)
        return [.record(progress)]
    }

    private mutating func answered(_ answer: Answer, _ ending: StopOrder?) -> [Action] {
        let outcome = judge(answer, ending)
        if outcome == .completed, case .file(let claim)? = answer.saving { return note(claim) }
        guard isRenewable, answer.refusesCredentials, !wasRefused,
            !specification.acceptedStatuses.contains(answer.response.status)
        else { return finish(outcome) }
        if let ending { return finish(AttemptOutcome(ending)) }
        wasRefused = true
        // All of it is sent again.
        progress.upload?.sent = 0
        state = .authorising(refused: outcome)
        return [.note(progress), .authorise(message, isRefused: true)]
    }

    /// Cuts an attempt whose request may be repeated. Otherwise waits for the answer, because after a cut no one knows
    /// whether the request arrived. A person who cancels it is told so.
    private mutating func stop(_ ending: StopOrder) -> [Action] {
        state = .sending(ending)
        if ending == .release, !specification.isRepeatable { return [] }
        return [.disconnect]
    }

    private mutating func failed(_ problem: Problem, hasLeft: Bool, _ ending: StopOrder?) -> [Action] {
        if !hasLeft { progress.sent = formerlySent }
        switch ending {
        case .cancel?: return finish(.cancelled)
        case .release? where !hasLeft || specification.isRepeatable: return finish(.released)
        case .release?, nil: break
        }
        guard !hasLeft || specification.isRepeatable else {
            // A permanent problem is more than the lack of an answer.
            guard problem.disposition == .permanent else {
                return finish(.failed(Problem(.outcomeUnknown(at: specification.url), .permanent)))
            }
            let text = "\(problem.failure.message) It is unknown whether the request took effect."
            return finish(unknown(text, cause: problem.failure.code))
        }
        return finish(.failed(problem))
    }

    /// Whether the server may still be handling an earlier attempt, which it knows by the key.
    private var mayBeInProgress: Bool { specification.key != nil && formerlySent != nil }

    /// What the status of an answer means.
    private func usualVerdict(on answer: Answer) -> RequestVerdict {
        RequestVerdict(
            answer.response.status,
            accepted: specification.acceptedStatuses,
            isRepeatable: specification.isRepeatable,
            mayBeInProgress: mayBeInProgress,
            isRewritten: answer.isRewritten
        )
    }

    /// What an answer means, by the application's rule or else by its status.
    package func verdict(on answer: Answer) -> RequestVerdict {
        let (response, usual) = (answer.response, usualVerdict(on: answer))
        let deniesEffect = usual.deniesEffect(response.status, isRewritten: answer.isRewritten)
        return rule(response).map {
            RequestVerdict($0, isRepeatable: specification.isRepeatable, deniesEffect: deniesEffect)
        } ?? usual
    }

    /// Judges an answer by its status, which counts even if the rest of the answer was lost. Only a success needs its
    /// body: a server that fails in the middle of the answer may have undone what it did.
    private mutating func judge(_ answer: Answer, _ ending: StopOrder?) -> AttemptOutcome {
        let response = answer.response
        progress.response = response
        let usual = usualVerdict(on: answer)
        if usual.deniesEffect(response.status, isRewritten: answer.isRewritten) {
            progress.sent = formerlySent
        }
        let verdict = answer.verdict ?? self.verdict(on: answer)
        if answer.loss != nil, case .cancel? = ending { return .cancelled }
        let code = TransferFailure.Code(status: response.status)
        var text = text(response.status)
        if verdict == .success, answer.isRewritten, let target = answer.target {
            progress.note = TransferNote(
                .methodChanged,
                "It was redirected to GET \(target.redacted), which was answered with \(response.status)."
            )
        }
        if verdict == .success, !answer.isRewritten { noteReplacement(by: response.status) }
        if usual == .success, verdict != .success { text += " By the rule for its type, that is no success." }
        switch verdict {
        case .success:
            guard let loss = answer.loss else {
                progress.upload?.sent = specification.body.length
                return .completed
            }
            if answer.saving == .stored {
                progress.unsaved = .stored
                var kept = loss
                kept.failure.message = "\(text) Its response is kept. \(loss.failure.message)"
                return ending == .release ? .released : .failed(kept)
            }
            guard specification.isRepeatable else {
                if answer.saving == .lost {
                    return responseLost("\(text) \(loss.failure.message)", cause: loss.failure.code)
                }
                let detail = "\(loss.failure.message) The request is not sent again."
                return unknown("\(text) \(detail)", cause: loss.failure.code)
            }
            return ending == .release ? .released : .failed(loss)
        case .tryAgain: return .failed(.transient(code, text, retryAfter: answer.retryAfter))
        case .unknown: return unknown("\(text) It is unknown whether it took effect.", cause: code)
        case .refused:
            return .failed(.permanent(code, text, remedies: remedies(after: response, code)))
        }
    }

    /// Notes an answer that says that something was replaced where nothing was to be. A new file has 201 (RFC 9110 §9.3.4).
    private mutating func noteReplacement(by status: Int) {
        guard [200, 204].contains(status), message.asksAboutConditions, message.conditions.contains(.absent)
        else { return }
        progress.note = TransferNote(
            .conditionInDoubt,
            "\(specification.url.hostAndPort) may ignore the condition: it answered with \(status), as if it had replaced a file. A new file has 201."
        )
    }

    /// What to do about a refusal.
    private func remedies(after response: StoredResponse, _ code: TransferFailure.Code) -> [Remedy] {
        // To send it again unchanged would not help against these.
        if [412, 413, 422].contains(response.status) { return [.remove] }
        if code == .forbidden { return [.checkURL, .giveURL, .giveCredentials, .retry] }
        guard code == .refused else { return [] }
        return response.body.isEmpty ? [.retry] : [.readResponse, .retry]
    }

    private func unknown(_ text: String, cause: TransferFailure.Code) -> AttemptOutcome {
        .failed(Problem(TransferFailure(.outcomeUnknown, text, cause: cause), .permanent))
    }

    private func text(_ status: Int) -> String {
        let (host, method) = (specification.url.hostAndPort, specification.methodName)
        let names = specification.exchange.headers.map { $0.name.lowercased() }
        switch status {
        case 401 where specification.exchange.authorization(for: specification.url) == nil:
            return "\(host) requires credentials for the \(method) request (401)."
        case 401: return "\(host) refuses the credentials of the \(method) request (401)."
        case 412 where names.contains("if-none-match"):
            return "\(host) already has something under this URL, so nothing was replaced (412).\(doubt)"
        case 412 where names.contains("if-match"):
            return "\(host) has another version under this URL by now, so nothing was replaced (412).\(doubt)"
        case 409 where mayBeInProgress:
            return
                "\(host) answered the \(method) request with 409: the earlier one with the same key may still be in progress there."
        case 409 where specification.method == .put:
            return
                "\(host) refuses the PUT request, which conflicts with what is there (409). On a WebDAV server, the directory of the URL may be missing."
        case 405 where specification.method == .put && !specification.url.path.hasSuffix("/"):
            return
                "\(host) does not allow the PUT request (405). If the URL names a directory, it must end with /."
        case 422 where specification.key != nil:
            return
                "\(host) refuses the \(method) request (422). Either it cannot process the body, or another request had the same key."
        case 422: return "\(host) cannot process the body of the \(method) request (422)."
        case 413:
            let length = ByteCount(specification.body.length).formatted
            return "\(host) refuses a body of \(length) as too large (413)."
        default: return "\(host) answered the \(method) request with \(status)."
        }
    }

    /// What a refused condition does not tell: it may have been broken by this request itself.
    private var doubt: String {
        guard formerlySent != nil else { return "" }
        return
            " It may be this body: an earlier attempt was sent, and its answer was lost. Compare what is there."
    }

    private mutating func finish(_ outcome: AttemptOutcome) -> [Action] {
        state = .ended
        // The next attempt sends all of it again.
        if outcome != .completed, progress.unsaved == nil { progress.upload?.sent = 0 }
        return [.finish(outcome, progress)]
    }
}

extension StopOrder {
    /// Which of two endings counts: a cancellation, or else the first.
    fileprivate func prevailing(over former: StopOrder?) -> StopOrder {
        guard let former else { return self }
        if case .cancel = self { return self }
        return former
    }
}
