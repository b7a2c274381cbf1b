import FerryCore
import FerryTesting
import HTTPTypes
import Testing

@testable import FerryIO

/// Runs `body` with a live transport, and always shuts it down.
@discardableResult
func withTransport<Result: Sendable>(
    buffers: BufferPlan = BufferPlan(),
    stallClock: StallClock = .live,
    continueWait: Duration = .seconds(1),
    shortBodyWait: Duration = .milliseconds(10),
    _ body: (WireTransport) async throws -> Result
) async throws -> Result {
    let threads = IOThreads(count: 2)
    // A busy machine may need longer for a test's next step than idle connections are usually kept.
    var limits = WirePool.Limits()
    limits.idleTime = .seconds(3_600)
    let transport = WireTransport(
        threads: threads,
        eventLoops: 1,
        buffers: buffers,
        stallClock: stallClock,
        continueWait: continueWait,
        shortBodyWait: shortBodyWait,
        limits: limits
    )
    let result: Swift.Result<Result, any Error>
    do { result = .success(try await body(transport)) } catch { result = .failure(error) }
    await transport.shutdown()
    try await threads.shutdown()
    return try result.get()
}

/// Runs `body` with a transport and a server that plays `script` on each connection.
@discardableResult
func withServer<Result: Sendable>(
    tls certificate: TestCertificate? = nil,
    buffers: BufferPlan = BufferPlan(),
    stallClock: StallClock = .live,
    continueWait: Duration = .seconds(1),
    shortBodyWait: Duration = .milliseconds(10),
    _ script: @escaping @Sendable (SocketConnection) async throws -> Void,
    _ body: @Sendable (WireTransport, SocketServer) async throws -> Result
) async throws -> Result {
    let server = try await SocketServer(tls: certificate?.serverContext())
    return try await server.serve(script) { server in
        try await withTransport(
            buffers: buffers,
            stallClock: stallClock,
            continueWait: continueWait,
            shortBodyWait: shortBodyWait
        ) { try await body($0, server) }
    }
}

/// Runs `body` with a transport, and a server that sends one answer. Then it closes the connection, or waits until the client does.
@discardableResult
func withServer<Result: Sendable>(
    answering text: String,
    closing: Bool = false,
    _ body: @Sendable (WireTransport, SocketServer) async throws -> Result
) async throws -> Result {
    let script: @Sendable (SocketConnection) async throws -> Void = { connection in
        try await connection.readHead()
        try await connection.send(text)
        if closing { await connection.close() } else { await connection.waitUntilClosed() }
    }
    return try await withServer(script, body)
}

extension TransportRequest {
    /// A GET of `http://127.0.0.1:port` and a path.
    static func get(
        _ server: SocketServer,
        _ path: String = "/file",
        host: String = "127.0.0.1",
        scheme: String = "http",
        _ change: (inout ConnectionOptions) -> Void = { _ in }
    ) throws -> TransportRequest {
        try get("\(scheme)://\(host):\(server.port)\(path)", change)
    }

    /// A GET that no timeout ends, unless `change` sets one.
    static func get(
        _ url: String,
        _ change: (inout ConnectionOptions) -> Void = { _ in }
    ) throws -> TransportRequest {
        var connection = ConnectionOptions()
        // Longer than any test takes: a busy machine must not decide.
        connection.connectTimeout = .seconds(3600)
        connection.idleTimeout = .seconds(3600)
        change(&connection)
        return TransportRequest(url: try HTTPURL(parsing: url), headers: [:], connection: connection)
    }
}

extension TransportRequest {
    /// A PUT that no timeout ends, unless `change` sets one.
    static func put(
        _ url: String,
        _ body: RequestBody,
        _ listener: RecordingListener? = nil,
        _ change: (inout ConnectionOptions) -> Void = { _ in }
    ) throws -> TransportRequest {
        var request = try get(url, change)
        (request.method, request.body, request.listener) = (.put, body, listener)
        return request
    }
}

extension WireTransport {
    /// The status of the answer to a request.
    func status(_ request: TransportRequest) async throws -> Int {
        try await withResponse(to: request) { head, _ in head.status }
    }

    /// Fetches a body into memory.
    func fetch(
        _ request: TransportRequest,
        into sink: MemorySink = MemorySink(),
        at offset: Int64 = 0,
        limit: Int64? = nil
    ) async throws -> (head: ResponseHead, count: Int64, bytes: [UInt8]) {
        try await withResponse(to: request) { head, body in
            let count = try await body.receive(into: sink, at: offset, limit: limit) { _ in }
            return (head, count, sink.bytes)
        }
    }
}

/// The failure that `body` throws as a ``Problem``, or as the problem in a ``StorageProblem``.
func problem(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> some Any
) async -> Problem? {
    do {
        _ = try await body()
        Issue.record("nothing was thrown", sourceLocation: sourceLocation)
    } catch let problem as Problem {
        return problem
    } catch let problem as StorageProblem {
        return problem.problem
    } catch {
        Issue.record("thrown was \(error)", sourceLocation: sourceLocation)
    }
    return nil
}

/// `count` bytes in which every position differs from its neighbourhood.
func pattern(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
}

/// The length in bytes of the body that ``serveLargeBody(_:)`` sends.
let largeBodyLength = 64 << 20

/// Serves a large body, and an empty one at `/small`.
@Sendable
func serveLargeBody(_ connection: SocketConnection) async throws {
    let head = try await connection.readHead()
    if head.hasPrefix("GET /small") {
        try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        return await connection.close()
    }
    try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(largeBodyLength)\r\n\r\n")
    for _ in 0..<64 { try await connection.send([UInt8](repeating: 7, count: largeBodyLength / 64)) }
}
