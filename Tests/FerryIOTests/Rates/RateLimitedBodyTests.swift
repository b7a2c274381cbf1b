import FerryCore
import FerryTesting
import Testing

@testable import FerryIO

@Suite("A body under a limit", .timeLimit(.minutes(10)))
struct RateLimitedBodyTests {
    static let mebibyte = 1 << 20

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
        let limiter = ManualLimiter(try RateLimit(parsing: "1K"), isShut: true)
        try await withServer(serveLargeBody) { transport, server in
            let request = try request(server, limiter)
            let count = try await perform {
                try await transport.fetch(request).count
            } meanwhile: {
                try await limiter.waitForHold()
                let taken = limiter.taken
                // The event loops of both sides turn often enough to bring all of it, were it let through.
                for _ in 0..<100 { _ = try await transport.fetch(.get(server, "/small")) }
                #expect(limiter.taken <= taken + Int64(Self.mebibyte))
                #expect(server.bytesSent < largeBodyLength / 2)
                limiter.set(.off)
            }
            #expect(count == Int64(largeBodyLength))
            #expect(limiter.taken == Int64(largeBodyLength), "every byte counts once")
        }
    }

    @Test func theServerOfABodyThatIsCollectedIsHeldBackAsWell() async throws {
        let limiter = ManualLimiter(try RateLimit(parsing: "1K"), isShut: true)
        try await withServer(serveLargeBody) { transport, server in
            let request = try request(server, limiter)
            let count = try await perform {
                try await transport.withResponse(to: request) { _, body in
                    try await body.collect(upTo: Self.mebibyte).count
                }
            } meanwhile: {
                try await limiter.waitForHold()
                #expect(limiter.taken < Int64(Self.mebibyte))
                limiter.set(.off)
            }
            #expect(count == Self.mebibyte)
        }
    }

    @Test func aServerThatIsHeldBackIsNotGivenUp() async throws {
        let limiter = ManualLimiter(try RateLimit(parsing: "1K"), isShut: true)
        let clock = ManualStallClock()
        try await withServer(stallClock: clock.clock) { connection in
            try await connection.readHead()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n")
            try await connection.send([UInt8](repeating: 7, count: 60_000))
        } _: { transport, server in
            let request = try request(server, limiter) { $0.idleTimeout = .seconds(60) }
            let count = try await perform {
                try await transport.fetch(request).count
            } meanwhile: {
                try await limiter.waitForHold()
                for _ in 0..<3 { #expect(try await clock.advance(by: .seconds(120)) > 0) }
                limiter.set(.off)
            }
            #expect(count == 60_000)
        }
    }

    @Test func aBodyThatIsHeldBackCanBeGivenUpAtOnce() async throws {
        let limiter = ManualLimiter(try RateLimit(parsing: "1K"), isShut: true)
        try await withServer(serveLargeBody) { transport, server in
            let request = try request(server, limiter)
            struct GivenUp: Error {}
            // The failure of the steps cancels the fetch, and is told when that has ended.
            await #expect(throws: GivenUp.self) {
                try await perform {
                    do {
                        _ = try await transport.fetch(request)
                    } catch {
                        #expect(error is CancellationError)
                        throw error
                    }
                } meanwhile: {
                    try await limiter.waitForHold()
                    throw GivenUp()
                }
            }
        }
    }

    /// A server that closes the connection behind 3,000 bytes, which come all at once.
    private static let closing: @Sendable (SocketConnection) async throws -> Void = { connection in
        try await connection.readHead()
        let body = String(repeating: "x", count: 3000)
        try await connection.send("HTTP/1.0 200 OK\r\nContent-Length: 3000\r\n\r\n" + body)
        await connection.close()
    }

    @Test func aRequestWaitsForTheBytesThatCameBeforeIt() async throws {
        let limiter = ManualLimiter(try RateLimit(parsing: "1K"), isShut: true)
        try await withServer(Self.closing) { transport, server in
            let request = try request(server, limiter)
            let first = try await transport.fetch(request).count
            #expect(first == 3000, "it had arrived, so it waits for nothing")
            #expect(limiter.taken == 3000)
            let second = try await perform {
                try await transport.fetch(request).count
            } meanwhile: {
                try await limiter.waitForHold()
                #expect(server.requests.count == 1)
                limiter.set(.off)
            }
            #expect(second == 3000)
        }
    }

    @Test func aRequestThatWaitsCanBeGivenUpAtOnce() async throws {
        let limiter = ManualLimiter(try RateLimit(parsing: "1K"), isShut: true)
        try await withServer(Self.closing) { transport, server in
            let request = try request(server, limiter)
            _ = try await transport.fetch(request)
            struct GivenUp: Error {}
            await #expect(throws: GivenUp.self) {
                try await perform {
                    _ = try await transport.fetch(request)
                } meanwhile: {
                    try await limiter.waitForHold()
                    throw GivenUp()
                }
            }
            #expect(server.requests.count == 1)
        }
    }

    @Test func aBodyThatNoOneTakesCounts() async throws {
        let limiter = ManualLimiter()
        try await withServer(Self.closing) { transport, server in
            _ = try await transport.status(request(server, limiter))
            #expect(limiter.taken == 3000)
        }
    }

    @Test func theLastPartOfARequestCounts() async throws {
        let limiter = ManualLimiter()
        try await withServer { connection in
            try await connection.readHead()
            _ = try await connection.read(1000)
            try await connection.send("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
        } _: { transport, server in
            let body = RequestBody.bytes([UInt8](repeating: 7, count: 1000))
            var request = try TransportRequest.put("http://127.0.0.1:\(server.port)/file", body)
            request.pace = Pace([limiter])
            _ = try await transport.status(request)
            #expect(limiter.taken == 1000)
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
