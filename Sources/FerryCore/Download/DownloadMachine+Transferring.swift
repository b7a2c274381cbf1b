/// Connections, their bodies and their ends.
extension DownloadMachine {
    /// Opens a connection for the first segment that has none. Verifies when every segment is complete.
    mutating func connect() -> [DownloadAction] {
        // Without connections, divisions are of no use. Folding them lets an overlap reach back over the bytes before
        // them.
        if !board.connections.hasLive { download.progress.segments.fold() }
        guard let next = board.connections.firstFree(in: progress.segments) else {
            return board.connections.hasLive ? [] : verify()
        }
        if let excess = download.passedMaximum { return fail(excess) }
        guard let source = board.sources.next(for: download) else {
            return replaceLead() ?? failWithoutSources()
        }
        var request = board.sources.request(for: next, of: download, from: source)
        if source == .own { request.unless = download.revalidated?.condition }
        let work = OpenConnection.Work.segment(next.range.lowerBound)
        return [board.connect(OpenConnection(work, request, from: source, at: download.now))]
    }

    /// Starts over from another source. Returns `nil` if the lead is still of use, or no other source is left.
    ///
    /// The lead is of no use when it is gone for good, is no longer a source, or broke off an answer that cannot be
    /// resumed. Called when no source can resume what the lead gave.
    mutating func replaceLead() -> [DownloadAction]? {
        let lead = download.lead
        let isGone =
            board.sources.problem(of: lead)?.saysThatItIsGone == true || !download.isListed(lead)
        guard !download.isStream, part.isOpen, isGone || progress.startsOver,
            let next = board.sources.firstUsable(in: download)
        else { return nil }
        let dropped = ByteCount(progress.segments.received).formatted
        let reason =
            isGone
            ? "\(download.host(of: lead)) is gone"
            : "\(download.host(of: lead)) interrupted a compressed answer, which cannot be resumed"
        let text = "Starting over from \(download.host(of: next)): \(reason); \(dropped) dropped."
        let news = download.note(.startedOver, text)
        forgetBytes()
        return [news] + rewind(for: nil)
    }

    // MARK: Bodies

    /// Takes the part that an answer brings, once the connection that fills its segment has given it up.
    mutating func takePart(_ answer: ConnectionAnswer) -> [DownloadAction] {
        noteTaken(answer)
        let (id, end) = (answer.id, answer.facts.partEnd)
        guard var division = board.connections[id]?.division else { return receive(id, upTo: end) }
        division.partEnd = end
        board.connections[id]?.work = .division(division)
        guard board.connections[division.giver]?.isReceiving == true else { return shortened(for: id, true) }
        return [.shorten(division.giver, to: division.range.lowerBound, for: id)]
    }

    mutating func shortened(for id: ConnectionID, _ isDone: Bool) -> [DownloadAction] {
        guard let division = board.connections[id]?.division else { return [] }
        guard stage == .transferring else { return board.connections.cut(id) }
        // The giving connection ends where the new one begins, not at the end of the resource.
        if isDone { board.connections[division.giver]?.extent = .part }
        guard isDone, board.divide(&download.progress.segments, division, for: id) else {
            // The giving connection was faster. The next sample finds another piece; an immediate retry could repeat
            // for ever.
            return board.connections.dismiss(id)
                + (board.connections.hasLive ? board.watch(download) : fetchRestOrVerify())
        }
        return receive(id, upTo: division.partEnd)
    }

    /// Takes a body, once there is room for it, up to the end that the answer gives and never past its segment.
    mutating func receive(
        _ id: ConnectionID,
        comparing overlap: Int64 = 0,
        upTo end: Int64? = nil
    ) -> [DownloadAction] {
        guard let segment = board.connections[id].flatMap({ download.segment(of: $0) }) else {
            return board.connections.cut(id) + fail(download.lostConnection)
        }
        // Once another body is written, the space is reserved.
        guard !download.isStream, part.file != .unnamed, segment.written == 0,
            !board.connections.isReceiving(besides: id), let length = progress.segments.length, length > 0
        else {
            return write(id, segment, comparing: overlap, upTo: end)
        }
        // A file that does not fit is not begun: its first bytes would fill the disk for nothing.
        stage = .busy(.preparing(.reserving(id, upTo: end)))
        return [.reserve(length)]
    }

    /// Continues once space for the whole file is reserved, as far as the file system can.
    mutating func reserved() -> [DownloadAction] {
        guard case .busy(.preparing(.reserving(let id, let end)), let ending) = stage else { return [] }
        if let ending { return stop(ending) }
        guard let segment = board.connections[id].flatMap({ download.segment(of: $0) }) else {
            return board.connections.cut(id) + fail(download.lostConnection)
        }
        return write(id, segment, upTo: end)
    }

    private mutating func write(
        _ id: ConnectionID,
        _ segment: Segment,
        comparing overlap: Int64 = 0,
        upTo end: Int64?
    ) -> [DownloadAction] {
        board.connections[id]?.receive(from: segment.written)
        stage = .transferring
        let at = segment.written - overlap
        let bound = min(segment.range.upperBound, end ?? .max)
        let limit = bound == .max ? nil : bound - at
        var actions: [DownloadAction] = []
        if case .whole(let coding?) = board.connections[id]?.extent { actions = [.decode(id, coding)] }
        if download.options.isSealed, let length = progress.segments.length {
            actions.append(.expect(length))
        }
        return actions + [.receive(id, at: at, limit: limit, comparing: overlap)] + board.watch(download)
    }

    /// Takes the bytes of a comparison. All of them are on disk, and none is written.
    mutating func receive(_ comparison: Comparison, over id: ConnectionID) -> [DownloadAction] {
        let window = comparison.window
        let length = window.upperBound - window.lowerBound
        board.connections[id]?.receive(from: window.upperBound)
        return [.receive(id, at: window.lowerBound, limit: length, comparing: length)] + board.watch(download)
    }

    mutating func advanced(_ watermarks: [ConnectionID: Int64]) -> [DownloadAction] {
        var actions = note(watermarks)
        guard stage == .transferring else { return actions }
        // A proved overlap may have brought the validator that further connections need.
        if !actions.isEmpty { actions += board.watch(download) }
        if part.file == .unnamed {
            actions += takeName()
        } else if part.isNews(progress.segments) {
            actions.append(record(.process))
        }
        if part.isDue(progress.segments, at: download.now) {
            actions.append(part.synchronize(progress.segments))
        }
        return actions
    }

    /// Takes over how far each connection has written.
    private mutating func note(_ watermarks: [ConnectionID: Int64]) -> [DownloadAction] {
        var actions: [DownloadAction] = []
        for (id, offset) in watermarks {
            guard var connection = board.connections[id], connection.isReceiving, !connection.isDismissed
            else {
                continue
            }
            download.advance(connection, to: offset)
            actions += download.prove(&connection, at: offset)
            board.connections[id] = connection
        }
        return actions
    }

    // MARK: Ends

    mutating func connectionEnded(
        _ id: ConnectionID,
        at offset: Int64?,
        _ end: DownloadEvent.ConnectionEnd
    ) -> [DownloadAction] {
        guard var connection = board.connections.end(id) else { return [] }
        if let offset, !connection.isDismissed { download.advance(connection, to: offset) }
        if stage.isStopping { return board.connections.isEmpty ? stopped() : [] }
        var cause: Problem { if case .failed(let problem) = end { problem } else { download.lostConnection } }
        if case .quieting(let waiting) = stage.preparation {
            // The file is not replaced for a body that will not come. The attempt ends with the reason.
            return waiting == id && !connection.isDismissed ? fail(cause) : rewindWhenQuiet(for: waiting)
        }
        if stage.ending != nil || connection.isDismissed { return [] }
        if let first = stage.preparesFor, first != id { return [] }
        switch stage.operation {
        case .surveying, .inspecting, .preparing:
            // The connection waited for its file. The answer of the running file operation ends the attempt.
            stage.insist(on: .problem(cause))
            return []
        case .digesting, .synchronizing, nil: break
        }
        switch end {
        case .complete where connection.comparison != nil:
            return compared(connection, upTo: offset ?? 0)
        case .complete:
            return download.prove(&connection, at: offset ?? 0) + bodyEnded(connection, at: offset ?? 0)
        case .overlapDiffers where connection.comparison != nil:
            return differs(connection)
        case .overlapDiffers where download.isMirror(connection, hasOthers: board.connections.liveCount > 1):
            return exclude(connection.source, .bytes) + fetchRestOrVerify()
        case .overlapDiffers where mayExcludeOtherTool(after: connection):
            // Other bytes of an adopted file were equal, so it is no other file.
            return exclude(.otherTool, .bytes) + fetchAgain(unproved: JunctionReview(download).doubtful)
        case .overlapDiffers:
            return overlapDiffered()
        case .denied, .heldBack:
            guard board.connections.hasLive else { return connect() }
            // The hosts of other sources may have connections to spare. A burst may have used up the tokens. It is soon known whether it did.
            let time = end == .denied ? PiecePlan.denialTime : TokenBucket.leastJudgement
            return board.holdBack(connection.source, for: time, download) + fill()
        case .disconnected where connection.isCut:
            // If other connections are open, a connection that was cut leaves its rest to them.
            return fetchRestOrVerify()
        case .disconnected:
            return board.connections.hasLive ? board.watch(download) : fail(cause)
        case .failed(let problem):
            return failed(connection, problem, broughtBytes: connection.hasBrought(upTo: offset))
        }
    }

    /// Whether only bytes of another tool are refused if what a connection compared differs. If none was found equal before,
    /// the file is another one.
    private func mayExcludeOtherTool(after connection: OpenConnection) -> Bool {
        download.continuesOtherTool(connection) && !board.connections.hasLive && progress.assurance != .single
    }

    private mutating func bodyEnded(_ connection: OpenConnection, at reached: Int64) -> [DownloadAction] {
        // The end of a part without a total need not be the end of the resource.
        if connection.endsWithResource, progress.segments.length == nil {
            _ = download.progress.segments.fix(length: reached)
        }
        // A segment that is no longer in the map was complete and durable, and was joined to the one before it.
        let isComplete = download.segment(of: connection)?.isComplete ?? true
        let hasBrought = connection.hasBrought(upTo: reached)
        if connection.endsWithResource, !isComplete, let length = progress.segments.length {
            let (part, whole) = (
                ByteCount(reached).formatted(beside: length), ByteCount(length).formatted(beside: reached)
            )
            let problem = download.endedEarly("after \(part) of \(whole)")
            return failed(connection, problem, broughtBytes: hasBrought)
        }
        if !isComplete, !hasBrought {
            return failed(connection, download.endedEarly("without sending anything"), broughtBytes: false)
        }
        if connection.isBeside { board.sources.forgetRefusals(by: connection.source) }
        return fetchRestOrVerify()
    }

    /// Handles bytes that were only compared, and are equal.
    private mutating func compared(_ connection: OpenConnection, upTo reached: Int64) -> [DownloadAction] {
        guard let comparison = connection.comparison, reached == comparison.window.upperBound else {
            return failed(connection, download.endedEarly("before its end"), broughtBytes: false)
        }
        download.progress.assurance = max(progress.assurance, .overlapChecked)
        download.progress.mirroring.note(compared: comparison.junction)
        return [record(.process)] + fetchRestOrVerify()
    }

    /// Handles bytes that were only compared, and differ: two sources have different files. Of these, the lead's counts.
    private mutating func differs(_ connection: OpenConnection) -> [DownloadAction] {
        guard let comparison = connection.comparison else { return fetchRestOrVerify() }
        let junction = comparison.junction
        let others = [junction.before, junction.after].filter { $0 != download.lead }
        return others.flatMap { exclude($0, .bytes) } + fetchRestOrVerify()
    }

    /// Stops using a source. Without a digest, its bytes are fetched again when all others have arrived.
    mutating func exclude(_ source: SourceID, _ reason: Mirroring.Exclusion) -> [DownloadAction] {
        let notes = download.exclude(source, reason)
        return download.isVerifiedLater ? notes : notes + board.connections.leave(source)
    }

    /// Handles an overlap that differs: the answer does not continue the bytes on disk, although its validators
    /// matched.
    mutating func overlapDiffered() -> [DownloadAction] {
        if let refusal = download.refusalToStartOver { return fail(refusal) }
        // No byte of it was ever found to be the server's, so nothing has changed there.
        if progress.assurance == .single, let refusal = download.refusalToContinueForeign {
            return fail(refusal)
        }
        guard download.mayStartOver else {
            return fail(.changed(at: specification.url, isFinal: download.options.onChange == .fail))
        }
        if let refusal = download.refusalToContinueForeign { return fail(refusal) }
        let dropped = ByteCount(progress.segments.received).formatted
        forgetBytes()
        let others = board.connections.dismissAll()
        let news = download.note(
            .startedOver,
            "Starting over: the file has changed on the server; \(dropped) dropped."
        )
        return others + [news] + rewind(for: nil)
    }

    /// Handles a failed connection. Its source is not asked again in this attempt, unless it serves other
    /// connections.
    mutating func failed(
        _ connection: OpenConnection,
        _ problem: Problem,
        broughtBytes: Bool
    ) -> [DownloadAction] {
        let source = connection.source
        let isSourceOfUse = board.connections.count(of: source) > 0
        // A failure to write affects every connection.
        if problem.isOfTheDisk { return fail(problem) }
        // What the lead does not compare may have to be fetched from it.
        guard download.hasMirrors || connection.comparison != nil, !problem.endsByPolicy, !isSourceOfUse
        else {
            return board.connections.hasLive
                ? board.lost(connection, problem, broughtBytes: broughtBytes, download)
                : fail(problem)
        }
        let isKnown = board.sources.problem(of: source)?.failure.code == problem.failure.code
        if !broughtBytes || !board.connections.hasLive { board.sources.giveUp(source, problem) }
        let isOfTheSource =
            problem.disposition == .permanent
            || (!broughtBytes && problem.disposition != .condition(.network))
        return (isOfTheSource && !isKnown ? noteSkipped(source, problem) : []) + leaveToOthers()
    }

    /// Names a source that is not asked again in this attempt. The one whose failure ends the attempt is named by that.
    private mutating func noteSkipped(_ source: SourceID, _ problem: Problem) -> [DownloadAction] {
        let isLeft = board.connections.hasLive || board.sources.next(for: download) != nil
        guard isLeft || download.problem(whenNoSourceIsLeft: board.sources.mildest).problem != problem,
            let url = download.sourceList[source]?.redacted
        else { return [] }
        let name = source == .own ? url : "mirror \(url)"
        return [download.note(.sourceFailed, "Skipping \(name): \(problem.failure.message)")]
    }

    /// Leaves a connection's rest to the open connections, or else to the next one.
    mutating func leaveToOthers() -> [DownloadAction] {
        board.connections.hasLive ? board.watch(download) : connect()
    }

    /// A connection has ended: opens the next ones, or verifies when every byte is received.
    mutating func fetchRestOrVerify() -> [DownloadAction] {
        guard progress.segments.isComplete else {
            return board.connections.hasLive ? fill() + board.watch(download) : connect()
        }
        // The bytes that idle connections asked for have now arrived.
        return board.connections.dismissIdle() + (board.connections.hasLive ? [] : verify())
    }

    // MARK: Samples

    mutating func sampled(_ watermarks: [ConnectionID: Int64]) -> [DownloadAction] {
        board.pieces.sampleArrived()
        guard stage == .transferring, board.pieces.mayDivide(download) else { return [] }
        let actions = note(watermarks) + board.sample(watermarks, of: download)
        return actions + (board.connections.hasLive ? fill() + board.watch(download) : fetchRestOrVerify())
    }

    mutating func recalled(
        _ known: ServerTraits,
        of server: Origin,
        isProbed: Bool
    ) -> [DownloadAction] {
        board.recalled(known, of: server, isProbed: isProbed, for: download)
        return fill()
    }

    private mutating func fill() -> [DownloadAction] {
        stage == .transferring ? board.fill(&download) : []
    }
}
