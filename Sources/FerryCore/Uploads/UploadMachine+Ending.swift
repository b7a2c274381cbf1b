/// How an upload ends, or starts over.
extension UploadMachine {
    mutating func verify(_ result: UploadResult, at now: Instant) -> [Action] {
        if let algorithm = mismatch(in: result) {
            guard ending == nil, counts.startsOver == 0 else {
                progress.startOver()
                return finish(.failed(.mismatched(algorithm, at: host)))
            }
            return startOver(because: "the server had other bytes than the file", at: now)
        }
        return complete(result)
    }

    /// The algorithm by which an object is another one than the file; `nil` if none shows that.
    func mismatch(in result: UploadResult) -> Checksum.Algorithm? {
        let sent = parts.flatMap { $0.areComplete ? $0.sent : nil } ?? []
        return UploadVerification.mismatch(in: result, given: specification.checksums, parts: sent)
    }

    private mutating func complete(_ result: UploadResult) -> [Action] {
        (progress.stage, progress.handle, progress.result) = (.done, nil, result)
        (progress.expected, progress.former) = (nil, nil)
        progress.confirmed = source.length
        return finish(.completed)
    }

    mutating func startOver(
        because reason: String = "the server no longer knew the upload",
        at now: Instant
    ) -> [Action] {
        counts.startsOver += 1
        progress.startOver()
        progress.note = TransferNote(.startedOver, "Started over, because \(reason).")
        guard counts.startsOver <= Self.limits.startsOver else {
            return finish(.failed(.transient(.badResponse, "\(host) has lost the upload again and again.")))
        }
        return start(at: now)
    }

    /// Removes what the server holds of a former version of the file.
    mutating func changed(_ problem: Problem) -> [Action] {
        guard specification.startsOverOnChange, ending == nil else {
            return abort(then: .finish(ending.map { AttemptOutcome($0) } ?? .failed(problem)))
        }
        counts.startsOver += 1
        guard counts.startsOver <= Self.limits.startsOver else {
            // The next attempt sends the file as it is then.
            return abort(then: .finish(.failed(Problem(problem.failure, .transient(retryAfter: nil)))))
        }
        progress.note = TransferNote(.startedOver, "Started over, because \(source.path) was changed.")
        return abort(then: .survey)
    }

    mutating func ask(_ order: StopOrder, at now: Instant) -> [Action] {
        if case .cancel? = ending { return [] }
        ending = order
        switch state {
        case .idle, .surveying, .comparing: return end(order)
        case .recording, .aborting, .ended: return []
        case .appending: return stop(.end(order)) + proceed(at: now)
        case .exchanging(let step, let request, let id):
            // Without the answer no one can name the upload, or knows whether the object is there.
            let mustBeAnswered = !request.isRepeatable || step == .complete
            if order == .release, mustBeAnswered, progress.handle == nil || step == .complete { return [] }
            return [.cut(id)]
        }
    }

    mutating func end(_ order: StopOrder) -> [Action] {
        switch order {
        case .release, .cancel(keepingPart: true): finish(AttemptOutcome(order))
        case .cancel(keepingPart: false): abort(then: .finish(.cancelled))
        }
    }

    mutating func abort(then sequel: Sequel) -> [Action] {
        guard progress.handle != nil else { return aborted(.removed, sequel) }
        do throws(TransferFailure) {
            let request = try wire.request(for: .abort, of: known)
            latest += 1
            state = .aborting(latest, sequel)
            return [.send(latest, request, source)]
        } catch {
            return aborted(.failed(Problem(error, .permanent)), sequel)
        }
    }

    mutating func aborted(_ reading: UploadReading, _ sequel: Sequel) -> [Action] {
        switch sequel {
        case .complete(let result):
            // One that may not remove the parts has the object all the same.
            if case .failed(let problem) = reading, problem.disposition != .permanent {
                return finish(.failed(problem))
            }
            return complete(result)
        case .finish(let outcome):
            _ = removed(reading)
            return finish(outcome)
        case .survey:
            let problem = removed(reading)
            if let ending { return finish(AttemptOutcome(ending)) }
            // A new upload would take the place of the handle, and no one could remove the former one.
            if let problem { return finish(.failed(problem)) }
            return survey(.beginning)
        }
    }

    /// Forgets an upload that was removed from the server.
    ///
    /// - Returns: why it was not removed; `nil` if it was.
    private mutating func removed(_ reading: UploadReading) -> Problem? {
        switch reading {
        case .removed, .gone:
            let note = progress.note
            progress.startOver()
            progress.note = note
            return nil
        case .failed(let problem): return problem
        default: return .unexpected(.abort, at: host)
        }
    }

    mutating func finish(_ outcome: AttemptOutcome) -> [Action] {
        state = .ended
        return [.finish(outcome, progress)]
    }
}
