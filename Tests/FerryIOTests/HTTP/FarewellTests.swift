import FerryCore
import NIOCore
import NIOEmbedded
import Testing

@testable import FerryIO

/// Bytes that a server sends after the client has stopped reading.
@Suite("The end of a connection", .timeLimit(.minutes(10)))
struct FarewellTests {
    /// Whether a TLS server is bid farewell by a client that does what `body` does.
    private func isBidFarewell(
        _ answer: String,
        _ body: @escaping @Sendable (WireTransport, TransportRequest) async throws -> Void
    ) async throws -> Bool {
        let certificate = try await TestCertificate()
        let (ends, ended) = AsyncStream.makeStream(of: Bool.self)
        let isBidFarewell = try await withServer(tls: certificate) { connection in
            try await connection.readHead()
            try await connection.send(answer)
            await connection.waitUntilClosed()
            ended.yield(!connection.wasCutOff)
        } _: { transport, server in
            try await body(transport, .get(server, scheme: "https") { $0.trustsAnyCertificate = true })
            await transport.shutdown()
            for await end in ends { return end }
            return false
        }
        try certificate.remove()
        return isBidFarewell
    }

    /// Until the farewell is answered, which is after the rest of the body, all of that would be received and
    /// decrypted.
    @Test func connectionIsCutOffInTheMiddleOfABody() async throws {
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n0123456789"
        let isBidFarewell = try await isBidFarewell(answer) { transport, request in
            try await transport.withResponse(to: request) { head, _ in #expect(head.status == 200) }
        }
        #expect(!isBidFarewell)
    }

    @Test func connectionThatIsIdleEndsInOrder() async throws {
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        let isBidFarewell = try await isBidFarewell(answer) { transport, request in
            let bytes = try await transport.fetch(request).bytes
            #expect(bytes == Array("ok".utf8))
        }
        #expect(isBidFarewell)
    }

    /// A connection takes a while to be closed, and a server can send a lot in it (I9).
    @Test func nothingIsKeptOfWhatComesAfterTheEnd() throws {
        let request = try TransportRequest.get("http://127.0.0.1:1/")
        let loop = EmbeddedEventLoop()
        let exchange = Exchange(request, over: WireKey(request.url, request.connection))
        #expect(exchange.receive(ResponseHead(status: 200, headers: [:], bodyLength: 12), .length(12)))
        #expect(exchange.receive(ByteBuffer(string: "before"), on: loop) == nil)
        exchange.fail(CancellationError())
        let demand = exchange.receive(ByteBuffer(string: "after"), on: loop)
        guard case .never? = demand else { return #expect(Bool(false), "\(String(describing: demand))") }
    }

    /// What 16 connections over TLS may hold leaves enough of the 64 MiB to the rest: the bytes as they came, what they
    /// decrypt to, in a buffer of up to twice that, and as many such buffers as may wait.
    @Test func sixteenConnectionsOverTLSFitInMemory() {
        let plan = BufferPlan().overTLS
        let decrypted = 2 * plan.receiveBytes
        let waiting = (plan.waitingBytes + plan.receiveBytes - 1) / plan.receiveBytes * decrypted
        #expect(16 * (plan.receiveBytes + decrypted + waiting) <= 32 << 20)
    }
}
