extension DownloadMachine {
    /// One open connection.
    struct Connection: Hashable, Sendable {
        /// What it is to bring.
        var work: Work
        /// The source that it asks.
        var source: SourceID
        /// The request that was sent.
        var request: RangeRequest
        /// When it was opened.
        var opened: Instant
        /// Whether it was opened beside others, so that the attempt can continue without it.
        var isBeside = false
        /// Whether an earlier answer showed that the resource has another version now.
        var expectsChange = false
        /// How the body is decoded.
        var coding: ContentCoding?
        /// Whether it asks for the whole because `If-Match` was refused.
        var followsRefusedMatch = false
        /// Whether its body is being written.
        var isReceiving = false
        /// How far its segment was written when its body began.
        var beganAt: Int64 = 0
        /// What holds once its overlap was compared and is equal.
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

        /// Whether nothing is wanted of it any more. Its end is then ignored.
        var isDismissed: Bool { work == .nothing }
    }

    /// What a connection is to bring.
    enum Work: Hashable, Sendable {
        /// The rest of the segment with this lower bound; exits to `nothing`.
        case segment(Int64)
        /// A part of another connection's segment, until that connection has made way; exits to `segment`, `nothing`.
        case division(Division)
        /// Nothing: its answer is of no use.
        case nothing
    }

    /// The version that an answer claims, until compared bytes prove it.
    struct Unproved: Hashable, Sendable {
        /// The version.
        var version: Mirroring.Version
        /// The note to show once it is proved.
        var announcement: String
        /// The assurance that the checkpoint has once it is proved.
        var assurance: Checkpoint.Assurance
    }

    /// The part of a segment that one connection is to take from another.
    struct Division: Hashable, Sendable {
        /// The connection that fills the segment now.
        var giver: ConnectionID
        /// The range to take, up to the end of the segment.
        var range: Range<Int64>
        /// Where the part ends, as the answer says.
        var partEnd: Int64?
    }

    /// How many bytes were received, and since when.
    struct Progress: Hashable, Sendable {
        /// How many bytes.
        var received: Int64
        /// When that was found.
        var at: Instant
    }

    /// The speed of one connection's body, from one sample to the next.
    struct Speed: Hashable, Sendable {
        private var offset: Int64?
        private var sampledAt: Instant?
        /// The time of the last sample that found more bytes than the one before; at first, of the first sample.
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
