import FerryCore
import FerryTesting
import Synchronization
import Testing

@testable import FerryIO

/// Servers that answer with success before they have read the body of the request.
@Suite("Early answers", .timeLimit(.minutes(10)))
struct EarlyAnswerTests {
    private static let body = pattern(200_000)

    private func put(_ server: SocketServer, _ source: KnownSource) throws -> TransportRequest {
        try .put("http://localhost:\(server.port)/photo", .source(source))
    }

    /// The rest of the body is read only when the answer has come, and then the server closes.
    @Test(arguments: [false, true], [false, true])
    func anEarlySuccessDoesNotCutTheBodyShort(isTaken: Bool, knowsLength: Bool) async throws {
        let came = Mutex<[UInt8]>([])
        let answered = ThreadGate()
        let source = KnownSource(Self.body, knowsLength: knowsLength, from: 65_536, behind: answered)
        try await withServer(continueWait: .seconds(3600), shortBodyWait: .seconds(3600)) { connection in
            try await connection.readHead()
            let ending = "Connection: close\r\n\r\nok"
            // One of unknown length waits to be asked for.
            let asking = knowsLength ? "" : "HTTP/1.1 100 Continue\r\n\r\n"
            try await connection.send(asking + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n" + ending)
            let body = try await knowsLength ? connection.read(Self.body.count) : connection.readChunks()
            came.withLock { $0 = body }
        } _: { transport, server in
            defer { answered.open() }
            let answer = try await transport.withResponse(to: try put(server, source)) { head, body in
                answered.open()
                return isTaken ? try await body.collect(upTo: 10).count : 2
            }
            #expect(answer == 2)
        }
        #expect(came.withLock { $0 == Self.body })
    }

    /// The answer is longer than the caller takes of it, and has no end before the body's.
    @Test(arguments: [0, 10])
    func anAnswerThatIsNotWantedDoesNotCutTheBodyShort(wanted: Int) async throws {
        let came = Mutex<[UInt8]>([])
        let answered = ThreadGate()
        try await withServer { connection in
            try await connection.readHead()
            let rest = String(repeating: "z", count: 1_000_000)
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n" + rest)
            let body = try await connection.read(Self.body.count)
            came.withLock { $0 = body }
            try await connection.send(rest)
        } _: { transport, server in
            defer { answered.open() }
            let source = KnownSource(Self.body, from: 65_536, behind: answered)
            let count = try await transport.withResponse(to: try put(server, source)) { _, body in
                let count = wanted == 0 ? 0 : try await body.collect(upTo: wanted).count
                answered.open()
                return count
            }
            #expect(count == wanted)
        }
        #expect(came.withLock { $0 == Self.body })
    }

    /// The whole body has left, and the server answers before it reads any of it, with more than the caller takes. A reset
    /// would end the server's work on the request, also when this process ends.
    @Test(arguments: [0, 10], [false, true])
    func aServerThatAnswersBeforeItReadsIsNotCutOff(wanted: Int, shutsDown: Bool) async throws {
        let peer = try SlowPeer()
        let accepted = Mutex<CInt>(-1)
        let result: Result<Void, any Error>
        do {
            let done: Void = try await withTransport { transport in
                let body = pattern(1_000)
                let request = try TransportRequest.put("http://127.0.0.1:\(peer.port)/", .bytes(body))
                async let answer = transport.withResponse(to: request) { _, body in
                    wanted == 0 ? 0 : try await body.collect(upTo: wanted).count
                }
                let connection = try await peer.accept()
                accepted.withLock { $0 = connection }
                try await peer.readHead(from: connection)
                let part = String(repeating: "z", count: 100_000)
                let head = "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"
                try await peer.send(head + part, to: connection)
                #expect(try await answer == wanted)
                if shutsDown { await transport.shutdown() }
                #expect(try await peer.read(body.count, from: connection) == body)
                try await peer.send(part, to: connection)
                try await peer.close(connection)
            }
            result = .success(done)
        } catch {
            try await peer.close(accepted.withLock { $0 })
            result = .failure(error)
        }
        try result.get()
    }

    /// An upload of which the server has not read the end is no success, whatever the server said before.
    @Test(arguments: [0, 1, 10])
    func aBodyThatIsCutShortIsNoSuccess(wanted: Int) async throws {
        let (answered, lost) = (ThreadGate(), ThreadGate())
        try await withServer { connection in
            try await connection.readHead()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            try await answered.waitUntilOpen()
            connection.reset()
        } _: { transport, server in
            defer { lost.open() }
            let source = KnownSource(Self.body, from: 65_536, behind: lost)
            let problem = await problem {
                try await transport.withResponse(to: try put(server, source)) { _, body in
                    answered.open()
                    return wanted == 0 ? 0 : try await body.collect(upTo: wanted).count
                }
            }
            #expect(problem?.failure.code == .connectionLost)
            #expect(problem?.failure.message.contains("before it had received the whole request") == true)
        }
    }
}
