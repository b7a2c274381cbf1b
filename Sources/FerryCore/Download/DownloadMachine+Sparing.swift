/// What becomes of a further connection whose answer is of no use, or that breaks: the others go on as if it had never
/// been, and fewer are asked for.
extension DownloadMachine {
    /// What is done about an answer that would cost what the other connections bring; `nil` when it is to be used.
    ///
    /// Servers behind one name may each have a tag of their own for the same file, and a redirect may lead each
    /// connection to another one. So another version, seen by a connection that was to take what comes anyway, is no
    /// reason to drop anything. Where nobody else brings those bytes it is one.
    mutating func spare(
        _ id: ConnectionID,
        _ facts: ResponseFacts,
        _ verdict: ResponseVerdict
    ) -> [Action]? {
        guard let connection = connections[id] else { return nil }
        if case .startOver = verdict, let taken = takeBackLackOfIfRange(connection, facts) {
            return taken + dismiss(id) + goOn()
        }
        guard connection.isBeside, liveCount > 1 else { return nil }
        let giver = connection.division.flatMap { connections[$0.giver] }
        let isAtNoCost = giver?.isReceiving == true
        switch verdict {
        case .startOver(.rangesUnsupported), .startOver(.unproved):
            return dismiss(id) + refuseParallel(connection.source, by: facts)
        case .askAgain(_, .otherDate):
            // There is nothing to compare with as long as the others bring what comes before it.
            return dismiss(id) + holdBack(connection.source, for: ConnectionPlan.patience)
        case .startOver where isAtNoCost:
            return dismiss(id) + holdBack(connection.source, for: ConnectionPlan.patience)
        case .askAgain(let request, let finding) where isAtNoCost && request.isWhole:
            // The whole would be of no use either.
            if finding == .ignoredIfRange {
                return rememberLackOfIfRange(facts) + dismiss(id)
                    + holdBack(connection.source, for: ConnectionPlan.patience)
            }
            let isAnotherVersion = finding != nil || facts.status == 412
            return dismiss(id)
                + (isAnotherVersion
                    ? holdBack(connection.source, for: ConnectionPlan.patience)
                    : refuseParallel(connection.source, by: facts))
        default: return nil
        }
    }

    /// A connection has ended before its time and others to the same source go on.
    mutating func lost(_ connection: Connection, _ problem: Problem, broughtBytes: Bool) -> [Action] {
        // What one cannot write, no other one can.
        if problem.isOfTheDisk { return fail(problem) }
        // What did bring bytes, or was the first, tells no more of the server than that a line broke.
        guard connection.isBeside, !broughtBytes else {
            if connection.isBeside { sources.refusals[connection.source] = nil }
            return watchSpeed()
        }
        switch problem.failure.code {
        case .serverOverloaded: return refuseParallel(connection.source)
        case .connectionLost, .connectionRefused: break
        // An expired URL, a network that is gone, a name that is not resolved: none of it speaks of a limit.
        default: return holdBack(connection.source, for: ConnectionPlan.patience)
        }
        // One that breaks before its answer may have met a bad moment, or all of them have; the second one that does
        // while others bring bytes has met the server's limit.
        return foundNoAnswer(connection.source)
    }

    /// One more connection was of no use, and nobody said why.
    mutating func foundNoAnswer(_ source: SourceID) -> [Action] {
        guard isMoving(source) else { return holdBack(source, for: Self.denialTime) }
        sources.refusals[source, default: 0] += 1
        guard sources.refusals[source, default: 0] > 1 else { return holdBack(source, for: Self.denialTime) }
        return refuseParallel(source)
    }

    /// Whether any connection to a source has brought bytes a moment ago.
    private func isMoving(_ source: SourceID) -> Bool {
        connections.values.contains { connection in
            guard connection.source == source, connection.isReceiving, !connection.isDismissed else {
                return false
            }
            // Before the second sample nothing is known.
            guard let last = connection.speed.lastProgress else { return true }
            return last.duration(to: now) < Self.stuckTime
        }
    }

    /// The host has as many connections as it may have, or a limit of the rate sets the speed.
    mutating func denied() -> [Action] {
        guard hasLiveConnection else { return connect() }
        plan.hold(at: liveCount, until: now.advanced(by: Self.denialTime))
        return watchSpeed()
    }
}

extension Problem {
    /// Whether it is about the place of the bytes, and so about every connection.
    var isOfTheDisk: Bool {
        switch failure.code {
        case .diskFull, .storageFault, .cannotCreate, .cannotOpen, .partFileLost, .streamLost, .streamStopped,
            .internalFault:
            true
        default: false
        }
    }
}
