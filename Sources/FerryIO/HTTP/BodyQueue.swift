internal import FerryCore
internal import NIOCore

/// The parts of one body between network and disk. Decides what is written, when the connection is held back
/// and when the body is done. Performs no I/O itself.
///
/// Parts go in on an event loop and come out in batches on an I/O thread, one batch at a time.
struct BodyQueue {
    /// Whether more parts can come.
    private enum Phase {
        /// More may come. Exits: `ended`, `broken`, `failed`.
        case open
        /// All parts have arrived. Exits: `failed`, when one cannot be written.
        case ended
        /// The connection broke; parts received before are still written. Exits: `failed`.
        case broken(any Error)
        /// Nothing more will be written. Final.
        case failed(any Error)
    }

    /// What to do about a part.
    enum Admission {
        /// It is in the queue. Start to drain when `startsDraining`, and hold the connection back when
        /// `isFull`.
        case queued(startsDraining: Bool, isFull: Bool)
        /// Its wanted bytes are in the queue, and nothing after it is wanted.
        case last(startsDraining: Bool)
        /// The body is longer than allowed.
        case tooLong
        /// The body has already failed.
        case refused(any Error)
    }

    /// What may happen to the last waiting part.
    private enum Last {
        /// It stays as it is.
        case closed
        /// A small slice of a receive buffer. It is copied before bytes are added.
        case borrowed
        /// A buffer of this queue. Bytes are added as they come.
        case own
    }

    /// Parts to be written in sequence.
    struct Batch {
        var parts: [ByteBuffer]
        var offset: Int64
        var count: Int { parts.reduce(0) { $0 + $1.readableBytes } }
    }

    private let plan: BufferPlan
    private let limit: Int64?
    private let start: Int64
    private let bound: any BodyBound
    private var phase = Phase.open
    private var waiting: [ByteBuffer] = []
    private var last = Last.closed
    private var accepted: Int64 = 0
    private var written: Int64 = 0
    private var isDraining = false

    init(at offset: Int64, limit: Int64?, bound: any BodyBound, plan: BufferPlan) {
        self.start = offset
        self.bound = bound
        self.limit = limit
        self.plan = plan
    }

    /// The number of bytes accepted and not written yet.
    var outstanding: Int64 { accepted - written }

    /// Whether the connection has to be held back.
    var isFull: Bool { outstanding >= plan.waitingBytes }

    /// Whether nothing more will be written.
    var hasFailed: Bool {
        if case .failed = phase { true } else { false }
    }

    /// The result of the body: `nil` while it is arriving or a batch is being written.
    var result: Result<Int64, any Error>? {
        if isDraining { return nil }
        switch phase {
        case .open: return nil
        case .ended: return .success(written)
        case .broken(let error), .failed(let error): return .failure(error)
        }
    }

    /// Accepts a part.
    mutating func admit(_ part: ByteBuffer) -> Admission {
        if case .failed(let error) = phase { return .refused(error) }
        if case .ended = phase { return .last(startsDraining: false) }
        let count = Int64(part.readableBytes)
        if let limit, count > limit - accepted { return .tooLong }
        guard count > 0 else { return .queued(startsDraining: false, isFull: isFull) }
        let grant = bound.grant(upTo: start + accepted + count)
        let wanted = grant.upTo - start - accepted
        let startsDraining = !isDraining && wanted > 0
        if wanted > 0 {
            accepted += wanted
            append(wanted == count ? part : part.getSlice(at: part.readerIndex, length: Int(wanted)) ?? part)
            isDraining = true
        }
        guard grant.isLast else { return .queued(startsDraining: startsDraining, isFull: isFull) }
        phase = .ended
        return .last(startsDraining: startsDraining)
    }

    /// Takes out all waiting parts; `nil` when there are none, and then draining has stopped.
    mutating func nextBatch() -> Batch? {
        // A body that has failed has no waiting parts.
        guard !waiting.isEmpty else {
            isDraining = false
            return nil
        }
        defer {
            waiting = []
            last = .closed
        }
        return Batch(parts: waiting, offset: start + written)
    }

    /// A batch is in the sink.
    ///
    /// - Returns: whether there is another batch to write; if not, draining has stopped.
    mutating func wrote(_ count: Int) -> Bool {
        written += Int64(count)
        isDraining = !waiting.isEmpty
        return isDraining
    }

    /// The network has delivered the whole body.
    mutating func end() {
        if case .open = phase { phase = .ended }
    }

    /// The network delivers no more, although the body has not ended.
    mutating func breakOff(_ error: any Error) {
        if case .open = phase { phase = .broken(error) }
    }

    /// Drops what is not written. Only the first error counts, and only while the body is not done.
    mutating func fail(_ error: any Error) {
        if case .failed = phase { return }
        phase = .failed(error)
        waiting = []
        last = .closed
    }

    /// Copies small parts together: a write costs a system call however small it is, and a slice of a few
    /// bytes would keep its whole receive buffer in memory. The first part is not copied while it is alone, if its buffer is
    /// small: mostly it is the whole body of a small file.
    private mutating func append(_ part: ByteBuffer) {
        let count = part.readableBytes
        let isSmall = count < plan.smallPartBytes || count < part.storageCapacity / 4
        let end = waiting.count - 1
        if !isSmall {
            waiting.append(part)
            last = .closed
        } else if last != .closed, waiting[end].readableBytes + count <= plan.receiveBytes {
            if last == .borrowed { waiting[end] = copy(waiting[end], thenRoomFor: count) }
            waiting[end].writeImmutableBuffer(part)
            last = .own
        } else if !isDraining, part.storageCapacity <= plan.firstReceiveBytes {
            waiting.append(part)
            last = .borrowed
        } else {
            waiting.append(copy(part))
            last = .own
        }
    }

    private func copy(_ part: ByteBuffer, thenRoomFor rest: Int = 0) -> ByteBuffer {
        let count = part.readableBytes + rest
        var copy = ByteBufferAllocator().buffer(capacity: max(count, min(plan.smallPartBytes, 4 * count)))
        copy.writeImmutableBuffer(part)
        return copy
    }
}
