/// One open connection.
struct OpenConnection: Hashable, Sendable {
    /// What it is expected to bring.
    var work: Work
    /// The source that it asks.
    let source: SourceID
    /// The request that was sent.
    let request: RangeRequest
    /// When it was opened.
    let opened: Instant
    /// Whether it was opened beside others, so that the attempt can continue without it.
    var isBeside = false
    /// Whether it asks another source although the lead could be asked when it was opened.
    var isBesideLead = false
    /// Whether an earlier answer showed that the resource has another version now.
    var expectsChange = false
    /// Whether it asks for the whole because `If-Match` was refused.
    var followsRefusedMatch = false
    /// What its answer holds.
    var extent = Extent.part
    /// The progress of its body.
    var body = Body.awaited(unproved: nil)
    /// Whether it was ordered to be cut.
    var isCut = false
    /// The speed of its body.
    var speed = Speed()

    /// What a connection is expected to bring.
    enum Work: Hashable, Sendable {
        /// The rest of the segment with this lower bound; exits to `nothing`.
        case segment(Int64)
        /// A part of another connection's segment, until that connection has given it up; exits to `segment`,
        /// `nothing`.
        case division(Division)
        /// Received bytes again, which are only compared; exits to `nothing`.
        case comparison(Comparison)
        /// Nothing: its answer is of no use.
        case nothing
    }

    /// What an answer holds.
    enum Extent: Hashable, Sendable {
        /// A part of the resource; also a whole whose end was given to another connection. Exits to `whole`.
        case part
        /// The whole resource, decoded like this. Its proper end is the resource's. Exits to `part`.
        case whole(ContentCoding?)
    }

    /// The progress of a body. `unproved` becomes valid when its overlap was compared and is equal.
    enum Body: Hashable, Sendable {
        /// It has not come, or is held back; exits to `arriving`.
        case awaited(unproved: Unproved?)
        /// It is being written. Its segment was written up to `from` before.
        case arriving(from: Int64, unproved: Unproved?)
    }

    /// The version that an answer claims, until compared bytes prove it.
    struct Unproved: Hashable, Sendable {
        /// The version.
        var version: Mirroring.Version
        /// The note to show once it is proved.
        var announcement: TransferNote
    }

    /// The part of a segment that one connection will take from another.
    struct Division: Hashable, Sendable {
        /// The connection that fills the segment now.
        var giver: ConnectionID
        /// The range to take, up to the end of the segment.
        var range: Range<Int64>
        /// Where the part ends, as the answer says.
        var partEnd: Int64?
    }
}

extension OpenConnection {
    /// A connection that has just been opened.
    init(
        _ work: Work,
        _ request: RangeRequest,
        from source: SourceID,
        at now: Instant,
        isBeside: Bool = false
    ) {
        self.init(work: work, source: source, request: request, opened: now, isBeside: isBeside)
    }

    /// A connection that replaces it and sends another request to the same source.
    func again(_ request: RangeRequest, at now: Instant) -> OpenConnection {
        var request = request
        request.mirror = self.request.mirror
        request.part = self.request.part
        var again = OpenConnection(work, request, from: source, at: now, isBeside: isBeside)
        again.isBesideLead = isBesideLead
        return again
    }

    // The optimizer of Swift 6.3 aborts where it inlines these three (SIL ownership: "Found outside of lifetime use").

    /// The lower bound of the segment that it fills.
    @inline(never)
    var segment: Int64? {
        if case .segment(let bound) = work { bound } else { nil }
    }

    /// The part of another connection's segment that it will take.
    @inline(never)
    var division: Division? {
        if case .division(let division) = work { division } else { nil }
    }

    /// What it brings only to be compared.
    @inline(never)
    var comparison: Comparison? {
        if case .comparison(let comparison) = work { comparison } else { nil }
    }

    /// Whether it is not needed any more. Its end is then ignored.
    var isDismissed: Bool { work == .nothing }

    /// Whether its body is being written.
    var isReceiving: Bool {
        if case .arriving = body { true } else { false }
    }

    /// Whether its body is the whole resource, so that its proper end is the resource's.
    var endsWithResource: Bool { extent != .part }

    /// Whether it has brought bytes past those that its segment had before.
    func hasBrought(upTo offset: Int64?) -> Bool {
        guard case .arriving(let from, _) = body, let offset else { return false }
        return offset > from
    }

    /// What becomes valid when its overlap was compared and is equal.
    var unproved: Unproved? {
        switch body {
        case .awaited(let unproved), .arriving(_, let unproved): unproved
        }
    }

    /// Its body is being written from now on. Its segment is written up to `offset`.
    mutating func receive(from offset: Int64) { body = .arriving(from: offset, unproved: unproved) }

    /// Takes what is proved when it has written up to `offset`, beyond its overlap; `nil` before that.
    mutating func takeProof(at offset: Int64) -> Unproved? {
        guard case .arriving(let from, let unproved?) = body, offset >= from else { return nil }
        body = .arriving(from: from, unproved: nil)
        return unproved
    }
}

extension OpenConnection {
    /// The speed of one connection's body, from one sample to the next.
    struct Speed: Hashable, Sendable {
        /// How far it had come at the last measurement.
        private(set) var offset: Int64?
        private var sampledAt: Instant?
        /// The time of the last sample that found more bytes than the one before; at first, of the first sample.
        private(set) var lastProgress: Instant?
        /// The speed; `nil` before the second sample.
        private(set) var bytesPerSecond: Double?
        /// The speed over several seconds.
        private(set) var steady = SteadySpeed()

        /// The larger one of the present speed and the speed over several seconds; `nil` before the second sample.
        var most: Double? { steady.soFar.map { max($0, bytesPerSecond ?? 0) } }

        /// Whether it drips compared with a connection of that speed, in bytes a second; `false` while a speed is unknown.
        func drips(beside fast: Double?) -> Bool {
            guard let most, let fast else { return false }
            return most * DripRule.factor <= fast
        }

        /// Takes a sample.
        mutating func sample(_ offset: Int64, at now: Instant) {
            steady.sample(offset, at: now)
            guard let before = self.offset, let sampledAt, sampledAt <= now else {
                lastProgress = now
                self.offset = offset
                self.sampledAt = now
                return
            }
            if offset > before { lastProgress = now }
            // Bursts have no meaningful speed over a short time.
            let elapsed = sampledAt.duration(to: now)
            guard elapsed >= ConnectionPlan.shortestMeasure else { return }
            self.offset = offset
            self.sampledAt = now
            let speed = Double(max(0, offset - before)) / (elapsed / .seconds(1))
            bytesPerSecond = bytesPerSecond.map { ($0 + speed) / 2 } ?? speed
        }
    }
}
