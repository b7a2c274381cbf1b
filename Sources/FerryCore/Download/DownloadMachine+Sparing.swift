/// What happens when a further connection breaks or its answer is of no use: the others continue as before, and fewer
/// connections are asked for.
extension DownloadMachine {
    /// Handles an answer that would cost what the other connections bring. Returns `nil` when the answer is to be
    /// used.
    ///
    /// Servers behind one name may each have their own tag for the same file, and a redirect may lead each connection
    /// to another server. A new version seen by a connection whose part another one brings anyway is no reason to
    /// drop bytes. If no other connection brings that part, it is.
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
            // There is nothing to compare with while the others still bring what comes before it.
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

    /// Handles a connection that ended early while others to the same source continue.
    mutating func lost(_ connection: Connection, _ problem: Problem, broughtBytes: Bool) -> [Action] {
        // A failure to write meets every connection.
        if problem.isOfTheDisk { return fail(problem) }
        // If it brought bytes or was the first, its end says only that a line broke.
        guard connection.isBeside, !broughtBytes else {
            if connection.isBeside { sources.refusals[connection.source] = nil }
            return watchSpeed()
        }
        switch problem.failure.code {
        case .serverOverloaded: return refuseParallel(connection.source)
        case .connectionLost, .connectionRefused: break
        // An expired URL, a lost network or a name that is not resolved says nothing of a limit.
        default: return holdBack(connection.source, for: ConnectionPlan.patience)
        }
        // One connection that breaks before its answer may have met a bad moment. The second one that does so while
        // others bring bytes has met the server's limit.
        return foundNoAnswer(connection.source)
    }

    /// Handles a further connection that was of no use for an unknown reason.
    mutating func foundNoAnswer(_ source: SourceID) -> [Action] {
        guard isMoving(source) else { return holdBack(source, for: Self.denialTime) }
        sources.refusals[source, default: 0] += 1
        guard sources.refusals[source, default: 0] > 1 else { return holdBack(source, for: Self.denialTime) }
        return refuseParallel(source)
    }

    /// Whether any connection to a source brought bytes recently.
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

    /// Handles a connection that was not opened: the host has none to spare, or a rate limit sets the speed.
    mutating func denied() -> [Action] {
        guard hasLiveConnection else { return connect() }
        plan.hold(at: liveCount, until: now.advanced(by: Self.denialTime))
        return watchSpeed()
    }
}

extension Problem {
    /// Whether the problem is about where the bytes are written, and so meets every connection.
    var isOfTheDisk: Bool {
        switch failure.code {
        case .diskFull, .storageFault, .cannotCreate, .cannotOpen, .partFileLost, .streamLost, .streamStopped,
            .internalFault:
            true
        default: false
        }
    }
}
