import FerryCore
import FerryTesting
import HTTPTypes
import NIOConcurrencyHelpers
import Testing

@testable import FerryIO

@Suite("Connections that a server kept open and then closed", .timeLimit(.minutes(10)))
struct StaleConnectionTests {
    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    /// Answers the first request of the first connection and does `then` at its second request; every later connection
    /// does `later`.
    private func withStaleServer(
        stallClock: StallClock = .live,
        then: @escaping @Sendable (SocketConnection) async throws -> Void,
        later: @escaping @Sendable (SocketConnection) async throws -> Void = { connection in
            try await connection.readHead()
            try await connection.send(Self.answer)
        },
        _ body: @Sendable (WireTransport, SocketServer) async throws -> Void
    ) async throws {
        let connections = NIOLockedValueBox(0)
        try await withServer(stallClock: stallClock) { connection in
            let number = connections.withLockedValue { count in
                count += 1
                return count
            }
            guard number == 1 else { return try await later(connection) }
            try await connection.readHead()
            try await connection.send(Self.answer)
            try await connection.readHead()
            try await then(connection)
        } _: { transport, server in
            _ = try await transport.fetch(.get(server))
            try await body(transport, server)
        }
    }

    @Test(arguments: [false, true])
    func requestIsSentOnceMoreOnANewConnection(byReset: Bool) async throws {
        try await withStaleServer { connection in
            if byReset { connection.reset() } else { await connection.close() }
        } _: { transport, server in
            let (_, _, bytes) = try await transport.fetch(.get(server))
            #expect(bytes == Array("ok".utf8))
            #expect(server.requests.count == 3)
            #expect(server.connectionCount == 2)
        }
    }

    @Test func requestIsSentNoThirdTime() async throws {
        try await withStaleServer { connection in
            await connection.close()
        } later: { connection in
            try await connection.readHead()
            await connection.close()
        } _: { transport, server in
            let problem = await problem { try await transport.fetch(.get(server)) }
            #expect(problem?.failure.code == .connectionLost)
            #expect(server.requests.count == 3)
        }
    }

    @Test(arguments: [
        "HTTP/1.1 2", "HTTP/1.1 103 Early Hints\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok",
    ])
    func anAnswerThatHasBegunIsNotAskedForAgain(begun: String) async throws {
        try await withStaleServer { connection in
            try await connection.send(begun)
            await connection.close()
        } _: { transport, server in
            let problem = await problem { try await transport.fetch(.get(server)) }
            #expect(problem?.failure.code == .connectionLost)
            #expect(server.requests.count == 2)
        }
    }

    /// It does not go over the kept connection, and when its own one breaks it is not sent again.
    @Test(arguments: [true, false])
    func aRequestThatIsNotIdempotentIsSentOnceOnANewConnection(isAnswered: Bool) async throws {
        try await withStaleServer { connection in
            await connection.close()
        } later: { connection in
            try await connection.readHead()
            if isAnswered { try await connection.send(Self.answer) }
            await connection.close()
        } _: { transport, server in
            var request = try TransportRequest.get(server)
            request.method = .post
            #expect(!request.isRepeatable)
            if isAnswered {
                #expect(try await transport.fetch(request).bytes == Array("ok".utf8))
            } else {
                let problem = await problem { try await transport.fetch(request) }
                #expect(problem?.failure.code == .connectionLost)
            }
            #expect(server.requests.count == 2 && server.connectionCount == 2)
        }
    }

    /// A server that knows the key of a `POST` acts on it once, however often it arrives.
    @Test(arguments: [true, false])
    func aKeyMakesARequestRepeatable(isKept: Bool) async throws {
        try await withStaleServer { connection in
            guard isKept else { return await connection.close() }
            try await connection.send(Self.answer)
        } _: { transport, server in
            var request = try TransportRequest.get(server)
            (request.method, request.isRepeatable) = (.post, true)
            let keyed = request
            #expect(try await transport.fetch(keyed).bytes == Array("ok".utf8))
            #expect(server.requests.count == (isKept ? 2 : 3))
            #expect(server.connectionCount == (isKept ? 1 : 2))
        }
    }

    @Test func silenceOnAKeptConnectionIsNotAskedAgain() async throws {
        let asked = ThreadGate()
        let clock = ManualStallClock()
        try await withStaleServer(stallClock: clock.clock) { connection in
            asked.open()
            await connection.waitUntilClosed()
        } _: { transport, server in
            let problem = await problem {
                try await perform {
                    try await transport.fetch(.get(server) { $0.idleTimeout = .seconds(60) })
                } meanwhile: {
                    try await asked.waitUntilOpen()
                    try await clock.waitForCheck()
                    #expect(try await clock.advance(by: .seconds(60)) == 1)
                }
            }
            #expect(problem?.failure.code == .timeout)
            #expect(server.requests.count == 2)
        }
    }
}
