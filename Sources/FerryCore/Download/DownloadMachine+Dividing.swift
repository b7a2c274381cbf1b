/// Several connections for one download: when another one is opened, what it takes, and what becomes of one that
/// gets stuck.
///
/// A second connection asks for its part first. Only when the server has sent the head of the right part of the same
/// version does the first one give it up, so that a server that cannot do so costs nothing.
extension DownloadMachine {
    /// How long a connection may bring nothing while others bring bytes.
    static let stuckTime: Duration = .seconds(5)
    /// How long everything that is left must take for one more connection to be worth while.
    static let worthwhileTime: Duration = .seconds(1)
    /// How long one connection's rest must take for half of it to be worth another one's while.
    static let worthwhileRest: Duration = .milliseconds(300)
    /// How long the piece takes that one connection asks for at a time.
    static let pieceTime: Duration = .seconds(2)
    /// How long it is until another connection is asked for when the host had none to spare.
    static let denialTime: Duration = .seconds(2)
    /// How many segments a map may have for another one to be made: three for each connection that there can be.
    static let mostSegments = 3 * DownloadOptions.connectionsRange.upperBound

    /// Watches the speed, where more connections could make a difference.
    mutating func watchSpeed() -> [Action] {
        guard !isSampling, mayDivide else { return [] }
        isSampling = true
        return [.sample(after: plan.sampleInterval)]
    }

    /// Whether parts of this resource can be fetched side by side and still be of one version (I5).
    private var mayDivide: Bool {
        guard !isStream, ending == nil, plan.most > 1, !takesWhole, !doesWithoutParts,
            checkpoint.contentCoding == nil,
            let length = checkpoint.segments.length, length >= 4 * smallestPiece
        else { return false }
        switch checkpoint.validator.strength {
        case .strongETag: return true
        case .strongDate: return checkpoint.validator.entityTag == nil
        default: return false
        }
    }

    // MARK: Samples

    mutating func sampled(_ watermarks: [ConnectionID: Int64]) -> [Action] {
        isSampling = false
        guard stage == .transferring, mayDivide else { return [] }
        let news = note(watermarks)
        for (id, offset) in watermarks where connections[id]?.isReceiving == true {
            connections[id]?.speed.sample(offset, at: now)
        }
        lastSpeed = meanSpeed
        noteProgress()
        noteSourceSpeeds()
        plan.serve(served)
        plan.sample(received: checkpoint.segments.received, receiving: receiving.count, at: now)
        let cuts = cutSurplus() + cutStuck()
        return news + cuts + (hasLiveConnection ? fill() + watchSpeed() : goOn())
    }

    private mutating func noteProgress() {
        let received = checkpoint.segments.received
        if received > latestProgress?.received ?? 0 {
            latestProgress = Progress(received: received, at: now)
        } else {
            // Bytes may have been dropped.
            latestProgress?.received = received
        }
    }

    /// Connections whose body is being written, the oldest first.
    var receiving: [(id: ConnectionID, connection: Connection)] {
        connections.filter { $0.value.isReceiving && !$0.value.isDismissed && !$0.value.isCut }
            .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// How many connections are open whose end will mean something.
    var liveCount: Int { connections.values.count { !$0.isDismissed } }

    private mutating func cutSurplus() -> [Action] {
        let surplus = receiving.count - plan.wanted
        guard surplus > 0 else { return [] }
        return receiving.suffix(surplus).flatMap { cut($0.id) }
    }

    /// One that brings nothing while others do, or after others have brought all that was theirs, is cut; what it was to
    /// bring is given away. Of one that has brought nothing at all the end means nothing, and the source may serve fewer.
    private mutating func cutStuck() -> [Action] {
        let bound = max(Self.stuckTime, plan.slowestAnswer * 2)
        let stuck = connections.filter { _, connection in
            guard !connection.isDismissed, !connection.isCut, let latestProgress = latestProgress?.at else {
                return false
            }
            let last = connection.speed.lastProgress ?? connection.opened
            return last < latestProgress && last.duration(to: now) >= bound
        }
        var actions: [Action] = []
        for (id, connection) in stuck.sorted(by: { $0.key < $1.key }) {
            if let segment = segment(of: connection), connection.isReceiving,
                segment.written > connection.beganAt
            {
                actions += cut(id)
            } else {
                actions += dismiss(id)
                if connection.isBeside { actions += foundNoAnswer(connection.source) }
            }
        }
        return actions
    }

    // MARK: More connections

    /// Opens connections until there are as many as are wanted, or there is nothing worth while for another one.
    mutating func fill() -> [Action] {
        guard stage == .transferring, ending == nil, liveCount > 0, mayDivide else { return [] }
        // Towards the end the connections that there are take what is left from one another.
        let wanted = isNearEnd ? min(plan.wanted, peak) : plan.wanted
        guard liveCount < wanted, !sources.isLookingUp else { return [] }
        var actions: [Action] = []
        while liveCount < wanted, let source = sourceBeside() {
            if let lookup = lookUp(source) {
                actions.append(lookup)
                break
            }
            guard let more = connectBeside(source) else { break }
            actions.append(more)
        }
        peak = max(peak, liveCount)
        return actions
    }

    private var isNearEnd: Bool {
        guard let length = checkpoint.segments.length else { return true }
        let speed = receiving.reduce(0) { $0 + ($1.connection.speed.bytesPerSecond ?? 0) }
        let left = Double(length - checkpoint.segments.received)
        return left < speed * (Self.worthwhileTime / .seconds(1))
    }

    private mutating func connectBeside(_ source: SourceID) -> Action? {
        let segment: Segment
        let work: Work
        if let free = nextSegment {
            segment = cutPiece(from: free)
            work = .segment(segment.range.lowerBound)
        } else if let division = nextDivision() {
            segment = Segment(division.range)
            work = .division(division)
        } else {
            return nil
        }
        let request = resuming(segment, from: source)
        let id = newConnection(work, request, from: source)
        connections[id]?.isBeside = true
        return .connectBeside(id, request)
    }

    /// The mean speed of the connections, in bytes a second; `nil` before it is known.
    private var meanSpeed: Double? {
        let speeds = receiving.compactMap(\.connection.speed.bytesPerSecond).filter { $0 > 0 }
        // When all pieces end at once, those that follow are as fast as they were.
        return speeds.isEmpty ? lastSpeed : speeds.reduce(0, +) / Double(speeds.count)
    }

    /// How much one connection asks for at a time. A body that ends where it was asked to end leaves its connection
    /// to the next one; one that is cut wastes what is on its way.
    private func pieceLength(of rest: Int64) -> Int64 {
        guard let speed = meanSpeed else { return rest }
        let time = max(Self.pieceTime, plan.slowestAnswer * 20)
        // Towards the end the pieces become smaller, so that all connections end together.
        let share = Double(rest) / Double(max(2, plan.wanted))
        return max(smallestPiece, wholePages(min(speed * (time / .seconds(1)), share)))
    }

    /// The first piece of a segment that nobody fills; what lies behind it is left for others.
    private mutating func cutPiece(from free: Segment) -> Segment {
        joinSegments()
        let end = free.written + pieceLength(of: free.range.upperBound - free.written)
        guard checkpoint.segments.segments.count < Self.mostSegments,
            free.range.upperBound - end >= smallestPiece,
            checkpoint.segments.divide(free.range.lowerBound, at: end) != nil
        else { return free }
        return checkpoint.segments[free.range.lowerBound] ?? free
    }

    /// What another connection can take: of the rest that would take longest, a piece behind what its connection
    /// keeps.
    private func nextDivision() -> Division? {
        guard checkpoint.segments.segments.count < Self.mostSegments, let mean = meanSpeed else { return nil }
        let givers = Set(connections.values.compactMap(\.division?.giver))
        var longest: (time: Double, division: Division)?
        for (id, connection) in receiving where !givers.contains(id) {
            guard let segment = segment(of: connection) else { continue }
            let speed = max(1, connection.speed.bytesPerSecond ?? mean)
            let rest = segment.range.upperBound - segment.written
            let time = Double(rest) / speed
            guard time > longest?.time ?? 0, isWorthwhile(rest, time: time) else { continue }
            let offset = segment.written + kept(of: rest, at: speed, mean: mean)
            guard segment.range.upperBound - offset >= smallestPiece else { continue }
            let behind = segment.range.upperBound - offset
            let piece = min(pieceLength(of: rest), behind)
            let end = behind - piece < smallestPiece ? segment.range.upperBound : offset + piece
            longest = (time, Division(giver: id, range: offset..<end))
        }
        return longest?.division
    }

    private func isWorthwhile(_ rest: Int64, time: Double) -> Bool {
        let least = max(Self.worthwhileRest, plan.slowestAnswer * 4)
        return rest >= 2 * smallestPiece && time >= least / .seconds(1)
    }

    /// How much of its rest a connection keeps: its share by speed, or a piece of it; but what it brings until the
    /// other one has its answer in any case.
    private func kept(of rest: Int64, at speed: Double, mean: Double) -> Int64 {
        let share = min(max(speed / (speed + mean), 0.25), 0.75)
        let meanwhile = speed * (plan.slowestAnswer * 2 / .seconds(1))
        let own = min(Double(rest) * share, Double(pieceLength(of: rest)))
        return wholePages(min(max(own, meanwhile), Double(rest) * 0.75))
    }

    /// Whole pages, where pieces are large enough for that; never nothing.
    private func wholePages(_ bytes: Double) -> Int64 {
        let unit = min(smallestPiece, 64 << 10)
        return max(unit, Int64(bytes) / unit * unit)
    }

    // MARK: The answer

    /// The server sends the right part of the same version: the connection that fills the segment ends before it.
    mutating func divide(for id: ConnectionID, _ division: Division) -> [Action] {
        guard connections[division.giver]?.isReceiving == true else { return shortened(for: id, true) }
        return [.shorten(division.giver, to: division.range.lowerBound, for: id)]
    }

    mutating func shortened(for id: ConnectionID, _ isDone: Bool) -> [Action] {
        guard let division = connections[id]?.division else { return [] }
        guard ending == nil, stage == .transferring else { return cut(id) }
        let offset = division.range.lowerBound
        // It ends where the other one begins, and not where the resource does.
        if isDone { connections[division.giver]?.endsWithResource = false }
        // The giver may have ended meanwhile, and another one may have taken up what it left.
        guard isDone, let owner = checkpoint.segments.segment(containing: offset),
            owner.range.upperBound >= division.range.upperBound,
            connections.allSatisfy({ $0.key == division.giver || $0.value.segment != owner.range.lowerBound }
            ),
            owner.range.lowerBound == offset ? owner.written == offset : divides(owner, at: offset)
        else {
            // The giver was faster. The next sample finds another piece; to look at once could go on for ever.
            let dismissed = dismiss(id)
            return dismissed + (hasLiveConnection ? watchSpeed() : goOn())
        }
        // What lies behind the piece is left for others.
        _ = checkpoint.segments.divide(offset, at: division.range.upperBound)
        connections[id]?.work = .segment(offset)
        return receive(id, upTo: division.partEnd)
    }

    private mutating func divides(_ segment: Segment, at offset: Int64) -> Bool {
        joinSegments()
        return checkpoint.segments.divide(segment.range.lowerBound, at: offset) != nil
    }

    /// Joins what is complete, so that the map stays small however often it is divided: a segment for each
    /// connection, and what lies between them.
    mutating func joinSegments() {
        checkpoint.segments.join(except: Set(connections.values.compactMap(\.segment)))
    }

    /// A connection has ended: what does the next one fetch?
    mutating func goOn() -> [Action] {
        guard checkpoint.segments.isComplete else {
            return hasLiveConnection ? fill() + watchSpeed() : connect()
        }
        // What was asked for meanwhile is there.
        let idle = connections.keys.sorted().filter { connections[$0]?.isReceiving == false }
        let cuts = idle.flatMap { dismiss($0) }
        return cuts + (hasLiveConnection ? [] : verify())
    }
}
