/// Parts on their way.
extension UploadMachine {
    /// Sends as many parts as may be on their way.
    mutating func append(at now: Instant) -> [Action] {
        state = .appending(nil)
        var actions: [Action] = []
        while let part = parts?.take() {
            if !rules.areIndependent, part.isLast, progress.stage != .completing {
                parts?.putBack(part)
                return actions + survey(.finishing)
            }
            latest += 1
            running[latest] = part
            if let algorithm = wire.partChecksum(of: known) {
                actions.append(.digest(latest, source, part.range, algorithm))
            } else {
                actions += send(part, latest)
            }
            guard case .appending(nil) = state else { return actions }
        }
        guard running.isEmpty else { return actions }
        guard parts?.areComplete ?? false else {
            return actions + finish(.failed(.unexpected(.complete, at: host)))
        }
        return actions + survey(.finishing)
    }

    mutating func send(_ part: UploadPart, _ id: ID) -> [Action] {
        do throws(TransferFailure) {
            return [.send(id, try wire.request(for: .append(part), of: known), source)]
        } catch {
            running[id] = nil
            parts?.putBack(part)
            return stop(.fail(Problem(error, .permanent)))
        }
    }

    mutating func digested(_ id: ID, _ checksum: Checksum, at now: Instant) -> [Action] {
        guard case .appending(let aim) = state, var part = running[id] else { return [] }
        guard aim == nil else {
            // No part is begun any more.
            running[id] = nil
            parts?.putBack(part)
            return proceed(at: now)
        }
        part.checksum = checksum
        running[id] = part
        let actions = send(part, id)
        // If it cannot be sent, no other may be on its way either.
        guard case .appending(let aim?) = state, running.isEmpty else { return actions }
        return actions + follow(aim, at: now)
    }

    mutating func notAppended(_ id: ID, _ problem: Problem, at now: Instant) -> [Action] {
        guard let part = running.removeValue(forKey: id) else { return [] }
        parts?.putBack(part)
        let aim = problem.failure.code == .bodyChanged ? Aim.changed(problem) : .fail(problem)
        return stop(aim) + proceed(at: now)
    }

    mutating func appended(_ id: ID, _ answer: UploadAnswer, at now: Instant) -> [Action] {
        guard let part = running.removeValue(forKey: id) else { return [] }
        let step = UploadStep.append(part)
        let reading = wire.reading(answer, to: step, of: known, at: now)
        if case .took(let sent) = reading, sent.number == part.number, parts?.confirm(sent) ?? false {
            damages[part.number] = nil
            noteConfirmed()
            return proceed(at: now)
        }
        parts?.putBack(part)
        switch reading {
        case .done(let result) where !rules.areIndependent: return verify(result, at: now)
        case .reached(let offset, let expiry) where !rules.areIndependent:
            guard offset > part.range.lowerBound, offset <= part.range.upperBound else {
                return stop(.ask) + proceed(at: now)
            }
            counts.stalls = part.isHardlyTaken(upTo: offset) ? counts.stalls + 1 : 0
            reach(offset, expiry: expiry)
            if part.isLast { progress.stage = .open }
            guard counts.stalls <= Self.limits.stalls else {
                return stop(.fail(.hardlyTaken(at: host))) + proceed(at: now)
            }
            return proceed(at: now)
        case .damaged:
            damages[part.number, default: 0] += 1
            guard damages[part.number, default: 0] > Self.limits.damages else { return proceed(at: now) }
            return stop(.fail(.damaged(at: host))) + proceed(at: now)
        case .gone: return stop(.startOver) + proceed(at: now)
        case .misplaced: return stop(.ask) + proceed(at: now)
        case .notSpoken:
            return stop(.fail(.notSpoken(specification.protocolName, at: host))) + proceed(at: now)
        case .failed(let problem): return stop(.fail(problem)) + proceed(at: now)
        default: return stop(.fail(.unexpected(step, at: host))) + proceed(at: now)
        }
    }

    /// Begins no part any more. After a failure that may pass, the parts on their way are still sent.
    mutating func stop(_ aim: Aim) -> [Action] {
        guard case .appending(let former) = state else { return [] }
        if let former, former.rank >= aim.rank { return [] }
        state = .appending(aim)
        if aim.rank == 0 { return [] }
        return running.keys.sorted().map { .cut($0) }
    }

    /// Sends the next parts, or follows the aim when no part is on its way.
    mutating func proceed(at now: Instant) -> [Action] {
        guard case .appending(let aim) = state else { return [] }
        guard let aim else { return append(at: now) }
        return running.isEmpty ? follow(aim, at: now) : []
    }

    mutating func follow(_ aim: Aim, at now: Instant) -> [Action] {
        switch aim {
        case .fail(let problem): return finish(.failed(problem))
        case .ask: return stalled(.unexpected(.ask(after: nil), at: host)) ?? exchange(.ask(after: nil))
        case .startOver:
            return progress.stage == .completing ? exchange(.look) : startOver(at: now)
        case .changed(let problem): return changed(problem)
        case .end(let order): return end(order)
        }
    }

    /// Counts a step that brought the upload no further.
    ///
    /// - Returns: the end of the attempt after too many of them.
    mutating func stalled(_ problem: Problem) -> [Action]? {
        counts.stalls += 1
        return counts.stalls > Self.limits.stalls ? finish(.failed(problem)) : nil
    }
}
