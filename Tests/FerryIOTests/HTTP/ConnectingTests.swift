import FerryCore
import FerryTesting
import Testing

@testable import FerryIO

@Suite("Connections that fail or fall silent", .timeLimit(.minutes(10)))
struct ConnectingTests {
    @Test func refusedPortIsToldAtOnce() async throws {
        let silent = try SilentPort()
        try await withTransport { transport in
            let port = silent.port
            let problem = await problem { try await transport.fetch(.get("http://127.0.0.1:\(port)/")) }
            #expect(problem == .transient(.connectionRefused, "127.0.0.1:\(port) refuses the connection."))
            let named = await FerryIOTests.problem {
                try await transport.fetch(.get("http://localhost:\(port)/"))
            }
            #expect(named?.failure.code == .connectionRefused)
        }
    }

    /// To the kernel it is a network that cannot be reached, which a transfer would wait for.
    @Test(arguments: [
        ("255.255.255.255", "broadcast"), ("127.255.255.255", "broadcast"), ("224.0.0.1", "multicast"),
        ("239.1.2.3", "multicast"), ("[ff02::1]", "multicast"), ("[fe80::1]", "link-local"),
        ("[::ffff:255.255.255.255]", "broadcast"),
    ])
    func anAddressOfNoServerIsToldForGood(host: String, kind: String) async throws {
        try await withTransport { transport in
            let problem = await problem { try await transport.fetch(.get("http://\(host)/")) }
            #expect(problem?.disposition == .permanent && problem?.failure.code == .networkUnreachable)
            #expect(problem?.failure.message.contains(" is a \(kind) address") == true)
            let proxy = try Proxy(parsing: "http://\(host):80")
            let behind = await FerryIOTests.problem {
                try await transport.fetch(.get("http://files.example/") { $0.proxy = proxy })
            }
            #expect(behind?.disposition == .permanent && behind?.failure.code == .proxyFailed)
        }
    }

    @Test func unknownNameIsToldAtOnce() async throws {
        try await withTransport { transport in
            // Every resolver knows without a query that no such name exists.
            let name = "-x.invalid"
            let problem = await problem { try await transport.fetch(.get("http://\(name)/")) }
            #expect(problem?.failure.code == .nameNotResolved)
            #expect(problem?.failure.message == "There is no host named \(name).")
            #expect(problem?.disposition == .transient(retryAfter: nil))
            #expect(problem?.isUnknownHost == true)
        }
    }

    @Test func aNameThatDoesNotResolveIsToldAtOnceWhoeverCanBeAsked() async throws {
        try await withTransport { transport in
            let problem = await problem { try await transport.fetch(.get("http://does-not-exist.invalid/")) }
            #expect(problem?.failure.code == .nameNotResolved)
            #expect(problem?.disposition == .transient(retryAfter: nil))
        }
    }

    @Test func silenceBeforeTheHeadTimesOut() async throws {
        try await withServer { connection in
            try await connection.readHead()
            await connection.waitUntilClosed()
        } _: { transport, server in
            let problem = await problem {
                try await transport.fetch(.get(server) { $0.idleTimeout = .milliseconds(200) })
            }
            #expect(problem == .transient(.timeout, "127.0.0.1:\(server.port) sent nothing for 0.2 s."))
        }
    }

    @Test func silenceAfterTheHeadTimesOut() async throws {
        try await withServer(
            answering: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n01234"
        ) { transport, server in
            let problem = await problem {
                try await transport.fetch(.get(server) { $0.idleTimeout = .milliseconds(200) })
            }
            #expect(problem?.failure.code == .timeout)
        }
    }

    @Test func bodyThatWeHoldBackDoesNotTimeOut() async throws {
        let gate = ThreadGate()
        let sink = MemorySink(gate: gate)
        let body = [UInt8](repeating: 7, count: 8_000_000)
        let clock = ManualStallClock()
        // The first part that waits for the disk holds the connection back.
        var plan = BufferPlan()
        plan.waitingBytes = 1
        try await withServer(buffers: plan, stallClock: clock.clock) { connection in
            try await connection.readHead()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 8000000\r\n\r\n")
            try await connection.send(body)
        } _: { transport, server in
            let count = try await perform {
                try await transport.fetch(.get(server) { $0.idleTimeout = .seconds(60) }, into: sink).count
            } meanwhile: {
                defer { gate.open() }
                try await gate.waitForArrival()
                for _ in 0..<3 { #expect(try await clock.advance(by: .seconds(120)) > 0) }
            }
            #expect(count == 8_000_000)
        }
    }

    @Test func serverThatSendsNothingForTheWholeTimeoutIsGivenUp() async throws {
        let asked = ThreadGate()
        let clock = ManualStallClock()
        try await withServer(stallClock: clock.clock) { connection in
            try await connection.readHead()
            asked.open()
            await connection.waitUntilClosed()
        } _: { transport, server in
            let silent = Problem.transient(.timeout, "127.0.0.1:\(server.port) sent nothing for 60 s.")
            await #expect(throws: silent) {
                try await perform {
                    try await transport.fetch(.get(server) { $0.idleTimeout = .seconds(60) })
                } meanwhile: {
                    try await asked.waitUntilOpen()
                    try await clock.waitForCheck()
                    #expect(try await clock.advance(by: .seconds(59)) == 0)
                    #expect(try await clock.advance(by: .seconds(1)) == 1)
                }
            }
        }
    }

    /// Nearly all timers would be set only to be cancelled.
    @Test func requestsOverOneConnectionShareItsTimer() async throws {
        let clock = ManualStallClock()
        try await withServer(stallClock: clock.clock) { connection in
            while true {
                try await connection.readHead()
                try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
        } _: { transport, server in
            for _ in 0..<5 { _ = try await transport.fetch(.get(server)) }
            #expect(clock.timersSet == 1)
            #expect(try await clock.advance(by: .seconds(3600)) == 1)
            _ = try await transport.fetch(.get(server))
            #expect(clock.timersSet == 2)
            #expect(server.connectionCount == 1, "an idle connection is not judged")
        }
    }

    @Test func serverBelowTheSpeedLimitIsGivenUp() async throws {
        try await withServer(
            answering: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n01234"
        ) { transport, server in
            let problem = await problem {
                try await transport.fetch(
                    .get(server) {
                        $0.lowSpeedLimit = 1000
                        $0.lowSpeedTime = .milliseconds(200)
                    }
                )
            }
            #expect(problem?.failure.code == .tooSlow)
        }
    }

    @Test func connectionThatIsClosedWithoutAnAnswerIsLost() async throws {
        try await withServer { connection in
            try await connection.readHead()
            await connection.close()
        } _: { transport, server in
            let problem = await problem { try await transport.fetch(.get(server)) }
            #expect(problem?.failure.code == .connectionLost)
            #expect(server.requests.count == 1, "nothing is sent twice")
        }
    }

    @Test func handshakeThatGetsNoAnswerTimesOut() async throws {
        try await withServer { connection in
            await connection.waitUntilClosed()
        } _: { transport, server in
            let problem = await problem {
                try await transport.fetch(
                    .get(server, scheme: "https") { $0.connectTimeout = .milliseconds(200) }
                )
            }
            #expect(problem?.failure.code == .timeout)
            let late = "127.0.0.1:\(server.port) took longer than 0.2 s"
            #expect(problem?.failure.message.contains(late) == true)
        }
    }
}
