/// Connections, their bodies and their ends.
extension DownloadMachine {
    /// Opens a connection for the first segment that has none. Verifies when every segment is complete.
    mutating func connect() -> [Action] {
        // Without connections, divisions are of no use. Folding them lets an overlap reach back over the bytes before
        // them.
        if !hasLiveConnection { checkpoint.segments.fold() }
        guard let next = nextSegment else { return hasLiveConnection ? [] : verify() }
        guard let source = nextSource() else {
            return replaceLead() ?? nobodyIsLeft()
        }
        let request = resuming(next, from: source)
        return [.connect(newConnection(.segment(next.range.lowerBound), request, from: source), request)]
    }

    /// The first segment that is incomplete and that no connection fills.
    var nextSegment: Segment? {
        let taken = Set(connections.values.compactMap(\.segment))
        return checkpoint.segments.segments.first {
            !$0.isComplete && !taken.contains($0.range.lowerBound)
        }
    }

    /// The segment that a connection fills; `nil` once it is complete and was joined to another one.
    func segment(of connection: Connection) -> Segment? {
        connection.segment.flatMap { checkpoint.segments[$0] }
    }

    /// Registers a new connection. The caller orders its opening.
    mutating func newConnection(
        _ work: Work,
        _ request: RangeRequest,
        from source: SourceID
    ) -> ConnectionID {
        lastConnection += 1
        let id = ConnectionID(rawValue: lastConnection)
        connections[id] = Connection(work: work, source: source, request: request, opened: now)
        stage = .transferring
        return id
    }

    /// Takes a body, once there is room for it, up to the end that the answer gives and never past its segment.
    mutating func receive(
        _ id: ConnectionID,
        comparing overlap: Int64 = 0,
        upTo end: Int64? = nil
    ) -> [Action] {
        guard let connection = connections[id], let segment = segment(of: connection) else {
            return cut(id) + fail(lostConnection)
        }
        guard !isStream, partName != .owed, segment.written == 0, receivingElsewhere(than: id) == false,
            let length = checkpoint.segments.length, length > 0
        else {
            return write(id, segment, comparing: overlap, upTo: end)
        }
        // A file that does not fit is not begun: its first bytes would fill the disk for nothing.
        stage = .preparing(.reserving(id, upTo: end))
        return [.reserve(length)]
    }

    private mutating func write(
        _ id: ConnectionID,
        _ segment: Segment,
        comparing overlap: Int64 = 0,
        upTo end: Int64?
    ) -> [Action] {
        connections[id]?.isReceiving = true
        connections[id]?.beganAt = segment.written
        stage = .transferring
        let at = segment.written - overlap
        let bound = min(segment.range.upperBound, end ?? .max)
        let limit = bound == .max ? nil : bound - at
        let coding = connections[id]?.coding.map { [Action.decode(id, $0)] } ?? []
        return coding + [.receive(id, at: at, limit: limit, comparing: overlap)] + watchSpeed()
    }

    /// Whether other connections write already, so that the space is reserved.
    private func receivingElsewhere(than id: ConnectionID) -> Bool {
        connections.contains { $0.key != id && $0.value.isReceiving && !$0.value.isDismissed }
    }

    /// Continues once space for the whole file is reserved, as far as the file system can.
    mutating func reserved() -> [Action] {
        guard case .preparing(.reserving(let id, let end)) = stage else { return [] }
        if let ending { return stop(ending) }
        guard let connection = connections[id], let segment = segment(of: connection) else {
            return cut(id) + fail(lostConnection)
        }
        return write(id, segment, upTo: end)
    }

    /// Cuts a connection whose answer is of no use. Its end is then ignored.
    mutating func dismiss(_ id: ConnectionID) -> [Action] {
        connections[id]?.work = .nothing
        return cut(id)
    }

    /// Orders a connection to be cut, once.
    mutating func cut(_ id: ConnectionID) -> [Action] {
        guard connections[id]?.isCut == false else { return [] }
        connections[id]?.isCut = true
        return [.disconnect(id)]
    }

    /// Whether a connection is open whose end still matters.
    var hasLiveConnection: Bool { liveCount > 0 }

    // MARK: Progress

    mutating func advanced(_ watermarks: [ConnectionID: Int64], at now: Instant) -> [Action] {
        var actions = note(watermarks)
        if stage == .transferring, partName == .owed {
            actions += takeName()
        } else if stage == .transferring, checkpoint.segments.received != recordedBytes {
            actions.append(record(.process))
        }
        return actions + synchronizeIfDue(at: now)
    }

    /// Takes over how far each connection has written.
    mutating func note(_ watermarks: [ConnectionID: Int64]) -> [Action] {
        var actions: [Action] = []
        for (id, offset) in watermarks {
            guard var connection = connections[id], connection.isReceiving, !connection.isDismissed else {
                continue
            }
            advance(connection, to: offset)
            actions += prove(&connection, at: offset)
            connections[id] = connection
        }
        return actions
    }

    private mutating func synchronizeIfDue(at now: Instant) -> [Action] {
        let segments = checkpoint.segments
        let atRisk = segments.received - segments.durableBytes
        guard isPartOpen, !isSynchronizing, stage == .transferring, atRisk > 0,
            atRisk >= Self.synchronizeBytes
                || lastSynchronized.duration(to: now) >= Self.synchronizeInterval
                || now < lastSynchronized
        else { return [] }
        return [synchronize()]
    }

    mutating func connectionEnded(_ id: ConnectionID, at offset: Int64?, _ end: ConnectionEnd) -> [Action] {
        guard var connection = connections.removeValue(forKey: id) else { return [] }
        if let offset, !connection.isDismissed { advance(connection, to: offset) }
        if stage == .stopping { return connections.isEmpty ? stopped() : [] }
        if awaitsQuiet {
            // The file is not replaced for a body that will not come. The attempt ends with the reason.
            if preparesFor == id, !connection.isDismissed {
                awaitsQuiet = false
                return if case .failed(let problem) = end { fail(problem) } else { fail(lostConnection) }
            }
            return rewindWhenQuiet()
        }
        if ending != nil || connection.isDismissed { return [] }
        if let first = preparesFor, first != id { return [] }
        switch stage {
        case .surveying, .inspecting, .preparing:
            // The connection waited for its file. The answer of the running file operation ends the attempt.
            if case .failed(let problem) = end {
                ending = .problem(problem)
            } else {
                ending = .problem(lostConnection)
            }
            return []
        default: break
        }
        switch end {
        case .complete:
            let news = prove(&connection, at: offset ?? 0)
            return news + bodyEnded(connection, at: offset)
        case .overlapDiffers where isMirror(connection):
            return exclude(connection.source, .bytes) + goOn()
        case .overlapDiffers: return overlapDiffered(connection)
        case .denied: return denied()
        // A connection that was cut beside others leaves its rest to them.
        case .disconnected where connection.isCut: return goOn()
        case .disconnected: return hasLiveConnection ? watchSpeed() : fail(lostConnection)
        case .failed(let problem):
            let broughtBytes = connection.isReceiving && offset ?? 0 > connection.beganAt
            return failed(connection, problem, broughtBytes: broughtBytes)
        }
    }

    /// The connection whose body the file is being prepared for.
    var preparesFor: ConnectionID? {
        switch stage {
        case .preparing(.receiving(let id)), .preparing(.reserving(let id, _)): id
        case .preparing(.rewinding(let id)): id
        default: nil
        }
    }

    var lostConnection: Problem {
        .transient(.connectionLost, "The connection to \(specification.url.host) was cut.")
    }

    private mutating func bodyEnded(_ connection: Connection, at offset: Int64?) -> [Action] {
        let reached = offset ?? 0
        // The end of a part without a total need not be the end of the resource.
        if connection.endsWithResource, checkpoint.segments.length == nil {
            _ = checkpoint.segments.fix(length: reached)
        }
        // A segment that is no longer in the map was complete and durable, and was joined to the one before it.
        let isComplete = segment(of: connection)?.isComplete ?? true
        if connection.endsWithResource, !isComplete, let length = checkpoint.segments.length {
            return endedShort(connection, at: reached, "after \(reached) of \(length) bytes")
        }
        if !isComplete, reached <= connection.beganAt {
            return endedShort(connection, at: reached, "without sending anything")
        }
        if connection.isBeside { sources.refusals[connection.source] = nil }
        return goOn()
    }

    private mutating func endedShort(
        _ connection: Connection,
        at reached: Int64,
        _ how: String
    ) -> [Action] {
        let problem = Problem.transient(
            .connectionLost,
            "\(specification.url.host) ended its answer \(how)."
        )
        return failed(connection, problem, broughtBytes: reached > connection.beganAt)
    }

    /// Handles an overlap that differs: the answer does not continue the bytes on disk, although its validators
    /// matched.
    private mutating func overlapDiffered(_ connection: Connection) -> [Action] {
        if let refusal = refusalToStartOver { return fail(refusal) }
        switch options.onChange {
        case .keep:
            return fail(.changed(at: specification.url, isFinal: false))
        case .fail:
            return fail(.changed(at: specification.url, isFinal: true))
        case .automatic, .restart:
            let dropped = ByteCount(checkpoint.segments.received).formatted
            forgetBytes()
            let others = connections.keys.sorted().flatMap { dismiss($0) }
            return others + [note("Starting over: the file has changed on the server; \(dropped) dropped.")]
                + rewind(for: nil)
        }
    }
}
