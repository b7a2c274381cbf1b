import FerryCore
import FerryTesting
import NIOCore
import Synchronization
import Testing

@testable import FerryIO

/// When the time of a server counts that is to receive the body of a request.
@Suite("The time of a server that receives a body", .timeLimit(.minutes(10)))
struct PeerTimeTests {
    /// The kernel of this machine holds most of it, and this process the rest: how much each holds does not matter.
    private static let body = pattern(900_000)

    /// Runs a request whose body the peer takes as slowly as `steps` says. `steps` begins when the peer's time counts, and
    /// has the peer's connection.
    private func withSlowPeer(
        _ steps: @escaping @Sendable (SlowPeer, CInt, ManualStallClock) async throws -> Void
    ) async throws -> Int {
        let (peer, clock) = (try SlowPeer(), ManualStallClock())
        let accepted = Mutex<CInt>(-1)
        let result: Result<Int, any Error>
        do {
            let status = try await withTransport(stallClock: clock.clock) { transport in
                let request = try TransportRequest.put(
                    "http://127.0.0.1:\(peer.port)/photo",
                    .bytes(Self.body)
                ) { $0.idleTimeout = .seconds(60) }
                return try await perform {
                    try await transport.status(request)
                } meanwhile: {
                    let connection = try await peer.accept()
                    accepted.withLock { $0 = connection }
                    try await peer.readHead(from: connection)
                    try await clock.waitForCheck()
                    try await steps(peer, connection, clock)
                }
            }
            result = .success(status)
        } catch {
            result = .failure(error)
        }
        try await peer.close(accepted.withLock { $0 })
        return try result.get()
    }

    @Test func aPeerThatStillTakesBytesHasTimeToAnswer() async throws {
        let answer = try await withSlowPeer { peer, connection, clock in
            var came: [UInt8] = []
            for _ in 0..<3 {
                came += try await peer.read(300_000, from: connection)
                #expect(try await clock.advance(by: .seconds(60)) > 0)
            }
            #expect(came == Self.body)
            try await peer.send("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n", to: connection)
        }
        #expect(answer == 201)
    }

    @Test func aPeerThatTakesNoMoreBytesIsGivenUp() async throws {
        let problem = await problem {
            try await withSlowPeer { peer, connection, clock in
                _ = try await peer.read(300_000, from: connection)
                // What is under way may still arrive for a while. The watch ends when the peer is given up.
                while try await clock.advance(by: .seconds(60)) > 0 {}
            }
        }
        #expect(problem?.failure.code == .timeout)
        #expect(problem?.failure.message.hasSuffix(" sent nothing for 60 s.") == true)
    }

    /// A look costs system calls, so its number must not grow with the number of parts.
    @Test func aBodyIsLookedAtOnceASecondHoweverManyPartsItHas() async throws {
        let (clock, source) = (ManualStallClock(), KnownSource(Self.body))
        try await withServer(stallClock: clock.clock) { connection in
            try await connection.readHead()
            let body = try await connection.read(Self.body.count)
            #expect(body == Self.body)
            try await connection.send("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
        } _: { transport, server in
            let listener = RecordingListener()
            let request = try TransportRequest.put(
                "http://127.0.0.1:\(server.port)/",
                .source(source),
                listener
            )
            #expect(try await transport.status(request) == 201)
            #expect(listener.left.withLock { $0.count } > 3, "it has several parts")
            #expect(source.checks.withLock { $0 } == 1, "only at its end, because the clock stands still")
        }
    }

    /// Some servers never ask for a body, so the wait for them to ask has an end of its own.
    @Test func theWaitForAServerThatIsToAskIsNotCounted() async throws {
        let (clock, asked, waited) = (ManualStallClock(), ThreadGate(), ThreadGate())
        let long = pattern(1 << 20)
        try await withServer(stallClock: clock.clock, continueWait: .seconds(3600)) { connection in
            try await connection.readHead()
            asked.open()
            try await waited.waitUntilOpen()
            try await connection.send("HTTP/1.1 100 Continue\r\n\r\n")
            let body = try await connection.read(long.count)
            #expect(body == long)
            try await connection.send("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
        } _: { transport, server in
            let request = try TransportRequest.put("http://127.0.0.1:\(server.port)/", .bytes(long)) {
                $0.idleTimeout = .milliseconds(100)
            }
            let answer = try await perform {
                try await transport.status(request)
            } meanwhile: {
                try await asked.waitUntilOpen()
                try await transport.turnLoops()
                _ = try await clock.advance(by: .seconds(1))
                waited.open()
            }
            #expect(answer == 201)
        }
    }
}
