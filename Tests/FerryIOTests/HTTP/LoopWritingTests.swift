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

    @Test(arguments: [true, false])
    func aLoopWritesAllOfABodyToAQuickSinkOnly(isQuick: Bool) async throws {
        let body = pattern(3_000_001)
        try await withServer { connection in
            try await connection.readHead()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
            try await connection.send(body)
        } _: { transport, server in
            let sink = MemorySink(isQuick: isQuick)
            let count = try await transport.fetch(.get(server), into: sink).count
            #expect(count == Int64(body.count))
            #expect(sink.bytes == body)
            #expect(sink.writesOnLoops == (isQuick ? sink.writes : 0))
        }
    }

    @Test func noLoopWritesWhileAnotherExchangeRuns() async throws {
        let body = pattern(1_000_000)
        try await withServer { connection in
            try await connection.readHead()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
            try await connection.send(body)
        } _: { transport, server in
            let sink = MemorySink(isQuick: true)
            let count = try await transport.withResponse(to: .get(server)) { _, _ in
                try await transport.fetch(.get(server), into: sink).count
            }
            #expect(count == Int64(body.count))
            #expect(sink.bytes == body)
            #expect(sink.writesOnLoops == 0)
        }
    }

    @Test func aFailureOnTheLoopEndsTheTransfer() async throws {
        let full = StorageProblem(
            .condition(.diskSpace(needed: 1), .diskFull, "The disk is full."),
            errno: 28
        )
        let sink = MemorySink(failsAt: 2_000_000, failure: full, isQuick: true)
        try await withServer { connection in
            try await connection.readHead()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
            while true { try await connection.send([UInt8](repeating: 7, count: 1 << 20)) }
        } _: { transport, server in
            await #expect(throws: full) { try await transport.fetch(.get(server), into: sink) }
        }
        #expect(sink.bytes.count <= 2_000_000)
    }
}
