package import FerryCore
internal import HTTPTypes
internal import Synchronization

/// A transport that plays an origin from memory: no socket, no real time, the same every time.
///
/// A test sets resources, changes them between or during requests, and orders faults, each for one request to
/// a URL. Bodies arrive in pieces of ``pieceLength`` bytes. A stalled body waits for ``release()``, and
/// ``nextStall()`` returns when one has begun to wait, so that no test sleeps.
package final class ScriptedTransport: HTTPTransport {
    private struct State {
        var resources: [String: ScriptedResource] = [:]
        var faults: [String: [ScriptedFault]] = [:]
        var requests: [TransportRequest] = []
        var receptionCount = 0
        var isShutDown = false
    }

    private let state = Mutex(State())
    let clock: any WallClock
    let stalls = StallGate()
    let pace: @Sendable () async throws -> Void
    /// Asked when a body could be taken whole, or would be held back: whether all of it has arrived with its head.
    let bringsWholeBody: @Sendable () -> Bool
    /// Maximum bytes of each piece of a body.
    package let pieceLength: Int

    /// Creates an origin without resources.
    ///
    /// - Parameters:
    ///   - clock: gives the time of responses, and measures timeouts.
    ///   - pieceLength: maximum bytes of each piece of a body.
    ///   - bringsWholeBody: asked for each body that could be taken whole, or that a rate limit would hold back: whether
    ///     all of it has arrived with its head.
    ///   - pace: awaited before each head and each piece, so that a simulation decides how fast they arrive.
    package init(
        clock: any WallClock,
        pieceLength: Int = 1000,
        bringsWholeBody: @escaping @Sendable () -> Bool = { false },
        pace: @escaping @Sendable () async throws -> Void = {}
    ) {
        self.clock = clock
        self.pieceLength = pieceLength
        self.bringsWholeBody = bringsWholeBody
        self.pace = pace
    }

    // MARK: A test's actions

    /// Sets the resource at a URL from now on; running bodies do not change.
    package func set(_ resource: ScriptedResource?, at url: HTTPURL) {
        state.withLock { $0.resources[url.absoluteString] = resource }
    }

    /// Orders a fault for the next request to a URL; several queue up.
    package func order(_ fault: ScriptedFault, at url: HTTPURL) {
        state.withLock { $0.faults[url.absoluteString, default: []].append(fault) }
    }

    /// Every request so far.
    package var requests: [TransportRequest] { state.withLock { $0.requests } }

    /// The number of bodies that were received, and neither taken whole nor collected.
    package var receptionCount: Int { state.withLock { $0.receptionCount } }

    /// Whether ``shutdown()`` was called.
    package var isShutDown: Bool { state.withLock { $0.isShutDown } }

    /// Releases everything that stalls.
    package func release() { stalls.release() }

    /// Returns when something has begun to stall; at once for a stall that no test has asked about yet.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    package func nextStall() async throws { try await stalls.nextStall() }

    /// The number of present stalls.
    package var stalled: Int { stalls.count }

    // MARK: The seam

    /// Plays the resource at the request's URL, or the fault that was ordered.
    package func withResponse<Result: Sendable>(
        to request: TransportRequest,
        _ handle: @Sendable (ResponseHead, any ResponseBody) async throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        try await hold(0, to: request.pace)
        let key = request.url.withoutFragment.withoutUserinfo.absoluteString
        // The date of a response is the time at which the resource was read. A date later than a change would
        // make the previous one look like a strong validator (RFC 9110 §8.8.2.2).
        let now = clock.now
        let (resource, fault) = state.withLock { state in
            state.requests.append(request)
            let fault = state.faults[key]?.isEmpty == false ? state.faults[key]?.removeFirst() : nil
            return (state.resources[key], fault)
        }
        try await pace()
        if case .refuse(let problem) = fault { throw problem }
        request.listener?.requestMayLeave()
        request.listener?.bodyLeft(upTo: request.body.length ?? 0)
        count(Int(request.body.length ?? 0), for: request.pace)
        if case .stallBeforeHead = fault { try await stalls.wait() }
        if case .timeOutBeforeHead(let duration) = fault { try await timeOut(after: duration) }
        if case .answer(let status, let fields, let bytes) = fault {
            let head = ResponseHead(status: status, headers: fields, bodyLength: Int64(bytes.count))
            return try await handle(
                head,
                ScriptedBody(bytes, fault: nil, pace: request.pace, transport: self)
            )
        }
        guard let resource else {
            let head = ResponseHead(status: 404, headers: [:], bodyLength: 0)
            return try await handle(head, ScriptedBody([], fault: nil, pace: request.pace, transport: self))
        }
        var (head, bytes) = resource.answer(request, at: now)
        if case .overstateLength(let surplus) = fault { head.bodyLength? += Int64(surplus) }
        if case .garbleRange = fault { head.garbleRange() }
        let body = ScriptedBody(Array(bytes), fault: fault, pace: request.pace, transport: self)
        let result = try await handle(head, body)
        if case .loseRequest = fault {
            throw Problem.transient(.connectionLost, "The rest of the request was lost, as was ordered.")
        }
        return result
    }

    fileprivate func noteReception() { state.withLock { $0.receptionCount += 1 } }

    /// Counts bytes that can no longer be held back.
    fileprivate func count(_ bytes: Int, for pace: Pace) { _ = pace.take(bytes, at: elapsed) }

    /// Counts bytes, and waits until the next may move.
    fileprivate func hold(_ bytes: Int, to pace: Pace) async throws {
        try await pace.settle(bytes, now: { elapsed }, sleep: { try await clock.sleep(for: $0) })
    }

    private var elapsed: Duration { Instant.epoch.duration(to: clock.now) }

    /// Waits, then fails with a timeout.
    func timeOut(after duration: Duration) async throws -> Never {
        try await clock.sleep(for: duration)
        throw Problem.transient(.timeout, "Nothing came, as was ordered.")
    }

    /// Notes the call.
    package func shutdown() async {
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
        transport.noteReception()
        // Only under a limit: otherwise such a body was taken whole.
        let hasArrived = !pace.isOff && transport.bringsWholeBody()
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
            if hasArrived || grant.isLast {
                transport.count(sent - before, for: pace)
                if grant.isLast { return Int64(sent) }
            } else {
                try await transport.hold(sent - before, to: pace)
            }
        }
    }

    /// Plays the fault at its place.
    private func meet(_ bytes: inout [UInt8], at sent: Int, offset: Int64) async throws {
        switch fault {
        case .stallAfter: try await transport.stalls.wait()
        case .timeOutAfter(_, let duration): try await transport.timeOut(after: duration)
        case .switchAfter(_, let other): Self.switchBytes(of: &bytes, at: sent, to: other, offset: offset)
        default: throw Problem.transient(.connectionLost, "The connection broke, as was ordered.")
        }
    }

    /// Continues a body, whose first byte has this offset, with the bytes of another.
    private static func switchBytes(of bytes: inout [UInt8], at sent: Int, to other: [UInt8], offset: Int64) {
        let end = min(Int(offset) + bytes.count, other.count)
        let start = Int(offset) + sent
        guard start < end else { return }
        bytes.replaceSubrange(sent..<(end - Int(offset)), with: other[start..<end])
    }

    func takeWhole(upTo bound: Int) -> [UInt8]? {
        guard pace.isOff, bytes.count <= bound else { return nil }
        var bytes = bytes
        switch fault {
        case .breakAfter, .stallAfter, .timeOutAfter, .overstateLength: return nil
        case .switchAfter(let place, let other):
            Self.switchBytes(of: &bytes, at: place, to: other, offset: 0)
        case nil, .refuse, .answer, .stallBeforeHead, .timeOutBeforeHead, .garbleRange, .loseRequest: break
        }
        return transport.bringsWholeBody() ? bytes : nil
    }

    func collect(upTo bound: Int) async throws -> [UInt8] {
        var bytes = bytes
        if let place = fault?.place, place <= min(bytes.count, bound) {
            try await meet(&bytes, at: place, offset: 0)
        }
        bytes = Array(bytes.prefix(bound))
        transport.count(bytes.count, for: pace)
        return bytes
    }
}

extension ScriptedFault {
    /// The number of bytes of the body before the fault; `nil` if the fault does not concern the body.
    fileprivate var place: Int? {
        switch self {
        case .breakAfter(let count), .stallAfter(let count), .timeOutAfter(let count, _),
            .switchAfter(let count, _):
            count
        case .refuse, .answer, .stallBeforeHead, .timeOutBeforeHead, .overstateLength, .garbleRange,
            .loseRequest:
            nil
        }
    }
}

extension ResponseHead {
    /// Makes a part one that does not say which, and a whole with a length a part that is the whole.
    fileprivate mutating func garbleRange() {
        if status == 206 {
            headers[.contentRange] = "bytes */1000000"
        } else if status == 200, let length = bodyLength, length > 0 {
            status = 206
            headers[.contentRange] = "bytes 0-\(length - 1)/\(length)"
        }
    }
}

extension TransportRequest {
    /// The body as it is in memory now; empty for one that is elsewhere.
    package var bodyBytes: [UInt8] {
        switch body {
        case .bytes(let bytes): bytes
        case .source(let source): (source as? MemoryBodySource)?.bytes ?? []
        }
    }
}
