extension DownloadMachine {
    /// One open connection.
    struct Connection: Hashable, Sendable {
        /// What it is to bring.
        var work: Work
        /// Whom it asks.
        var source: SourceID
        /// What was asked.
        var request: RangeRequest
        /// When it was opened.
        var opened: Instant
        /// Whether it was opened beside others, so that the attempt can go on without it.
        var isBeside = false
        /// Whether an earlier answer has shown that the resource is another version now.
        var expectsChange = false
        /// How the body is decoded.
        var coding: ContentCoding?
        /// Whether it asks for the whole because `If-Match` was refused.
        var followsRefusedMatch = false
        /// Whether its body is being written.
        var isReceiving = false
        /// How far its segment was written when its body began.
        var beganAt: Int64 = 0
        /// What holds once its overlap was compared and is the same.
        var unproved: Unproved?
        /// Whether its body is the whole resource, so that its proper end is the resource's.
        var endsWithResource = false
        /// Whether it was ordered to be cut.
        var isCut = false
        /// How fast its body comes.
        var speed = Speed()

        /// The lower bound of the segment that it fills.
        var segment: Int64? {
            if case .segment(let bound) = work { bound } else { nil }
        }

        /// The part of another connection's segment that it is to take.
        var division: Division? {
            if case .division(let division) = work { division } else { nil }
        }

        /// Whether nothing is wanted of it any more, so that its end means nothing.
        var isDismissed: Bool { work == .nothing }
    }

    /// What a connection is to bring.
    enum Work: Hashable, Sendable {
        /// The rest of the segment with this lower bound; exits to `nothing`.
        case segment(Int64)
        /// A part of another connection's segment, until that one has made way; exits to `segment`, `nothing`.
        case division(Division)
        /// Nothing, because what it sends is of no use.
        case nothing
    }

    /// What an answer says of its version, until bytes of it that were compared prove that it is the right one.
    struct Unproved: Hashable, Sendable {
        /// The version.
        var version: Mirroring.Version
        /// What is told then.
        var announcement: String
        /// What the claim that all bytes are of one version rests on then.
        var assurance: Checkpoint.Assurance
    }

    /// The part of a segment that one connection is to take from another.
    struct Division: Hashable, Sendable {
        /// The connection that fills the segment now.
        var giver: ConnectionID
        /// What is to be taken, to the end of the segment.
        var range: Range<Int64>
        /// Where the answer says that its part ends.
        var partEnd: Int64?
    }

    /// How much was there, and since when.
    struct Progress: Hashable, Sendable {
        /// How many bytes.
        var received: Int64
        /// When that was found.
        var at: Instant
    }

    /// How fast the body of one connection comes, from one sample to the next.
    struct Speed: Hashable, Sendable {
        private var offset: Int64?
        private var sampledAt: Instant?
        /// The moment of the last sample that found more than the one before; of the first one, to begin with.
        private(set) var lastProgress: Instant?
        /// The speed; `nil` before the second sample.
        private(set) var bytesPerSecond: Double?

        /// Takes a sample.
        mutating func sample(_ offset: Int64, at now: Instant) {
            guard let before = self.offset, let sampledAt, sampledAt <= now else {
                lastProgress = now
                self.offset = offset
                self.sampledAt = now
                return
            }
            if offset > before { lastProgress = now }
            // What comes in pieces has no speed for a moment.
            let elapsed = sampledAt.duration(to: now)
            guard elapsed >= ConnectionPlan.shortestMeasure else { return }
            self.offset = offset
            self.sampledAt = now
            let speed = Double(max(0, offset - before)) / (elapsed / .seconds(1))
            bytesPerSecond = bytesPerSecond.map { ($0 + speed) / 2 } ?? speed
        }
    }
}
