public import FerryCore
internal import HTTPTypes
internal import Synchronization

/// A transport that plays an origin from memory: no socket, no time, the same every time.
///
/// A test sets resources, changes them between or during requests, and orders faults, each for one request to a
/// URL. Bodies come in pieces of ``pieceLength`` bytes. A stalled body waits for ``release()``, and
/// ``nextStall()`` returns when one has begun to wait, so that no test sleeps.
public final class ScriptedTransport: HTTPTransport {
    private struct State {
        var resources: [String: ScriptedResource] = [:]
        var faults: [String: [ScriptedFault]] = [:]
        var requests: [TransportRequest] = []
        var isShutDown = false
    }

    private let state = Mutex(State())
    let clock: any WallClock
    let stalls = StallGate()
    let pace: @Sendable () async throws -> Void
    /// How many bytes each piece of a body has at most.
    public let pieceLength: Int

    /// Creates an origin without resources.
    ///
    /// - Parameters:
    ///   - clock: what tells the time of answers, and measures how long one waits before it gives up.
    ///   - pieceLength: how many bytes each piece of a body has at most.
    ///   - pace: awaited before each head and each piece, so that a simulation decides how fast they come.
    public init(
        clock: any WallClock,
        pieceLength: Int = 1000,
        pace: @escaping @Sendable () async throws -> Void = {}
    ) {
        self.clock = clock
        self.pieceLength = pieceLength
        self.pace = pace
    }

    // MARK: What a test does

    /// Sets what is at a URL from now on; bodies that are under way stay what they are.
    public func set(_ resource: ScriptedResource?, at url: HTTPURL) {
        state.withLock { $0.resources[url.absoluteString] = resource }
    }

    /// Orders a fault for the next request to a URL that has none ordered yet.
    public func order(_ fault: ScriptedFault, at url: HTTPURL) {
        state.withLock { $0.faults[url.absoluteString, default: []].append(fault) }
    }

    /// Every request so far.
    public var requests: [TransportRequest] { state.withLock { $0.requests } }

    /// Whether ``shutdown()`` was called.
    public var isShutDown: Bool { state.withLock { $0.isShutDown } }

    /// Lets everything that stalls go on.
    public func release() { stalls.release() }

    /// Returns when something has begun to stall; at once for one that no one has asked about yet.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    public func nextStall() async throws { try await stalls.nextStall() }

    // MARK: The seam

    /// Plays the resource at the request's URL, or the fault that was ordered.
    public func withResponse<Result: Sendable>(
        to request: TransportRequest,
        _ handle: @Sendable (ResponseHead, any ResponseBody) async throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        let key = request.url.withoutFragment.withoutUserinfo.absoluteString
        // What an answer says of its time is the time at which the resource was looked at: a date that is later than a
        // change would make the one before it look like a strong validator (RFC 9110 §8.8.2.2).
        let now = clock.now
        let (resource, fault) = state.withLock { state in
            state.requests.append(request)
            let fault = state.faults[key]?.isEmpty == false ? state.faults[key]?.removeFirst() : nil
            return (state.resources[key], fault)
        }
        try await pace()
        if case .refuse(let problem) = fault { throw problem }
        request.departure?.note()
        if case .stallBeforeHead = fault { try await stalls.wait() }
        if case .timeOutBeforeHead(let duration) = fault { try await timeOut(after: duration) }
        if case .answer(let status, let fields) = fault {
            let head = ResponseHead(status: status, headers: fields, bodyLength: 0)
            return try await handle(head, ScriptedBody([], fault: nil, pace: request.pace, transport: self))
        }
        guard let resource else {
            let head = ResponseHead(status: 404, headers: [:], bodyLength: 0)
            return try await handle(head, ScriptedBody([], fault: nil, pace: request.pace, transport: self))
        }
        var (head, bytes) = resource.answer(request, at: now)
        if case .overstateLength(let surplus) = fault { head.bodyLength? += Int64(surplus) }
        let body = ScriptedBody(Array(bytes), fault: fault, pace: request.pace, transport: self)
        return try await handle(head, body)
    }

    /// Waits in vain.
    func timeOut(after duration: Duration) async throws -> Never {
        try await clock.sleep(for: duration)
        throw Problem.transient(.timeout, "Nothing came, as was ordered.")
    }

    /// Notes that it was called.
    public func shutdown() async {
        state.withLock { $0.isShutDown = true }
    }
}

/// A body from memory.
private struct ScriptedBody: ResponseBody {
    let bytes: [UInt8]
    let fault: ScriptedFault?
    let pace: Pace
    let transport: ScriptedTransport

    init(_ bytes: [UInt8], fault: ScriptedFault?, pace: Pace, transport: ScriptedTransport) {
        self.bytes = bytes
        self.fault = fault
        self.pace = pace
        self.transport = transport
    }

    func receive(
        into sink: any ByteSink,
        at offset: Int64,
        limit: Int64?,
        bound: any BodyBound,
        progress: @escaping @Sendable (Int64) -> Void
    ) async throws -> Int64 {
        var sent = 0
        var bytes = bytes
        var stop = fault?.place
        while true {
            try Task.checkCancellation()
            if stop == sent {
                stop = nil
                try await meet(&bytes, at: sent, offset: offset)
            }
            guard sent < bytes.count else {
                guard case .overstateLength = fault else { return Int64(sent) }
                throw Problem.transient(.connectionLost, "The body ended before its announced length.")
            }
            try await transport.pace()
            let end = min(sent + transport.pieceLength, bytes.count, stop ?? .max)
            if let limit, Int64(end) > limit {
                throw Problem.transient(.badResponse, "More came than was announced.")
            }
            let before = sent
            let grant = bound.grant(upTo: offset + Int64(end))
            let wanted = Int(grant.upTo - offset)
            if wanted > sent {
                try sink.write(bytes[sent..<wanted].span.bytes, at: offset + Int64(sent))
                sent = wanted
                progress(offset + Int64(sent))
            }
            if grant.isLast { return Int64(sent) }
            try await holdBack(sent - before)
        }
    }

    /// Waits until the next bytes may come.
    private func holdBack(_ count: Int) async throws {
        guard !pace.isFree else { return }
        let toll = pace.take(count, at: elapsed)
        while case let wait = pace.wait(for: toll, at: elapsed), wait > .zero {
            try await transport.clock.sleep(for: min(wait, Pace.longestWait))
        }
    }

    private var elapsed: Duration { Instant.epoch.duration(to: transport.clock.now) }

    /// The place of the fault is reached.
    private func meet(_ bytes: inout [UInt8], at sent: Int, offset: Int64) async throws {
        switch fault {
        case .stallAfter: try await transport.stalls.wait()
        case .timeOutAfter(_, let duration): try await transport.timeOut(after: duration)
        case .switchAfter(_, let other):
            let end = min(Int(offset) + bytes.count, other.count)
            let start = Int(offset) + sent
            guard start < end else { return }
            bytes.replaceSubrange(sent..<(end - Int(offset)), with: other[start..<end])
        default: throw Problem.transient(.connectionLost, "The connection broke, as was ordered.")
        }
    }

    func collect(upTo bound: Int) async throws -> [UInt8] {
        Array(bytes.prefix(bound))
    }
}

extension ScriptedFault {
    /// How many bytes of the body come before it happens; `nil` where that is not a matter of the body.
    fileprivate var place: Int? {
        switch self {
        case .breakAfter(let count), .stallAfter(let count), .timeOutAfter(let count, _),
            .switchAfter(let count, _):
            count
        case .refuse, .answer, .stallBeforeHead, .timeOutBeforeHead, .overstateLength: nil
        }
    }
}
