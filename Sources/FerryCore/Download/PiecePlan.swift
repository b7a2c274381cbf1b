/// Which piece another connection fetches: how many connections are wanted, what samples have shown of their speed,
/// and how the rest is divided among them.
///
/// A further connection asks for its part first. The connection that fills the segment gives the part up only when
/// the server has sent the head of the right part of the same version. A server that cannot do this costs nothing.
struct PiecePlan: Hashable, Sendable {
    /// Decides how many connections are wanted.
    var plan: ConnectionPlan
    /// The smallest piece, in bytes, for which a connection is opened beside others.
    private let smallestPiece: Int64
    /// Pieces begin at multiples of this number of bytes.
    private let alignment: Int64
    /// Whether pieces are taken as near to the front as possible.
    private let isInOrder: Bool
    /// Whether a sample of the speed has been ordered.
    private var isSampling = false
    /// What samples have shown.
    private var findings = Findings()
    /// The largest number of connections that were open at once.
    private var peak = 1
    /// The smallest piece, in bytes, while bytes of several sources are compared where they meet; otherwise 0.
    private var leastPiece: Int64 = 0
    /// Whether this attempt takes the whole over one connection because no part was usable. If that breaks off, the next attempt
    /// asks for a part again.
    private var takesWhole = false

    /// What samples have shown of all connections together.
    private struct Findings: Hashable, Sendable {
        /// The last known mean speed of the connections, in bytes a second.
        var meanSpeed: Double?
        /// How many bytes were received.
        var received: Int64 = 0
        /// When this number was last seen to grow.
        var grewAt: Instant?
        /// The speed of all connections together over several seconds.
        var steady = SteadySpeed()
        /// Their speed since the sample before the last one, in bytes a second.
        var latestSpeed = 0.0
        /// When the last sample was taken.
        var sampledAt: Instant?
    }

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
    /// The largest number of pieces of a file whose sources are compared, not counting those towards the end.
    static let mostComparedPieces: Int64 = 64

    /// A plan for up to `most` connections.
    init(most: Int, smallestPiece: Int64, alignment: Int64 = 1, isInOrder: Bool = false) {
        plan = ConnectionPlan(most: most)
        (self.smallestPiece, self.alignment) = (smallestPiece, alignment)
        self.isInOrder = isInOrder
    }

    // MARK: Whether to divide

    /// Whether parts of this resource can be fetched over several connections and still be of one version (I5).
    func mayDivide(_ download: Download) -> Bool {
        let progress = download.progress
        guard !download.isStream, plan.most > 1, !takesWhole, !download.doesWithoutParts,
            progress.contentCoding == nil,
            let length = progress.segments.length, length >= 4 * smallestPiece
        else { return false }
        return progress.validator.pinsParts
    }

    /// No part is usable in this attempt: it fetches the whole over one connection.
    mutating func takeWhole() { takesWhole = true }

    /// Makes pieces longer where bytes of several sources are compared wherever they meet, so that few of them meet.
    mutating func limitJunctions(of download: Download) {
        guard download.sourceUse == .compared, let length = download.progress.segments.length else {
            leastPiece = 0
            return
        }
        leastPiece = wholePages(Double(max(4 * smallestPiece, length / Self.mostComparedPieces)))
    }

    /// The number of connections to use; near the end of the download, at most the highest number so far.
    func wanted(for segments: SegmentMap, over connections: ConnectionSet) -> Int {
        isNearEnd(segments, connections) ? min(plan.wanted, peak) : plan.wanted
    }

    private func isNearEnd(_ segments: SegmentMap, _ connections: ConnectionSet) -> Bool {
        guard let length = segments.length else { return true }
        let speed = connections.receiving.reduce(0) { $0 + ($1.connection.speed.bytesPerSecond ?? 0) }
        let left = Double(length - segments.received)
        return left < speed * (Self.worthwhileTime / .seconds(1))
    }

    /// Whether a connection has ended that is still wanted, but found no other work.
    func hasIdle(_ segments: SegmentMap, beside connections: ConnectionSet) -> Bool {
        connections.liveCount < min(plan.wanted, peak) && connections.firstFree(in: segments) == nil
    }

    /// Notes the number of open connections.
    mutating func noteOpen(_ count: Int) { peak = max(peak, count) }

    // MARK: Samples

    /// Orders the next sample of the speed, unless one is under way.
    mutating func watch() -> [DownloadAction] {
        guard !isSampling else { return [] }
        isSampling = true
        return [.sample(after: plan.sampleInterval)]
    }

    /// The sample that was ordered has come.
    mutating func sampleArrived() { isSampling = false }

    /// Takes a sample of all connections; `served` is how many the sources serve together.
    mutating func sample(received: Int64, over connections: ConnectionSet, served: Int, at now: Instant) {
        findings.meanSpeed = meanSpeed(of: connections)
        if received > findings.received { findings.grewAt = now }
        findings.steady.sample(received, at: now)
        if let last = findings.sampledAt, last < now {
            findings.latestSpeed =
                Double(max(0, received - findings.received)) / (last.duration(to: now) / .seconds(1))
        }
        findings.sampledAt = now
        // Bytes may have been dropped.
        findings.received = received
        plan.serve(served)
        plan.sample(received: received, receiving: connections.receiving.count, at: now)
    }

    /// The speed that all connections together have at least, over several seconds and in the last sample; `nil` before it
    /// is known.
    var speedTogether: Double? { findings.steady.bytesPerSecond.map { min($0, findings.latestSpeed) } }

    /// The connections beyond the wanted number: those that drip, and then the latest ones.
    ///
    /// - Parameter fastest: the speed of the fastest connection to a source, in bytes a second.
    func surplus(of connections: ConnectionSet, fastest: (SourceID) -> Double?) -> [ConnectionID] {
        let receiving = connections.receiving
        let dripping = receiving.filter { $0.connection.speed.drips(beside: fastest($0.connection.source)) }
        let slow = Set(dripping.map(\.id))
        let ranked = receiving.filter { !slow.contains($0.id) } + dripping
        return ranked.suffix(max(0, ranked.count - plan.wanted)).map(\.id)
    }

    /// The connections that bring nothing while others bring bytes, or after others have finished.
    func stuck(
        of connections: ConnectionSet,
        at now: Instant
    ) -> [(id: ConnectionID, connection: OpenConnection)] {
        let bound = max(Self.stuckTime, plan.slowestAnswer * 2)
        return connections.stuck(since: findings.grewAt, for: bound, at: now)
    }

    /// The mean speed of the connections, in bytes a second; `nil` before it is known.
    private func meanSpeed(of connections: ConnectionSet) -> Double? {
        let speeds = connections.receiving.compactMap(\.connection.speed.bytesPerSecond).filter { $0 > 0 }
        // When all pieces end at once, the next ones are expected to be as fast.
        return speeds.isEmpty ? findings.meanSpeed : speeds.reduce(0, +) / Double(speeds.count)
    }

    // MARK: Pieces

    /// What another connection will fetch; `nil` when no piece is worth it. Divides a segment that no connection fills.
    /// A segment that is being filled is divided when the answer has come.
    ///
    /// - Parameters:
    ///   - speed: the speed that the connection can be expected to have, in bytes a second; `nil` for the mean of the others.
    ///   - isLast: whether later requests may be refused, so that each is for all that it can bring, and nothing is taken
    ///     from a connection that brings bytes.
    func next(
        in segments: inout SegmentMap,
        beside connections: ConnectionSet,
        at speed: Double? = nil,
        isLast: Bool
    ) -> (work: OpenConnection.Work, segment: Segment)? {
        let speed = speed ?? meanSpeed(of: connections)
        if let free = connections.firstFree(in: segments) {
            guard !isLast else { return (.segment(free.range.lowerBound), free) }
            let piece = cutPiece(from: free, in: &segments, beside: connections, at: speed)
            return (.segment(piece.range.lowerBound), piece)
        }
        guard !isLast, let speed, let division = nextDivision(in: segments, of: connections, at: speed) else {
            return nil
        }
        return (.division(division), Segment(division.range))
    }

    /// How much one connection asks for at a time. A body that ends where the request ends leaves its connection to
    /// the next request. A body that is cut wastes the bytes on their way.
    private func pieceLength(of rest: Int64, at speed: Double?) -> Int64 {
        guard let speed else { return rest }
        let time = max(Self.pieceTime, plan.slowestAnswer * 20)
        // Towards the end the pieces become smaller, so that all connections end together.
        let share = Double(rest) / Double(max(2, plan.wanted))
        return max(leastPiece, smallestPiece, wholePages(min(speed * (time / .seconds(1)), share)))
    }

    /// The first piece of a segment that no connection fills. The rest of the segment is left for others.
    private func cutPiece(
        from free: Segment,
        in segments: inout SegmentMap,
        beside connections: ConnectionSet,
        at speed: Double?
    ) -> Segment {
        segments.join(except: connections.segments)
        let rest = free.range.upperBound - free.written
        let end = aligned(free.written + pieceLength(of: rest, at: speed))
        guard segments.segments.count < Self.mostSegments,
            free.range.upperBound - end >= smallestPiece,
            segments.divide(free.range.lowerBound, at: end) != nil
        else { return free }
        return segments[free.range.lowerBound] ?? free
    }

    /// The part that another connection can take: a piece of the rest that would take longest, or of the first one that
    /// is worthwhile if the front comes first, after the part that its connection keeps.
    private func nextDivision(
        in segments: SegmentMap,
        of connections: ConnectionSet,
        at newSpeed: Double
    ) -> OpenConnection.Division? {
        guard segments.segments.count < Self.mostSegments else { return nil }
        let givers = connections.givers
        var best: (rank: Double, division: OpenConnection.Division)?
        for (id, connection) in connections.receiving where !givers.contains(id) {
            guard let segment = connection.segment.flatMap({ segments[$0] }) else { continue }
            let speed = max(1, connection.speed.bytesPerSecond ?? newSpeed)
            let rest = segment.range.upperBound - segment.written
            let time = Double(rest) / speed
            let rank = isInOrder ? -Double(segment.written) : time
            guard best.map({ rank > $0.rank }) ?? true, isWorthwhile(rest, time: time) else { continue }
            let offset = aligned(segment.written + kept(of: rest, at: speed, beside: newSpeed))
            guard segment.range.upperBound - offset >= smallestPiece else { continue }
            let behind = segment.range.upperBound - offset
            let piece = min(pieceLength(of: rest, at: newSpeed), behind)
            let end = behind - piece < smallestPiece ? segment.range.upperBound : aligned(offset + piece)
            best = (rank, OpenConnection.Division(giver: id, range: offset..<end))
        }
        return best?.division
    }

    /// The next offset at which a piece may begin.
    private func aligned(_ offset: Int64) -> Int64 { (offset + alignment - 1) / alignment * alignment }

    private func isWorthwhile(_ rest: Int64, time: Double) -> Bool {
        let least = max(Self.worthwhileRest, plan.slowestAnswer * 4)
        return rest >= 2 * smallestPiece && time >= least / .seconds(1)
    }

    /// How much of its rest a connection keeps: its share by speed, or a piece. It keeps at least what it brings
    /// until the other connection has its answer.
    private func kept(of rest: Int64, at speed: Double, beside newSpeed: Double) -> Int64 {
        let share = min(max(speed / (speed + newSpeed), 0.25), 0.75)
        let meanwhile = speed * (plan.slowestAnswer * 2 / .seconds(1))
        let own = min(Double(rest) * share, Double(pieceLength(of: rest, at: newSpeed)))
        return wholePages(min(max(own, meanwhile), Double(rest) * 0.75))
    }

    /// Rounds down to whole pages, where pieces are large enough for that. The result is never 0.
    private func wholePages(_ bytes: Double) -> Int64 {
        let unit = min(smallestPiece, 64 << 10)
        return max(unit, Int64(bytes) / unit * unit)
    }
}
