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
    private let clock: any WallClock
    let stalls = StallGate()
    /// How many bytes each piece of a body has at most.
    public let pieceLength: Int

    /// Creates an origin without resources.
    public init(clock: any WallClock, pieceLength: Int = 1000) {
        self.clock = clock
        self.pieceLength = pieceLength
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

    /// Returns when something has begun to stall; at once for one that nobody has asked about yet.
    public func nextStall() async { await stalls.nextStall() }

    // MARK: The seam

    /// Plays the resource at the request's URL, or the fault that was ordered.
    public func withResponse<Result: Sendable>(
        to request: TransportRequest,
        _ handle: @Sendable (ResponseHead, any ResponseBody) async throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        let key = request.url.withoutFragment.withoutUserinfo.absoluteString
        let (resource, fault) = state.withLock { state in
            state.requests.append(request)
            let fault = state.faults[key]?.isEmpty == false ? state.faults[key]?.removeFirst() : nil
            return (state.resources[key], fault)
        }
        if case .refuse(let problem) = fault { throw problem }
        if case .stallBeforeHead = fault { try await stalls.wait() }
        if case .answer(let status, let fields) = fault {
            let head = ResponseHead(status: status, headers: fields, bodyLength: 0)
            return try await handle(head, ScriptedBody([], fault: nil, transport: self))
        }
        guard let resource else {
            let head = ResponseHead(status: 404, headers: [:], bodyLength: 0)
            return try await handle(head, ScriptedBody([], fault: nil, transport: self))
        }
        let (head, bytes) = resource.answer(request, at: clock.now)
        return try await handle(head, ScriptedBody(Array(bytes), fault: fault, transport: self))
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
    let transport: ScriptedTransport

    init(_ bytes: [UInt8], fault: ScriptedFault?, transport: ScriptedTransport) {
        self.bytes = bytes
        self.fault = fault
        self.transport = transport
    }

    func receive(
        into sink: any ByteSink,
        at offset: Int64,
        limit: Int64?,
        progress: @escaping @Sendable (Int64) -> Void
    ) async throws -> Int64 {
        var sent = 0
        var stops: [Int] = []
        if case .breakAfter(let count) = fault { stops = [count] }
        if case .stallAfter(let count) = fault { stops = [count] }
        while true {
            try Task.checkCancellation()
            if stops.first == sent {
                stops.removeFirst()
                guard case .stallAfter = fault else {
                    throw Problem.transient(.connectionLost, "The connection broke, as was ordered.")
                }
                try await transport.stalls.wait()
            }
            guard sent < bytes.count else { return Int64(sent) }
            let end = min(sent + transport.pieceLength, bytes.count, stops.first ?? .max)
            if let limit, Int64(end) > limit {
                throw Problem.transient(.badResponse, "More came than was announced.")
            }
            try sink.write(bytes[sent..<end].span.bytes, at: offset + Int64(sent))
            sent = end
            progress(offset + Int64(sent))
        }
    }

    func collect(upTo bound: Int) async throws -> [UInt8] {
        Array(bytes.prefix(bound))
    }
}
