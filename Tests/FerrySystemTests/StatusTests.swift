import Testing

/// What a server's answer becomes: the exit status, and what is left behind.
@Suite("Answers of servers", .berths)
struct StatusTests {
    /// What a server answers, and the status that ferry ends with.
    static let final: [(status: Int, exit: Int32)] = [
        (400, 22), (401, 24), (403, 24), (404, 3), (405, 22), (410, 3), (451, 22), (505, 22),
    ]

    @Test("a final answer ends the download at once, with its own exit status", arguments: final.indices)
    func finalAnswers(_ index: Int) async throws {
        let (status, exit) = Self.final[index]
        try await ScriptedServer.run { _ in
            ScriptedReply(status: status, body: Array("<h1>no</h1>".utf8))
        } _: { server in
            try await Harbour.open { harbour in
                let outcome = try await harbour.ferry("get", "--retries", "0", server.url("file.bin"))
                outcome.expect(exit)
                #expect(outcome.errors.contains("\(status)"), "the status is not named: \(outcome.errors)")
                #expect(try harbour.ashore() == [])
                #expect(server.requests.count == 1)
            }
        }
    }

    @Test(
        "an answer that forbids is not asked for again, however many retries are allowed",
        arguments: [401, 403, 404, 410]
    )
    func finalAnswersAreNotRetried(_ status: Int) async throws {
        try await ScriptedServer.run { _ in
            ScriptedReply(status: status)
        } _: { server in
            try await Harbour.open { harbour in
                let outcome = try await harbour.ferry("get", "--retries", "5", server.url("file.bin"))
                #expect([3, 24].contains(outcome.status))
                #expect(server.requests.count == 1)
            }
        }
    }

    @Test("a busy or failing server is asked again", arguments: [429, 500, 502, 503, 504])
    func transientAnswersAreRetried(_ status: Int) async throws {
        let content = Content(count: 50_000, seed: 51)
        try await ScriptedServer.run { request in
            guard request.ordinal > 1 else {
                return ScriptedReply(status: status, fields: [("Retry-After", "1")])
            }
            return .serving(content, tag: "\"a\"", to: request)
        } _: { server in
            try await Harbour.open { harbour in
                try await harbour.ferry("get", server.url("file.bin")).expect(0)
                try harbour.expectOnly("file.bin", content)
                #expect(server.requests.count == 2)
            }
        }
    }

    @Test("the time that a server asks for is waited")
    func retryAfterIsHonoured() async throws {
        let content = Content(count: 1000, seed: 52)
        try await ScriptedServer.run { request in
            guard request.ordinal > 1 else {
                return ScriptedReply(status: 429, fields: [("Retry-After", "1")])
            }
            return .serving(content, tag: "\"a\"", to: request)
        } _: { server in
            try await Harbour.open { harbour in
                // A lower bound: however slow the machine, it never takes less.
                let began = ContinuousClock.now
                try await harbour.ferry("get", server.url("file.bin")).expect(0)
                #expect(ContinuousClock.now - began >= .milliseconds(990))
            }
        }
    }

    @Test(
        "a server that stays busy or broken ends with its own exit status",
        arguments: [(429, 29), (503, 29), (500, 22)]
    )
    func persistentFailures(_ status: Int, _ exit: Int32) async throws {
        try await ScriptedServer.run { _ in
            ScriptedReply(status: status)
        } _: { server in
            try await Harbour.open { harbour in
                try await harbour.ferry("get", "--retries", "1", server.url("file.bin")).expect(exit)
                #expect(server.requests.count == 2)
                #expect(try harbour.ashore() == [])
            }
        }
    }

    @Test("an answer that breaks off is continued from where it broke")
    func brokenAnswersAreContinued() async throws {
        let content = Content(count: 900_000, seed: 53)
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(content, tag: "\"a\"", to: request)
            if request.ordinal <= 2 { reply.cut = .init(bytes: 300_000, then: .hangUp) }
            return reply
        } _: { server in
            try await Harbour.open { harbour in
                try await harbour.ferry("get", server.url("file.bin")).expect(0)
                try harbour.expectOnly("file.bin", content)
                #expect(server.requests.map { $0.rangeStart ?? 0 } == [0, 300_000, 600_000])
                #expect(server.requests.dropFirst().allSatisfy { $0["if-range"] == "\"a\"" })
            }
        }
    }

    @Test("an empty answer to a GET of a resource is an empty file, and no content at all is refused")
    func noContent() async throws {
        try await ScriptedServer.run { _ in
            ScriptedReply(status: 204)
        } _: { server in
            try await Harbour.open { harbour in
                let outcome = try await harbour.ferry("get", "--retries", "0", server.url("file.bin"))
                #expect(outcome.status != 0)
                #expect(try harbour.ashore() == [])
            }
        }
    }

    @Test("a login page in the place of the rest of a file neither replaces nor spoils what is there")
    func loginPage() async throws {
        let content = Content(count: 900_000, seed: 54)
        let page = Array("<html>Welcome to our hotel</html>".utf8)
        try await ScriptedServer.run { request in
            if request.ordinal == 2 {
                return ScriptedReply(fields: [("Content-Type", "text/html")], body: page)
            }
            var reply = ScriptedReply.serving(content, tag: "\"a\"", to: request)
            reply.fields.append(("Content-Type", "application/octet-stream"))
            if request.ordinal == 1 { reply.cut = .init(bytes: 300_000, then: .hangUp) }
            return reply
        } _: { server in
            try await Harbour.open { harbour in
                try await harbour.ferry("get", server.url("file.bin")).expect(0)
                try harbour.expectOnly("file.bin", content)
                #expect(server.requests.last?.rangeStart == 300_000)
            }
        }
    }

    @Test("a range that is not the one asked for is never written")
    func wrongRange() async throws {
        let content = Content(count: 900_000, seed: 55)
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(content, tag: "\"a\"", to: request)
            if request.ordinal == 1 { reply.cut = .init(bytes: 300_000, then: .hangUp) }
            if request.ordinal == 2 {
                reply.fields.removeAll { $0.name == "Content-Range" }
                reply.fields.append(("Content-Range", "bytes 299999-899999/900000"))
                reply.body.insert(0, at: 0)
            }
            return reply
        } _: { server in
            try await Harbour.open { harbour in
                let outcome = try await harbour.ferry("get", "--retries", "3", server.url("file.bin"))
                if outcome.status == 0 {
                    try harbour.expectOnly("file.bin", content)
                } else {
                    #expect(!(try harbour.ashore().contains("file.bin")))
                }
            }
        }
    }
}
