import FerryCore
import Testing

@testable import FerryIO

@Suite("A body under a limit", .timeLimit(.minutes(2)))
struct RateLimitedBodyTests {
    static let mebibyte = 1 << 20

    /// Serves many bytes, and at `/small` none.
    private static let script: @Sendable (SocketConnection) async throws -> Void = { connection in
        let head = try await connection.readHead()
        if head.hasPrefix("GET /small") {
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return await connection.close()
        }
        try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(64 * mebibyte)\r\n\r\n")
        for _ in 0..<64 { try await connection.send([UInt8](repeating: 7, count: mebibyte)) }
    }

    private func request(
        _ server: SocketServer,
        _ limiter: ManualLimiter,
        _ change: (inout ConnectionOptions) -> Void = { _ in }
    ) throws -> TransportRequest {
        var request = try TransportRequest.get(server, "/file", change)
        request.pace = Pace([limiter])
        return request
    }

    @Test func theServerIsHeldBackUntilTheLimitIsLifted() async throws {
        let limiter = ManualLimiter(try RateLimit(parsing: "1K"))
        try await withServer(Self.script) { transport, server in
            let request = try request(server, limiter)
            async let count = transport.fetch(request).count
            await limiter.waitForHold()
            let taken = limiter.taken
            // The event loops of both sides turn often enough to bring all of it, were it let through.
            for _ in 0..<100 { _ = try await transport.fetch(.get(server, "/small")) }
            #expect(limiter.taken <= taken + Int64(Self.mebibyte))
            #expect(server.bytesSent < 32 * Self.mebibyte)
            limiter.set(.off)
            #expect(try await count == Int64(64 * Self.mebibyte))
            #expect(limiter.taken == Int64(64 * Self.mebibyte), "every byte counts once")
        }
    }

    @Test func aServerThatIsHeldBackIsNotGivenUp() async throws {
        let limiter = ManualLimiter(try RateLimit(parsing: "1K"))
        try await withServer { connection in
            try await connection.readHead()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n")
            try await connection.send([UInt8](repeating: 7, count: 60_000))
        } _: { transport, server in
            let request = try request(server, limiter) { $0.idleTimeout = .seconds(4) }
            async let count = transport.fetch(request).count
            // Asked again four times a second: the timeout has passed after the seventeenth time.
            for _ in 0..<18 { await limiter.waitForHold() }
            limiter.set(.off)
            #expect(try await count == 60_000)
        }
    }

    @Test func aBodyThatIsHeldBackCanBeGivenUpAtOnce() async throws {
        let limiter = ManualLimiter(try RateLimit(parsing: "1K"))
        try await withServer(Self.script) { transport, server in
            let request = try request(server, limiter)
            let work = Task { try await transport.fetch(request).count }
            await limiter.waitForHold()
            work.cancel()
            await #expect(throws: CancellationError.self) { try await work.value }
        }
    }

    @Test func whatCameBeforeABreakCounts() async throws {
        let limiter = ManualLimiter()
        try await withServer { connection in
            try await connection.readHead()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
            try await connection.send([UInt8](repeating: 7, count: 50_000))
            await connection.close()
        } _: { transport, server in
            let sink = MemorySink()
            _ = await problem { try await transport.fetch(request(server, limiter), into: sink) }
            #expect(sink.bytes.count == 50_000)
            #expect(limiter.taken == 50_000)
        }
    }
}
