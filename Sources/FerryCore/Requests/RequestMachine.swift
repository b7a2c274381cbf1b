import HTTPTypes

/// One attempt at a request, as a state machine.
///
/// ```
/// idle ──▶ recording ──▶ sending ──▶ ended
///              └────────────────────▶ ended
/// ```
///
/// The sending is recorded before the first byte may leave. An attempt whose process dies after that may have sent
/// the request; one whose process died before has not.
package struct RequestMachine: Sendable {
    private enum State {
        /// Not begun; exits to `recording`, or to `ended` when it must not be sent again.
        case idle
        /// The sending is being recorded; exits to `sending`, or to `ended` when it was asked to end.
        case recording(AttemptEnding?)
        /// The request or its answer is on its way; exits to `ended`.
        case sending(AttemptEnding?)
        /// No exit.
        case ended
    }

    /// What happened.
    package enum Event: Sendable {
        /// The attempt may begin.
        case begin
        /// The progress was recorded.
        case recorded
        /// The whole answer has arrived.
        case answered(StoredResponse, retryAfter: Duration?, isRewritten: Bool = false)
        /// The exchange has failed, also because it was cut.
        case failed(Problem, hasLeft: Bool)
        /// The caller wants the attempt to end.
        case ask(AttemptEnding)
    }

    /// What the runner is to do.
    package enum Action: Hashable, Sendable {
        /// Record the progress so that it survives power loss.
        case record(RequestProgress)
        /// Send the request.
        case send
        /// Cut the exchange; its failure is still fed back.
        case disconnect
        /// The attempt is over.
        case finish(AttemptOutcome, RequestProgress)
    }

    private let specification: RequestSpecification
    private var progress: RequestProgress
    /// When an earlier attempt sent it and may have had an effect.
    private let formerlySent: Instant?
    private var state = State.idle

    /// Creates the machine of an attempt that starts from this progress.
    package init(_ work: RequestWork) {
        specification = work.specification
        progress = work.progress
        formerlySent = work.progress.sent
    }

    /// Handles an event and returns the actions to perform.
    package mutating func handle(_ event: Event, at now: Instant) -> [Action] {
        switch (state, event) {
        case (.idle, .begin): return begin(at: now)
        case (.recording(nil), .recorded):
            state = .sending(nil)
            return [.send]
        case (.recording(let ending?), .recorded):
            // Nothing was sent.
            progress.sent = formerlySent
            return finish(AttemptOutcome(ending))
        case (.recording(let former), .ask(let ending)):
            state = .recording(ending.prevailing(over: former))
            return []
        case (.sending(let former), .ask(let ending)): return stop(ending.prevailing(over: former))
        case (.sending, .answered(let response, let retryAfter, let isRewritten)):
            return judge(response, retryAfter, isRewritten)
        case (.sending(let ending), .failed(let problem, let hasLeft)):
            return failed(problem, hasLeft: hasLeft, ending)
        case (.idle, .ask(let ending)): return finish(AttemptOutcome(ending))
        case (.idle, _), (.recording, _), (.sending, _), (.ended, _): return []
        }
    }

    private mutating func begin(at now: Instant) -> [Action] {
        guard !RequestWork(specification, progress).outcomeIsUnknown else {
            return finish(.failed(Problem(.outcomeUnknown(at: specification.url), .permanent)))
        }
        progress = RequestProgress()
        progress.sent = now
        state = .recording(nil)
        return [.record(progress)]
    }

    /// Cuts an attempt that may be repeated. Waits for the answer of any other: after a cut no one knows whether the
    /// request arrived. A person who cancels it is told so.
    private mutating func stop(_ ending: AttemptEnding) -> [Action] {
        state = .sending(ending)
        if ending == .release, !specification.isRepeatable { return [] }
        return [.disconnect]
    }

    private mutating func failed(_ problem: Problem, hasLeft: Bool, _ ending: AttemptEnding?) -> [Action] {
        if !hasLeft { progress.sent = formerlySent }
        switch ending {
        case .cancel?: return finish(.cancelled)
        case .release? where !hasLeft || specification.isRepeatable: return finish(.released)
        case .release?, nil: break
        }
        guard !hasLeft || specification.isRepeatable else {
            return finish(.failed(Problem(.outcomeUnknown(at: specification.url), .permanent)))
        }
        return finish(.failed(problem))
    }

    private mutating func judge(
        _ response: StoredResponse,
        _ retryAfter: Duration?,
        _ isRewritten: Bool
    ) -> [Action] {
        progress.response = response
        let verdict = RequestVerdict(
            response.status,
            isRepeatable: specification.isRepeatable,
            hasKey: specification.key != nil,
            isRewritten: isRewritten
        )
        if verdict.deniesEffect(response.status, isRewritten: isRewritten) { progress.sent = formerlySent }
        let (code, text) = (code(response.status), text(response.status))
        switch verdict {
        case .success: return finish(.completed)
        case .tryAgain: return finish(.failed(.transient(code, text, retryAfter: retryAfter)))
        case .unknown:
            let failure = TransferFailure(
                .outcomeUnknown,
                text + " It is unknown whether it took effect.",
                cause: code
            )
            return finish(.failed(Problem(failure, .permanent)))
        case .refused: return finish(.failed(.permanent(code, text)))
        }
    }

    private func code(_ status: Int) -> TransferFailure.Code {
        switch status {
        case 401, 407: .notAuthorised
        case 403: .forbidden
        case 404: .notFound
        case 410: .gone
        case 408: .timeout
        case 429, 503: .serverOverloaded
        case 500...599: .serverError
        default: .refused
        }
    }

    private func text(_ status: Int) -> String {
        "\(specification.url.host) answered the \(specification.method.rawValue) request with \(status)."
    }

    private mutating func finish(_ outcome: AttemptOutcome) -> [Action] {
        state = .ended
        return [.finish(outcome, progress)]
    }
}

extension AttemptEnding {
    /// Which of two endings counts: a cancellation, or else the first.
    fileprivate func prevailing(over former: AttemptEnding?) -> AttemptEnding {
        guard let former else { return self }
        if case .cancel = self { return self }
        return former
    }
}
