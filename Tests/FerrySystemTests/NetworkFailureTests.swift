import Testing

/// Networks that fail before a server can answer, or in the middle.
@Suite("Network failures", .berths)
struct NetworkFailureTests {
    @Test("a name that does not resolve ends with 19 and says which")
    func nameNotResolved() async throws {
        try await Harbour.open { harbour in
            let outcome = try await harbour.ferry("get", "--retries", "0", "http://no-such-host.invalid/file")
            outcome.expect(19)
            #expect(outcome.errors.contains("no-such-host.invalid"))
            #expect(try harbour.ashore() == [])
        }
    }

    @Test("a port where nobody listens ends with 6")
    func connectionRefused() async throws {
        try await Harbour.open { harbour in
            let port = try FreePort.find()
            let outcome = try await harbour.ferry("get", "--retries", "0", "http://127.0.0.1:\(port)/file")
            outcome.expect(6)
            #expect(outcome.errors.contains("\(port)") || outcome.errors.contains("127.0.0.1"))
            #expect(try harbour.ashore() == [])
        }
    }

    @Test("a server that falls silent ends with 2 once the timeout has passed, and what came is kept")
    func stalledServer() async throws {
        let content = Content(count: 500_000, seed: 61)
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(content, tag: "\"a\"", to: request)
            if request.ordinal == 1 { reply.cut = .init(bytes: 200_000, then: .stall) }
            return reply
        } _: { server in
            try await Harbour.open { harbour in
                let line = ["get", "--retries", "0", "--timeout", "1", server.url("file.bin")]
                try await harbour.launch(line).outcome().expect(2)
                #expect(try harbour.ashore() == ["file.bin.part"])
                try await harbour.launch(line).outcome().expect(0)
                try harbour.expectOnly("file.bin", content)
                #expect(server.requests.last?.rangeStart == 200_000)
            }
        }
    }

    @Test("a server that accepts and says nothing ends with 2")
    func silentServer() async throws {
        try await ScriptedServer.run { _ in
            ScriptedReply(body: [0], cut: .init(bytes: 0, then: .stall))
        } _: { server in
            try await Harbour.open { harbour in
                try await harbour.ferry("get", "--retries", "0", "--timeout", "1", server.url("file.bin"))
                    .expect(2)
            }
        }
    }

    @Test("an answer that ends before its length is no success")
    func shortAnswer() async throws {
        let content = Content(count: 100_000, seed: 62)
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(content, tag: "\"a\"", to: request)
            reply.cut = .init(bytes: 1000, then: .hangUp)
            return reply
        } _: { server in
            try await Harbour.open { harbour in
                try await harbour.ferry("get", "--retries", "0", server.url("file.bin")).expect(6)
                #expect(!(try harbour.ashore().contains("file.bin")))
            }
        }
    }

    @Test("chunks that break off are no success")
    func brokenChunks() async throws {
        let content = Content(count: 100_000, seed: 63)
        try await ScriptedServer.run { request in
            ScriptedReply(
                body: Array(content.bytes),
                framing: .chunked,
                cut: .init(bytes: 50_000, then: .hangUp)
            )
        } _: { server in
            try await Harbour.open { harbour in
                try await harbour.ferry("get", "--retries", "0", server.url("file.bin")).expect(6)
                #expect(!(try harbour.ashore().contains("file.bin")))
            }
        }
    }
}
