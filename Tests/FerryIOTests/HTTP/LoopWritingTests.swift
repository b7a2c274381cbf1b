import FerryCore
import FerryTesting
import NIOCore
import Testing

@testable import FerryIO

@Suite("Bodies that an event loop writes itself", .timeLimit(.minutes(10)))
struct LoopWritingTests {
    @Test func onlyTheSoleExchangeIsWrittenByItsLoop() {
        var writing = LoopWriting()
        let sink = MemorySink(isQuick: true)
        let answers = [true, false, true].map { writing.isAllowed(to: sink, isAlone: $0) }
        #expect(answers == [true, false, true])
    }

    @Test func aSinkThatMayWaitIsNotWrittenByALoop() {
        var writing = LoopWriting()
        let answer = writing.isAllowed(to: MemorySink(), isAlone: true)
        #expect(!answer)
    }

    @Test func aWriteThatTookLongIsTheLastOnALoop() {
        var writing = LoopWriting()
        let sink = MemorySink(isQuick: true)
        let times = [LoopWriting.longestWrite, LoopWriting.longestWrite + .nanoseconds(1), .nanoseconds(1)]
        let answers = times.map { time in
            defer { writing.took(time) }
            return writing.isAllowed(to: sink, isAlone: true)
        }
        #expect(answers == [true, true, false])
        let later = writing.isAllowed(to: sink, isAlone: true)
        #expect(!later)
    }

    /// Runs `body` with a server that sends these bytes in each answer.
    private func withServer(
        sending bytes: [UInt8],
        _ body: @Sendable (WireTransport, SocketServer) async throws -> Void
    ) async throws {
        try await FerryIOTests.withServer { connection in
            try await connection.readHead()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\n\r\n")
            try await connection.send(bytes)
        } _: { transport, server in
            try await body(transport, server)
        }
    }

    @Test(arguments: [true, false])
    func aLoopWritesAllOfABodyToAQuickSinkOnly(isQuick: Bool) async throws {
        let body = pattern(3_000_001)
        try await withServer(sending: body) { transport, server in
            let sink = MemorySink(isQuick: isQuick)
            let count = try await transport.fetch(.get(server), into: sink).count
            #expect(count == Int64(body.count))
            #expect(sink.bytes == body)
            #expect(sink.writesOnLoops == (isQuick ? sink.writes : 0))
        }
    }

    @Test func noLoopWritesWhileAnotherExchangeRuns() async throws {
        let body = pattern(1_000_000)
        try await withServer(sending: body) { transport, server in
            let sink = MemorySink(isQuick: true)
            let count = try await transport.withResponse(to: .get(server)) { _, _ in
                try await transport.fetch(.get(server), into: sink).count
            }
            #expect(count == Int64(body.count))
            #expect(sink.bytes == body)
            #expect(sink.writesOnLoops == 0)
        }
    }
}
