import FerryCore
import FerryTesting
import HTTPTypes
import Testing

@testable import FerryIO

@Suite("How a body ends", .timeLimit(.minutes(10)))
struct BodyFramingTests {
    @Test func bodyWithContentLengthArrivesWholeAtItsOffset() async throws {
        let body = pattern(300_000)
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 300000\r\nX-A: 1\r\nx-a: 2\r\n\r\n"
        try await withServer { connection in
            try await connection.readHead()
            try await connection.send(answer)
            try await connection.send(body)
        } _: { transport, server in
            let (head, count, bytes) = try await transport.fetch(.get(server), at: 1000, limit: 300_000)
            #expect(head.status == 200)
            #expect(head.bodyLength == 300_000)
            #expect(head.headers.filter { $0.name.canonicalName == "x-a" }.map(\.value) == ["1", "2"])
            #expect(count == 300_000)
            #expect(bytes == [UInt8](repeating: 0, count: 1000) + body)
        }
    }

    @Test func progressNamesEachOffsetInOrderAndEndsAtTheLast() async throws {
        let offsets = ValueRecorder<Int64>()
        try await withServer { connection in
            try await connection.readHead()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n")
            try await connection.send(pattern(2_000_000))
        } _: { transport, server in
            try await transport.withResponse(to: .get(server)) { _, body in
                _ = try await body.receive(into: MemorySink(), at: 5, limit: nil) { offsets.record($0) }
            }
        }
        #expect(offsets.values == offsets.values.sorted())
        #expect(Set(offsets.values).count == offsets.values.count)
        #expect(offsets.values.last == 2_000_005)
    }

    @Test func chunksAreJoinedHoweverSmall() async throws {
        let body = pattern(5000)
        let chunks = body.flatMap { Array("1\r\n".utf8) + [$0] + Array("\r\n".utf8) }
        try await withServer { connection in
            try await connection.readHead()
            try await connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n")
            try await connection.send(chunks + Array("0\r\nTrailer: 1\r\n\r\n".utf8))
        } _: { transport, server in
            let (head, count, bytes) = try await transport.fetch(.get(server))
            #expect(head.bodyLength == nil)
            #expect(count == 5000)
            #expect(bytes == body)
        }
    }

    @Test func bodyWithoutFramingEndsWithTheConnection() async throws {
        try await withServer(
            answering: "HTTP/1.0 200 OK\r\n\r\nuntil the end",
            closing: true
        ) { transport, server in
            let (head, count, bytes) = try await transport.fetch(.get(server))
            #expect(head.bodyLength == nil)
            #expect(count == 13)
            #expect(bytes == Array("until the end".utf8))
        }
    }

    @Test(arguments: [
        ("Content-Length: 100", "0123456789", "The connection closed after 10 B of 100 B."),
        ("Content-Length: 100", "", "The connection closed after 0 B of 100 B."),
        (
            "Transfer-Encoding: chunked", "a\r\n01234",
            "The connection closed after 5 B, before the end of the body."
        ),
        (
            "Transfer-Encoding: chunked", "a\r\n0123456789\r\n",
            "The connection closed after 10 B, before the end of the body."
        ),
        (
            "Transfer-Encoding: chunked", "a\r\n0123456789\r\n0",
            "The connection closed after 10 B, before the end of the body."
        ),
        (
            "Transfer-Encoding: chunked", "a\r\n0123456789\r\n1",
            "The connection closed after 10 B, before the end of the body."
        ),
    ])
    func bodyThatIsCutIsLostNotDone(framing: String, body: String, message: String) async throws {
        try await withServer(
            answering: "HTTP/1.1 200 OK\r\n\(framing)\r\n\r\n\(body)",
            closing: true
        ) { transport, server in
            let problem = await problem { try await transport.fetch(.get(server)) }
            #expect(problem == .transient(.connectionLost, message))
        }
    }

    /// A server that always breaks off early must not keep a transfer from ever making progress.
    @Test(arguments: ["Content-Length: 800000", "Transfer-Encoding: chunked"], [true, false])
    func whatCameBeforeTheCutIsWritten(framing: String, isHeld: Bool) async throws {
        let sink = MemorySink()
        let body = pattern(300_000)
        let isChunked = framing.contains("chunked")
        let closed = ThreadGate()
        try await withServer { connection in
            try await connection.readHead()
            try await connection.send("HTTP/1.1 200 OK\r\n\(framing)\r\n\r\n")
            try await connection.send((isChunked ? Array("f4240\r\n".utf8) : []) + body)
            await connection.close()
            closed.open()
        } _: { transport, server in
            let problem = await problem {
                try await transport.withResponse(to: .get(server)) { _, body in
                    if isHeld {
                        // The end of the connection has been noticed by the time the body is asked for.
                        try await closed.waitUntilOpen()
                        for _ in 0..<10 { try await transport.turnLoops() }
                    }
                    return try await body.receive(into: sink, at: 0, limit: nil) { _ in }
                }
            }
            let announced = isChunked ? ", before the end of the body." : "."
            #expect(problem?.failure.code == .connectionLost)
            #expect(
                problem?.failure.message
                    == "The connection closed after 293.0 KiB\(isChunked ? "" : " of 781.3 KiB")\(announced)"
            )
        }
        #expect(sink.bytes == body)
    }

    @Test func resetInTheMiddleIsALostConnection() async throws {
        let sink = MemorySink()
        try await withServer { connection in
            try await connection.readHead()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789")
            try await sink.waitForBytes(10)
            connection.reset()
        } _: { transport, server in
            let problem = await problem { try await transport.fetch(.get(server), into: sink) }
            #expect(
                problem == .transient(.connectionLost, "The connection closed after 10 B of 100 B.")
            )
        }
    }

    @Test(arguments: ["Content-Length: 11", "Transfer-Encoding: chunked", "Connection: close"])
    func nothingPastTheLimitIsWritten(framing: String) async throws {
        let sink = MemorySink()
        try await withServer { connection in
            try await connection.readHead()
            let body = framing.contains("chunked") ? "b\r\n0123456789A\r\n0\r\n\r\n" : "0123456789A"
            try await connection.send("HTTP/1.1 200 OK\r\n\(framing)\r\n\r\n\(body)")
            await connection.close()
        } _: { transport, server in
            let problem = await problem { try await transport.fetch(.get(server), into: sink, limit: 10) }
            #expect(problem?.failure.code == .badResponse)
            #expect(problem?.failure.message.contains("more bytes than announced") == true)
        }
        #expect(sink.bytes.count <= 10)
    }

    @Test func bodyOfExactlyTheLimitIsWhole() async throws {
        try await withServer { connection in
            try await connection.readHead()
            try await connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            try await connection.send("5\r\n01234\r\n5\r\n56789\r\n0\r\n\r\n")
        } _: { transport, server in
            let (_, count, _) = try await transport.fetch(.get(server), limit: 10)
            #expect(count == 10)
        }
    }

    @Test(arguments: [
        ("HEAD", "200 OK", "Content-Length: 1000"), ("GET", "204 No Content", "X: y"),
        ("GET", "304 Not Modified", "Content-Length: 1000"), ("GET", "200 OK", "Content-Length: 0"),
    ])
    func answerWithoutBodyIsCompleteAtOnce(method: String, status: String, field: String) async throws {
        try await withServer(answering: "HTTP/1.1 \(status)\r\n\(field)\r\n\r\n") { transport, server in
            var request = try TransportRequest.get(server)
            request.method = try #require(HTTPRequest.Method(method))
            let (head, count, _) = try await transport.fetch(request)
            #expect(head.bodyLength == 0)
            #expect(count == 0)
        }
    }

    @Test func textOfAnErrorIsCollectedUpToItsBound() async throws {
        try await withServer { connection in
            try await connection.readHead()
            try await connection.send("HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n")
            try await connection.send("5\r\nhello\r\n5\r\nworld\r\n")
            // The rest never comes, and the client must not wait for it.
            await connection.waitUntilClosed()
        } _: { transport, server in
            let text = try await transport.withResponse(to: .get(server)) { _, body in
                try await body.collect(upTo: 7)
            }
            #expect(text == Array("hellowo".utf8))
        }
    }

    @Test func bodyIsGivenOnce() async throws {
        try await withServer { connection in
            try await connection.readHead()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        } _: { transport, server in
            let second = await problem {
                try await transport.withResponse(to: .get(server)) { _, body in
                    _ = try await body.collect(upTo: 10)
                    return try await body.collect(upTo: 10)
                }
            }
            #expect(second?.failure.code == .internalFault)
        }
    }
}
