import FerryCore
import FerryTesting
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import FerryIO

/// Servers that send a short body in another packet than its head.
@Suite("Short bodies that come behind their heads", .timeLimit(.minutes(10)))
struct ShortBodyTests {
    /// The first read takes 64 bytes, and a longer body is not short.
    private static let plan: BufferPlan = {
        var plan = BufferPlan()
        plan.firstReceiveBytes = 64
        return plan
    }()

    /// A head that fills the first read, so that no byte of the body comes with it.
    private static func head(_ field: String) -> String {
        let start = "HTTP/1.1 200 OK\r\n\(field)\r\nX: "
        let rest = plan.firstReceiveBytes - start.utf8.count - 4
        return start + String(repeating: "x", count: rest) + "\r\n\r\n"
    }

    private func request(_ server: SocketServer, _ listener: RecordingListener) throws -> TransportRequest {
        var request = try TransportRequest.get(server)
        request.listener = listener
        return request
    }

    @Test func isWholeWhenItsHeadIsAnnounced() async throws {
        try await withServer(buffers: Self.plan, shortBodyWait: .seconds(3600)) { connection in
            while true {
                try await connection.readHead()
                try await connection.send(Self.head("Content-Length: 2") + "ok")
            }
        } _: { transport, server in
            let bytes = try await transport.withResponse(to: .get(server)) { _, body in
                _ = try await transport.fetch(.get(server))
                #expect(server.connectionCount == 1, "the first answer has left its connection")
                return try await body.collect(upTo: 10)
            }
            #expect(bytes == Array("ok".utf8))
        }
    }

    @Test func isTakenAtOnceWhenItIsWhole() async throws {
        try await withServer(buffers: Self.plan, shortBodyWait: .seconds(3600)) { connection in
            while true {
                try await connection.readHead()
                try await connection.send(Self.head("Content-Length: 2") + "ok")
            }
        } _: { transport, server in
            for _ in 0..<2 {
                let bytes = try await transport.withResponse(to: .get(server)) { _, body -> [UInt8]? in
                    #expect(body.takeWhole(upTo: 1) == nil)
                    let bytes = body.takeWhole(upTo: 2)
                    #expect(body.takeWhole(upTo: 2) == nil)
                    return bytes
                }
                #expect(bytes == Array("ok".utf8))
            }
            #expect(server.connectionCount == 1)
        }
    }

    @Test(arguments: [false, true])
    func isNotTakenAtOnceWhileItArrivesOrIsLimited(isLimited: Bool) async throws {
        let announced = ThreadGate()
        try await withServer(shortBodyWait: .milliseconds(1)) { connection in
            try await connection.readHead()
            let start = isLimited ? "late" : "la"
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n" + start)
            try await announced.waitUntilOpen()
            if !isLimited { try await connection.send("te") }
        } _: { transport, server in
            var request = try TransportRequest.get(server)
            if isLimited { request.pace = Pace([ManualLimiter()]) }
            let bytes = try await transport.withResponse(to: request) { _, body in
                #expect(body.takeWhole(upTo: 10) == nil)
                announced.open()
                return try await body.collect(upTo: 10)
            }
            #expect(bytes == Array("late".utf8))
        }
    }

    @Test func bytesBehindItAreNoPartOfIt() async throws {
        try await withServer(buffers: Self.plan, shortBodyWait: .seconds(3600)) { connection in
            try await connection.readHead()
            try await connection.send(Self.head("Content-Length: 2") + "okay")
            await connection.waitUntilClosed()
        } _: { transport, server in
            for _ in 0..<2 {
                let bytes = try await transport.fetch(.get(server)).bytes
                #expect(bytes == Array("ok".utf8))
            }
            #expect(server.connectionCount == 2)
        }
    }

    /// The server sends the rest only after the caller has the head.
    @Test func isNotAwaitedForLong() async throws {
        let announced = ThreadGate()
        try await withServer(shortBodyWait: .milliseconds(1)) { connection in
            try await connection.readHead()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nla")
            try await announced.waitUntilOpen()
            try await connection.send("te")
        } _: { transport, server in
            let bytes = try await transport.withResponse(to: .get(server)) { _, body in
                announced.open()
                return try await body.collect(upTo: 10)
            }
            #expect(bytes == Array("late".utf8))
        }
    }

    @Test func theTimeOfTheCallerIsNotThatOfTheServer() async throws {
        let (clock, handled) = (ManualStallClock(), ThreadGate())
        try await withServer(stallClock: clock.clock, shortBodyWait: .milliseconds(1)) { connection in
            try await connection.readHead()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n")
            try await handled.waitUntilOpen()
            try await connection.send("late")
        } _: { transport, server in
            let request = try TransportRequest.get(server) { $0.idleTimeout = .seconds(60) }
            let bytes = try await transport.withResponse(to: request) { _, body in
                _ = try await clock.advance(by: .seconds(60))
                handled.open()
                return try await body.collect(upTo: 10)
            }
            #expect(bytes == Array("late".utf8))
        }
    }

    @Test(arguments: [
        ("Content-Length: 65", String(repeating: "z", count: 65), false),
        ("Transfer-Encoding: chunked", "2\r\nok\r\n0\r\n\r\n", false), ("Content-Length: 2", "ok", true),
    ])
    func noOtherBodyIsAwaited(field: String, body: String, isLimited: Bool) async throws {
        let announced = ThreadGate()
        try await withServer(buffers: Self.plan, shortBodyWait: .seconds(3600)) { connection in
            try await connection.readHead()
            try await connection.send(Self.head(field))
            try await announced.waitUntilOpen()
            try await connection.send(body)
        } _: { transport, server in
            var request = try TransportRequest.get(server)
            if isLimited { request.pace = Pace([ManualLimiter()]) }
            let count = try await transport.withResponse(to: request) { _, body in
                announced.open()
                return try await body.collect(upTo: 100).count
            }
            #expect(count == (field.hasSuffix("65") ? 65 : 2))
        }
    }

    /// Hands a body that came byte by byte to a consumer; returns the number of parts.
    private func hand(_ bytes: [UInt8], to consumer: any BodyConsumer) throws -> Int {
        let request = try TransportRequest.get("http://127.0.0.1:1/")
        let loop = EmbeddedEventLoop()
        let exchange = Exchange(request, over: WireKey(request.url, request.connection))
        let length = Int64(bytes.count)
        let head = ResponseHead(status: 200, headers: [:], bodyLength: length)
        #expect(exchange.receive(head, .length(length)))
        for byte in bytes {
            var received = ByteBufferAllocator().buffer(capacity: BufferPlan().firstReceiveBytes)
            received.writeInteger(byte)
            #expect(exchange.receive(received, on: loop) == nil)
        }
        exchange.end()
        // Each part makes a demand.
        return exchange.startFlow(to: consumer, on: loop).count
    }

    /// A server can send each byte in a packet of its own, and each packet comes in a large buffer (I9).
    @Test func smallPartsOfItShareOneBuffer() async throws {
        let (bytes, collector) = (pattern(100), BodyCollector(bound: 1000))
        #expect(try hand(bytes, to: collector) == 1)
        #expect(try await collector.bytes.value() == bytes)
    }

    @Test func whatCameOfItBeforeABreakCounts() async throws {
        let sink = MemorySink()
        try await withServer(buffers: Self.plan, shortBodyWait: .seconds(3600)) { connection in
            try await connection.readHead()
            try await connection.send(Self.head("Content-Length: 10") + "01234")
            await connection.close()
        } _: { transport, server in
            let problem = await problem { try await transport.fetch(.get(server), into: sink) }
            #expect(problem?.failure.message == "The connection closed after 5 B of 10 B.")
        }
        #expect(sink.bytes == Array("01234".utf8))
    }

    @Test func aServerThatNeverSendsItIsGivenUp() async throws {
        try await withServer(shortBodyWait: .seconds(3600)) { connection in
            try await connection.readHead()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")
            await connection.waitUntilClosed()
        } _: { transport, server in
            let problem = await problem {
                try await transport.fetch(.get(server) { $0.idleTimeout = .milliseconds(200) })
            }
            #expect(problem == .transient(.timeout, "127.0.0.1:\(server.port) sent nothing for 0.2 s."))
        }
    }

    /// The status may tell what became of a request that must not be sent again (I8).
    @Test func itsHeadCountsWhenTheWaitForItIsCancelled() async throws {
        struct Enough: Error {}
        let (listener, closed) = (RecordingListener(), ThreadGate())
        let statuses = Mutex<[Int]>([])
        try await withServer(shortBodyWait: .seconds(3600)) { connection in
            try await connection.readHead()
            let hints = "HTTP/1.1 103 Early Hints\r\n\r\n"
            try await connection.send(hints + "HTTP/1.1 503 Busy\r\nContent-Length: 10\r\n\r\n")
            await connection.waitUntilClosed()
            closed.open()
        } _: { transport, server in
            let request = try request(server, listener)
            await #expect(throws: Enough.self) {
                try await perform {
                    do {
                        _ = try await transport.withResponse(to: request) { head, body in
                            statuses.withLock { $0.append(head.status) }
                            return try await body.collect(upTo: 10)
                        }
                    } catch {
                        #expect(error is CancellationError)
                        throw error
                    }
                } meanwhile: {
                    try await listener.interims.wait { !$0.isEmpty }
                    // The hints and the head came with one read.
                    try await transport.turnLoops()
                    throw Enough()
                }
            }
            try await closed.waitUntilOpen()
        }
        #expect(statuses.withLock { $0 == [503] })
    }
}
