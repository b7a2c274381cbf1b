/// The connections of an attempt, and all that decides their number and what each fetches: which are open, which piece
/// the next one takes, and what the sources serve.
struct ConnectionBoard: Hashable, Sendable {
    /// The open connections.
    var connections = ConnectionSet()
    /// Which piece another connection fetches.
    var pieces: PiecePlan
    /// What this attempt has found out about each source.
    var sources: SourceBoard
    /// Which rests were left to faster connections.
    private var tail = TailRelief()

    /// The connections of an attempt that begins.
    init(pieces: PiecePlan, sources: SourceBoard) {
        (self.pieces, self.sources) = (pieces, sources)
    }

    /// Orders the opening of a connection.
    mutating func connect(_ connection: OpenConnection) -> DownloadAction {
        .connect(connections.open(connection), connection.request)
    }

    // MARK: More connections

    /// Opens connections until the wanted number is open, or no piece is worth another one.
    mutating func fill(_ download: inout Download) -> [DownloadAction] {
        guard connections.hasLive, pieces.mayDivide(download) else { return [] }
        let wanted = pieces.wanted(for: download.progress.segments, over: connections)
        guard connections.liveCount < wanted, !sources.isLookingUp else { return [] }
        pieces.limitJunctions(of: download)
        let review = download.needsComparisons ? JunctionReview(download) : nil
        var actions: [DownloadAction] = []
        while connections.liveCount < wanted, let source = sources.beside(connections, for: download) {
            if connections.count(of: source) > 0, let lookup = sources.lookUp(download.server(of: source)) {
                actions.append(lookup)
                break
            }
            if let review, let comparison = comparison(by: source, in: review) {
                actions.append(compare(comparison, of: download, isBeside: true))
                continue
            }
            let piece = pieces.next(
                in: &download.progress.segments,
                beside: connections,
                at: sources.fastestSpeed(of: source),
                isLast: download.isNearExpiry
            )
            guard let (work, segment) = piece else { break }
            let request = sources.request(for: segment, of: download, from: source)
            var more = OpenConnection(work, request, from: source, at: download.now, isBeside: true)
            more.isBesideLead = source != download.lead && sources.isUsable(download.lead, in: download)
            actions.append(.connectBeside(connections.open(more), request))
        }
        pieces.noteOpen(connections.liveCount)
        return actions
    }

    // MARK: Comparisons

    /// The first comparison at full length that a source can make while bytes arrive. A shorter one waits until all have
    /// arrived, as more bytes may come beside it.
    private func comparison(by source: SourceID, in review: JunctionReview) -> Comparison? {
        let underway = connections.compared
        return review.open.lazy.filter { !underway.contains($0) }
            .flatMap { review.comparisons(of: $0) }
            .first { $0.source == source && $0.isFull }
    }

    /// Opens the connections that compare bytes once all have arrived, one to each source and no more than the user allows.
    ///
    /// - Returns: nothing if no source that is needed can be asked.
    mutating func compareAll(
        _ open: [Junction],
        of review: JunctionReview,
        _ download: Download
    )
        -> [DownloadAction]
    {
        var actions: [DownloadAction] = []
        for junction in open where connections.liveCount < pieces.plan.most {
            let able = review.comparisons(of: junction).filter { sources.isUsable($0.source, in: download) }
            guard let next = best(of: able), connections.count(of: next.source) == 0 else { continue }
            actions.append(compare(next, of: download, isBeside: !actions.isEmpty))
        }
        return actions
    }

    /// The comparison to make out of those that are possible at a junction, the longest first. A source whose work was taken
    /// over compares only if the other side cannot. A much slower one compares only if the other side would compare less.
    private func best(of able: [Comparison]) -> Comparison? {
        let willing = able.filter { !sources.isRelieved($0.source) }
        guard let first = willing.first else { return able.first }
        guard let speed = sources.speed(of: first.source) else { return first }
        return willing.first { other in
            other.window.count == first.window.count
                && (sources.speed(of: other.source) ?? 0) > speed * TailRelief.leastGain
        } ?? first
    }

    private mutating func compare(
        _ comparison: Comparison,
        of download: Download,
        isBeside: Bool
    ) -> DownloadAction {
        let request = sources.request(for: comparison, of: download)
        let connection = OpenConnection(
            .comparison(comparison),
            request,
            from: comparison.source,
            at: download.now,
            isBeside: isBeside
        )
        let id = connections.open(connection)
        return isBeside ? .connectBeside(id, request) : .connect(id, request)
    }

    // MARK: Divisions

    /// Makes a segment of a division. Meanwhile the giving connection may have ended, and another one may have taken
    /// its rest; it may also have received more.
    ///
    /// - Returns: whether the connection fills the segment now.
    mutating func divide(
        _ segments: inout SegmentMap,
        _ division: OpenConnection.Division,
        for id: ConnectionID
    ) -> Bool {
        let offset = division.range.lowerBound
        guard let owner = segments.segment(containing: offset),
            owner.range.upperBound >= division.range.upperBound,
            !connections.isFilling(owner.range.lowerBound, besides: division.giver)
        else { return false }
        if owner.range.lowerBound == offset {
            guard owner.written == offset else { return false }
        } else {
            segments.join(except: connections.segments)
            guard segments.divide(owner.range.lowerBound, at: offset) != nil else { return false }
        }
        // The rest after the piece is left for other connections.
        _ = segments.divide(offset, at: division.range.upperBound)
        connections[id]?.work = .segment(offset)
        return true
    }

    // MARK: Samples

    /// Orders the next sample of the speed, if more connections could help.
    mutating func watch(_ download: Download) -> [DownloadAction] {
        pieces.mayDivide(download) ? pieces.watch() : []
    }

    /// Takes a sample; cuts connections that are too many, those that are stuck, and those that drip.
    mutating func sample(_ watermarks: [ConnectionID: Int64], of download: Download) -> [DownloadAction] {
        connections.sample(watermarks, at: download.now)
        sources.noteSpeeds(of: connections, at: download.now)
        let lifted = sources.liftLimits(of: connections, for: download)
        pieces.sample(
            received: download.progress.segments.received,
            over: connections,
            served: served(download),
            at: download.now
        )
        // The rest of a connection that is cut must be requested again.
        guard !download.isNearExpiry else { return lifted }
        let surplus = pieces.surplus(of: connections) { sources.fastestSpeed(of: $0) }
        let cuts = surplus.flatMap { connections.cut($0) }
        return lifted + cuts + cutStuck(download) + closeDripping(download) + relieveSlow(download)
    }

    /// Cuts the connections that drip beside fast ones of the same source, and wants no more than are kept: the server may give
    /// only a few fast ones at a time. The rests are left to those.
    private mutating func closeDripping(_ download: Download) -> [DownloadAction] {
        let receiving = connections.receiving
        guard let together = pieces.speedTogether, let length = download.progress.segments.length,
            Set(receiving.map(\.connection.source)).count == 1
        else { return [] }
        let known = receiving.compactMap { id, connection -> DripRule.Known? in
            guard connection.segment != nil, let most = connection.speed.most,
                let rest = workLeft(of: connection, in: download)
            else { return nil }
            return DripRule.Known(id: id, rest: TailRelief.Rest(range: rest.range, speed: most))
        }
        let rule = DripRule(
            count: receiving.count,
            speedTogether: together,
            left: length - download.progress.segments.received,
            answer: pieces.plan.slowestAnswer
        )
        let givers = connections.givers
        let dripping = rule.dripping(among: known).filter { !givers.contains($0) }
        guard !dripping.isEmpty else { return [] }
        let cuts = dripping.flatMap { connections.cut($0) }
        pieces.plan.keep(connections.keptCount, closed: dripping.count, at: download.now)
        return cuts
    }

    /// Cuts the connections whose rests others get much sooner, if a connection has nothing else to do, or the only one drips.
    /// The rests are then asked for as those of any connection that was cut.
    private mutating func relieveSlow(_ download: Download) -> [DownloadAction] {
        forgetHelped(download)
        guard pieces.hasIdle(download.progress.segments, beside: connections) || dripsAlone else { return [] }
        let answer = pieces.plan.slowestAnswer
        let givers = connections.givers
        let candidates = connections.receiving.compactMap { id, connection -> TailRelief.Candidate? in
            guard !givers.contains(id), let rest = workLeft(of: connection, in: download),
                let fast = sources.speedOfRelief(for: connection, beside: connections, in: download)
            else { return nil }
            return TailRelief.Candidate(id: id, source: connection.source, rest: rest, fast: fast)
        }
        return tail.choice(of: candidates, answeredAfter: answer).flatMap { slow in
            // One slow connection says nothing about a source that has fast ones.
            let fastest = sources.fastestSpeed(of: slow.source) ?? 0
            if !tail.isWorthwhile(slow.rest, at: fastest, answeredAfter: answer) {
                sources.relieve(slow.source)
            }
            tail.note(slow.rest)
            return connections.cut(slow.id)
        }
    }

    /// Whether only one connection is left, and drips although another one was fast before.
    private var dripsAlone: Bool {
        guard connections.keptCount == 1, let last = connections.receiving.first?.connection else {
            return false
        }
        return last.speed.drips(beside: sources.fastestSpeed(of: last.source))
    }

    /// Forgets the rests that were left to a connection which has turned out to be fast.
    private mutating func forgetHelped(_ download: Download) {
        for (_, connection) in connections.receiving {
            guard let speed = connection.speed.steady.bytesPerSecond,
                let range = download.segment(of: connection)?.range,
                let fast = sources.speedOfRelief(for: connection, beside: connections, in: download),
                speed * TailRelief.leastGain >= fast
            else { continue }
            tail.forget(in: range)
        }
    }

    /// What a connection must still bring; `nil` before its steady speed is known, and while it brings nothing. While the
    /// network is down, a new connection would be of no use.
    private func workLeft(of connection: OpenConnection, in download: Download) -> TailRelief.Rest? {
        guard let speed = connection.speed.steady.bytesPerSecond, let offset = connection.speed.offset,
            connection.speed.lastProgress == download.now
        else { return nil }
        let window = connection.comparison?.window
        guard let end = window?.upperBound ?? download.segment(of: connection)?.range.upperBound else {
            return nil
        }
        return TailRelief.Rest(range: min(offset, end)..<end, speed: speed)
    }

    /// Cuts each connection that brings nothing while others bring bytes, or after others have finished. Others take
    /// its rest. If a connection brought no byte at all, its end is ignored, and its source may serve fewer
    /// connections.
    private mutating func cutStuck(_ download: Download) -> [DownloadAction] {
        var actions: [DownloadAction] = []
        for (id, connection) in pieces.stuck(of: connections, at: download.now) {
            let hasBrought = connection.hasBrought(upTo: download.segment(of: connection)?.written)
            // A dismissed connection gives up its segment at once, but can write until it ends. Meanwhile another source could
            // fill that segment.
            let mayWrite = connection.isReceiving && download.needsComparisons
            actions += hasBrought || mayWrite ? connections.cut(id) : connections.dismiss(id)
            if !hasBrought, connection.isBeside { actions += foundNoAnswer(connection.source, download) }
        }
        return actions
    }

    // MARK: Fewer connections

    /// How many connections all sources are known to serve together.
    private func served(_ download: Download) -> Int {
        sources.served(connections, most: pieces.plan.most, for: download)
    }

    /// Takes over what was remembered of a server.
    mutating func recalled(
        _ known: ServerTraits,
        of server: Origin,
        isProbed: Bool,
        for download: Download
    ) {
        sources.learn(known, of: server, isProbed: isProbed)
        if server == download.server(of: download.lead), known.lacksIfRange {
            sources.traitsOfLead.lacksIfRange = true
        }
        pieces.plan.serve(served(download))
    }

    /// Notes that a source serves no more connections than now. If its server answered, this is remembered for the
    /// server.
    mutating func limit(
        _ source: SourceID,
        by facts: ResponseFacts? = nil,
        _ download: Download
    ) -> [DownloadAction] {
        let count = connections.count(of: source)
        let end = download.now.advanced(by: ServerTraits.ConnectionLimit.lifetime)
        sources.limit(source, to: count, until: end)
        pieces.plan.refused(serving: served(download))
        guard count > 0, let server = download.version(of: source).server, facts?.server ?? server == server
        else {
            return watch(download)
        }
        return [sources.rememberLimit(of: server, connections, for: download)] + watch(download)
    }

    /// Asks a source for no more connections than now, for a while.
    mutating func holdBack(
        _ source: SourceID,
        for duration: Duration = ConnectionPlan.patience,
        _ download: Download
    ) -> [DownloadAction] {
        let end = download.now.advanced(by: duration)
        sources.limit(source, to: connections.count(of: source), until: end)
        // Others may have connections to spare.
        if served(download) <= connections.liveCount {
            pieces.plan.hold(at: connections.liveCount, until: end)
        }
        return watch(download)
    }

    /// Handles a connection that ended early while others continue.
    mutating func lost(
        _ connection: OpenConnection,
        _ problem: Problem,
        broughtBytes: Bool,
        _ download: Download
    ) -> [DownloadAction] {
        let source = connection.source
        // If it brought bytes or was the first, its end shows only that a connection broke.
        guard connection.isBeside, !broughtBytes else {
            if connection.isBeside { sources.forgetRefusals(by: source) }
            return watch(download)
        }
        switch problem.failure.code {
        case .serverOverloaded: return limit(source, download)
        case .connectionLost, .connectionRefused: return foundNoAnswer(source, download)
        // An expired URL, a lost network or a name that is not resolved says nothing of a limit.
        default: return holdBack(source, download)
        }
    }

    /// Handles a further connection that was of no use for an unknown reason.
    ///
    /// If one breaks before its answer, the cause may be temporary. If a second one does so while others bring bytes,
    /// the server's limit is the cause.
    private mutating func foundNoAnswer(_ source: SourceID, _ download: Download) -> [DownloadAction] {
        guard connections.isMoving(source, at: download.now), sources.countRefusal(by: source) else {
            return holdBack(source, for: PiecePlan.denialTime, download)
        }
        return limit(source, download)
    }
}
