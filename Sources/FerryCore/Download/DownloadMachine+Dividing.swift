/// Several connections for one download: when to open another one, what it takes, and what to do with a stuck one.
///
/// A further connection asks for its part first. The connection that fills the segment gives the part up only when
/// the server has sent the head of the right part of the same version. A server that cannot do this costs nothing.
extension DownloadMachine {
    /// Longest time that a connection may bring nothing while others bring bytes.
    static let stuckTime: Duration = .seconds(5)
    /// When the rest of the download takes less than this, the number of connections no longer grows.
    static let worthwhileTime: Duration = .seconds(1)
    /// Least time that one connection's rest must take for another connection to take half of it.
    static let worthwhileRest: Duration = .milliseconds(300)
    /// How long the piece should take that a connection asks for at a time.
    static let pieceTime: Duration = .seconds(2)
    /// Time until another connection is asked for after the host had none to spare.
    static let denialTime: Duration = .seconds(2)
    /// Largest number of segments at which a map is still divided: three for each possible connection.
    static let mostSegments = 3 * DownloadOptions.connectionsRange.upperBound

    /// Orders the next sample of the speed, if more connections could help.
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

    /// Number of open connections whose end still matters.
    var liveCount: Int { connections.values.count { !$0.isDismissed } }

    private mutating func cutSurplus() -> [Action] {
        let surplus = receiving.count - plan.wanted
        guard surplus > 0 else { return [] }
        return receiving.suffix(surplus).flatMap { cut($0.id) }
    }

    /// Cuts each connection that brings nothing while others bring bytes, or after others have finished. Others take
    /// its rest. The end of one that brought no byte at all is ignored, and its source may serve fewer connections.
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

    /// Opens connections until the wanted number is open, or no piece is worth another one.
    mutating func fill() -> [Action] {
        guard stage == .transferring, ending == nil, liveCount > 0, mayDivide else { return [] }
        // Towards the end, the connections that exist take what is left from one another.
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
        // When all pieces end at once, the next ones are expected to be as fast.
        return speeds.isEmpty ? lastSpeed : speeds.reduce(0, +) / Double(speeds.count)
    }

    /// How much one connection asks for at a time. A body that ends where the request ends leaves its connection to
    /// the next request. A body that is cut wastes the bytes on their way.
    private func pieceLength(of rest: Int64) -> Int64 {
        guard let speed = meanSpeed else { return rest }
        let time = max(Self.pieceTime, plan.slowestAnswer * 20)
        // Towards the end the pieces become smaller, so that all connections end together.
        let share = Double(rest) / Double(max(2, plan.wanted))
        return max(smallestPiece, wholePages(min(speed * (time / .seconds(1)), share)))
    }

    /// The first piece of a segment that no connection fills. The rest of the segment is left for others.
    private mutating func cutPiece(from free: Segment) -> Segment {
        joinSegments()
        let end = free.written + pieceLength(of: free.range.upperBound - free.written)
        guard checkpoint.segments.segments.count < Self.mostSegments,
            free.range.upperBound - end >= smallestPiece,
            checkpoint.segments.divide(free.range.lowerBound, at: end) != nil
        else { return free }
        return checkpoint.segments[free.range.lowerBound] ?? free
    }

    /// The part that another connection can take: a piece of the rest that would take longest, behind what its
    /// connection keeps.
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

    /// How much of its rest a connection keeps: its share by speed, or a piece. It keeps at least what it brings
    /// until the other connection has its answer.
    private func kept(of rest: Int64, at speed: Double, mean: Double) -> Int64 {
        let share = min(max(speed / (speed + mean), 0.25), 0.75)
        let meanwhile = speed * (plan.slowestAnswer * 2 / .seconds(1))
        let own = min(Double(rest) * share, Double(pieceLength(of: rest)))
        return wholePages(min(max(own, meanwhile), Double(rest) * 0.75))
    }

    /// Rounds down to whole pages, where pieces are large enough for that. The result is never 0.
    private func wholePages(_ bytes: Double) -> Int64 {
        let unit = min(smallestPiece, 64 << 10)
        return max(unit, Int64(bytes) / unit * unit)
    }

    // MARK: The answer

    /// The server sends the right part of the same version: shortens the connection that fills the segment.
    mutating func divide(for id: ConnectionID, _ division: Division) -> [Action] {
        guard connections[division.giver]?.isReceiving == true else { return shortened(for: id, true) }
        return [.shorten(division.giver, to: division.range.lowerBound, for: id)]
    }

    mutating func shortened(for id: ConnectionID, _ isDone: Bool) -> [Action] {
        guard let division = connections[id]?.division else { return [] }
        guard ending == nil, stage == .transferring else { return cut(id) }
        let offset = division.range.lowerBound
        // The giver ends where the new connection begins, not at the end of the resource.
        if isDone { connections[division.giver]?.endsWithResource = false }
        // The giver may have ended meanwhile, and another connection may have taken its rest.
        guard isDone, let owner = checkpoint.segments.segment(containing: offset),
            owner.range.upperBound >= division.range.upperBound,
            connections.allSatisfy({ $0.key == division.giver || $0.value.segment != owner.range.lowerBound }
            ),
            owner.range.lowerBound == offset ? owner.written == offset : divides(owner, at: offset)
        else {
            // The giver was faster. The next sample finds another piece; retrying at once could repeat for ever.
            let dismissed = dismiss(id)
            return dismissed + (hasLiveConnection ? watchSpeed() : goOn())
        }
        // The rest behind the piece is left for others.
        _ = checkpoint.segments.divide(offset, at: division.range.upperBound)
        connections[id]?.work = .segment(offset)
        return receive(id, upTo: division.partEnd)
    }

    private mutating func divides(_ segment: Segment, at offset: Int64) -> Bool {
        joinSegments()
        return checkpoint.segments.divide(segment.range.lowerBound, at: offset) != nil
    }

    /// Joins complete segments, so that the map stays small however often it is divided.
    mutating func joinSegments() {
        checkpoint.segments.join(except: Set(connections.values.compactMap(\.segment)))
    }

    /// A connection has ended: opens the next ones, or verifies when every byte is received.
    mutating func goOn() -> [Action] {
        guard checkpoint.segments.isComplete else {
            return hasLiveConnection ? fill() + watchSpeed() : connect()
        }
        // The bytes that idle connections asked for have arrived by now.
        let idle = connections.keys.sorted().filter { connections[$0]?.isReceiving == false }
        let cuts = idle.flatMap { dismiss($0) }
        return cuts + (hasLiveConnection ? [] : verify())
    }
}
