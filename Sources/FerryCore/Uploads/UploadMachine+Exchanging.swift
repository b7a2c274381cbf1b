import HTTPTypes

/// Requests that are on their way alone.
extension UploadMachine {
    mutating func exchange(_ step: UploadStep) -> [Action] {
        do throws(TransferFailure) {
            let request = try wire.request(for: step, of: known)
            latest += 1
            state = .exchanging(step, request, latest)
            return [.send(latest, request, source)]
        } catch {
            // A protocol that cannot look has made nothing that could be found.
            if step == .look, progress.stage != .fresh { return absent() }
            return finish(.failed(Problem(error, .permanent)))
        }
    }

    /// Notes an upload that was created while the body of the same request is still on its way.
    mutating func interim(
        _ answer: UploadAnswer,
        to step: UploadStep,
        _ id: ID,
        at now: Instant
    ) -> [Action] {
        guard case .created(let handle, let offset) = wire.reading(answer, to: step, of: known, at: now)
        else { return [] }
        open(handle, offset)
        // The rest of this request may make the object.
        progress.stage = .completing
        let cut = ending.map { _ in [Action.cut(id)] } ?? []
        return [.record(progress)] + cut
    }

    mutating func open(_ handle: UploadHandle, _ offset: Int64) {
        (progress.handle, progress.stage) = (handle, .open)
        reach(offset)
    }

    mutating func reach(_ offset: Int64, expiry: Instant? = nil) {
        parts?.reach(offset)
        if let expiry { progress.handle?.expiry = expiry }
        noteConfirmed()
    }

    mutating func noteConfirmed() {
        if let bytes = parts?.confirmedBytes { progress.confirmed = bytes }
    }

    mutating func answered(
        _ answer: UploadAnswer,
        to step: UploadStep,
        _ request: UploadRequest,
        at now: Instant
    ) -> [Action] {
        let reading = wire.reading(answer, to: step, of: known, at: now)
        switch reading {
        case .done(let result): return step == .look ? found(result, at: now) : verify(result, at: now)
        case .created(let handle, let offset): open(handle, offset)
        case .offers(let offer): progress.offer = offer
        case .failed:
            let verdict = RequestVerdict(answer.status, isRepeatable: request.isRepeatable)
            if verdict.deniesEffect(answer.status, isRewritten: false) { takeBack(step) }
        default: break
        }
        if let ending { return end(ending) }
        switch (step, reading) {
        case (.discover, .offers): return start(at: now)
        // The server told its limits when they mattered, and took nothing.
        case (.create, .offers): return stalled(.unexpected(step, at: host)) ?? start(at: now)
        case (.create, .created):
            // Only the server knows whether an upload of no bytes is over.
            if source.length == 0, !rules.areIndependent { return exchange(.ask(after: nil)) }
            return record(.append, as: .open)
        case (.create, .reached(let offset, let expiry)) where progress.handle != nil,
            (.ask, .reached(let offset, let expiry)),
            (.complete, .reached(let offset, let expiry)):
            guard offset <= source.length else { return stalled(.unexpected(step, at: host)) ?? [] }
            let isComplete = step == .complete
            progress.stage = .open
            reach(offset, expiry: expiry)
            if isComplete, let end = stalled(.unexpected(step, at: host)) { return end }
            return append(at: now)
        case (.ask(let former), .lists(let page, let next)): return list(page, former, next, at: now)
        case (.complete, .misplaced),
            (.create, .misplaced) where progress.handle != nil:
            return stalled(.unexpected(step, at: host)) ?? exchange(.ask(after: nil))
        case (.ask, .gone) where progress.stage == .completing: return exchange(.look)
        case (.complete, .gone): return exchange(.look)
        case (.ask, .gone): return startOver(at: now)
        case (.look, .absent), (.look, .gone): return notFound(at: now)
        case (.look, .resembles(let result, let checksum)):
            latest += 1
            state = .comparing(result, checksum, latest)
            return [.digest(latest, source, 0..<source.length, checksum.algorithm)]
        // The server does not tell whether it still has the file.
        case (.look, .failed(let problem))
        where progress.stage == .fresh && problem.disposition == .permanent:
            return notFound(at: now)
        case (.sendWhole, .damaged), (.create, .damaged):
            return stalled(.damaged(at: host)) ?? exchange(step)
        case (_, .notSpoken): return finish(.failed(.notSpoken(specification.protocolName, at: host)))
        case (_, .failed(let problem)): return finish(.failed(problem))
        default: return finish(.failed(.unexpected(step, at: host)))
        }
    }

    /// The object is there, made by an earlier request.
    mutating func found(_ result: UploadResult, at now: Instant) -> [Action] {
        if progress.stage == .fresh {
            progress.source = source
            progress.note = TransferNote(.upToDate, "\(host) still has this file.")
        }
        guard rules.areIndependent, progress.handle != nil, mismatch(in: result) == nil else {
            return verify(result, at: now)
        }
        // If an equal object was there before, the parts are as well.
        return abort(then: .complete(result))
    }

    /// The object is not there, or another one is.
    mutating func notFound(at now: Instant) -> [Action] {
        guard progress.stage == .fresh else { return absent() }
        if progress.former != nil { progress.note = FormerUpload.Doubt.unproved.note(at: host) }
        progress.former = nil
        return start(at: now)
    }

    /// The object that an earlier request may have made is not there.
    mutating func absent() -> [Action] {
        if progress.handle == nil { return record(.send(.sendWhole), as: .completing) }
        progress.stage = .open
        return exchange(.ask(after: nil))
    }

    mutating func list(
        _ page: [SentPart],
        _ former: String?,
        _ next: String?,
        at now: Instant
    ) -> [Action] {
        for part in page { parts?.confirm(part) }
        noteConfirmed()
        guard let next else {
            progress.stage = .open
            return append(at: now)
        }
        // A server that repeats a page would be asked for ever.
        guard next != former, !page.isEmpty else {
            return finish(.failed(.unexpected(.ask(after: former), at: host)))
        }
        return exchange(.ask(after: next))
    }

    mutating func failed(
        _ problem: Problem,
        hasLeft: Bool,
        _ step: UploadStep
    ) -> [Action] {
        if !hasLeft { takeBack(step) }
        if problem.failure.code == .bodyChanged { return changed(problem) }
        if let ending { return end(ending) }
        if hasLeft, progress.handle == nil, let unknown = unknownOutcome(of: step) {
            return finish(.failed(unknown))
        }
        return finish(.failed(problem))
    }

    /// Notes that a step had no effect.
    mutating func takeBack(_ step: UploadStep) {
        switch step {
        case .create where progress.handle == nil: progress.startOver()
        case .sendWhole: progress.startOver()
        case .complete: progress.stage = .open
        default: break
        }
    }

    /// The failure of a step without an answer that may have made the object, and would make another one if it were repeated
    /// (I8); `nil` for any other step.
    func unknownOutcome(of step: UploadStep) -> Problem? {
        guard step == .create else { return nil }
        do throws(TransferFailure) {
            let request = try wire.request(for: step, of: known)
            guard case .file = request.body, !request.isRepeatable else { return nil }
            return Problem(.outcomeUnknown(at: specification.url), .permanent)
        } catch {
            return nil
        }
    }
}
