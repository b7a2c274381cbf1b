import FerryCore
import FerryIO
import FerryTesting
import HTTPTypes
import Synchronization
import Testing

@Suite("Requests with a body", .timeLimit(.minutes(10)))
struct RequestBodyTests {
    private static let body = pattern(300_000)

    /// Sends a request, and returns the status and the text of the answer.
    private func answer(
        _ transport: some HTTPTransport,
        _ request: TransportRequest
    ) async throws -> (Int, String) {
        try await transport.withResponse(to: request) { head, body in
            (head.status, String(decoding: try await body.collect(upTo: 1_000), as: UTF8.self))
        }
    }

    private func post(_ server: SocketServer, _ body: [UInt8]) throws -> TransportRequest {
        var request = try TransportRequest.get(server, "/orders")
        (request.method, request.body) = (.post, .bytes(body))
        request.headers[.contentType] = "text/plain"
        return request
    }

    @Test func theBodyArrivesWholeWithItsLength() async throws {
        let came = Mutex<(head: String, body: [UInt8])>(("", []))
        try await withServer { connection in
            let head = try await connection.readHead()
            let body = try await connection.read(Self.body.count)
            came.withLock { $0 = (head, body) }
            try await connection.send("HTTP/1.1 201 Created\r\nContent-Length: 4\r\n\r\ndone")
        } _: { transport, server in
            let (status, text) = try await answer(transport, post(server, Self.body))
            #expect(status == 201 && text == "done")
        }
        let (head, body) = came.withLock { $0 }
        #expect(head.hasPrefix("POST /orders HTTP/1.1\r\n"))
        #expect(head.lowercased().hasSuffix("\r\ncontent-length: \(Self.body.count)"))
        #expect(body == Self.body)
    }

    @Test func withoutABodyItsLengthIsNothing() async throws {
        let came = Mutex("")
        try await withServer { connection in
            let head = try await connection.readHead()
            came.withLock { $0 = head }
            try await connection.send("HTTP/1.1 204 No Content\r\n\r\n")
        } _: { transport, server in
            let (status, text) = try await answer(transport, post(server, []))
            #expect(status == 204 && text.isEmpty)
        }
        #expect(came.withLock { $0 }.lowercased().hasSuffix("\r\ncontent-length: 0"))
    }

    /// A kept connection may be closed just as a request goes out, and then no one knows whether that has arrived.
    @Test func oneThatMayNotBeRepeatedHasAConnectionOfItsOwn() async throws {
        let connections = Mutex(0)
        try await withServer { connection in
            connections.withLock { $0 += 1 }
            while true {
                _ = try await connection.readHead()
                try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
        } _: { transport, server in
            for _ in 0..<3 { _ = try await answer(transport, post(server, [])) }
        }
        #expect(connections.withLock { $0 } == 3)
    }
}
