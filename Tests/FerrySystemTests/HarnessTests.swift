import Testing

/// The harness keeps its word: else the other suites would prove nothing.
@Suite("Harness", .limitedParallelism)
struct HarnessTests {
    static let kinds: [any ServerKind] = [Nginx(), Apache(), Lighttpd(), Caddy(), PythonHTTPServer()]

    @Test("serves and stops every kind of server", arguments: kinds.indices)
    func servesAndStops(_ index: Int) async throws {
        let kind = Self.kinds[index]
        try #require(kind.tool.isInstalled, "\(kind.name) is not installed")
        try await Sandbox.open { sandbox in
            let content = Content(count: 10_000)
            try sandbox.publish(content, as: "file.txt")
            let server = try await sandbox.start(kind)
            let fetched = try await sandbox.shell("curl -sSf -o got '\(server.url("file.txt"))'")
            #expect(fetched.status == 0, "\(fetched.errors)")
            #expect(content.isWhole(at: sandbox.path(of: "got")))
            let port = server.port
            await server.stop()
            #expect(!FreePort.isAnswered(port))
            try await server.start()
            #expect(server.port == port)
        }
    }

    @Test("nginx logs the bytes that it sent, even of a broken download")
    func nginxLogsWhatItSent() async throws {
        try await Sandbox.open { sandbox in
            let content = Content(count: 4 * .mebibyte)
            try sandbox.publish(content, as: "file.bin")
            let server = try await sandbox.start(Nginx(), ServerOptions(bytesPerSecond: 1 * .mebibyte))
            let curl = try sandbox.launch(
                executable: try Tool("curl").requiredPath(),
                ["-sS", "-o", "got", server.url("file.bin")]
            )
            try await Deadline.wait(for: "curl to have written something") {
                (curl.bytesWritten ?? 0) > 256 * .kibibyte
            }
            curl.send(9)
            let outcome = try await curl.outcome()
            #expect(outcome.exit == .signal(9))
            try await server.becomesIdle()
            let request = try #require(server.requests.first)
            #expect(request.sent >= 256 * .kibibyte)
            #expect(request.sent < content.count)
        }
    }

    @Test("a scripted server answers ranges, chunks and breaks as told")
    func scriptedServerAnswersAsTold() async throws {
        let content = Content(count: 50_000)
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(content, tag: "\"one\"", to: request)
            if request.path == "/chunked" { reply.framing = .chunked }
            if request.path == "/broken" { reply.cut = .init(bytes: 1000, then: .hangUp) }
            return reply
        } _: { sandbox, server in
            let ranged = try await sandbox.shell("curl -sSf -r 100-199 -o part '\(server.url("file"))'")
            #expect(ranged.status == 0)
            #expect(Content(bytes: content.bytes[100..<200]).isWhole(at: sandbox.path(of: "part")))
            let chunked = try await sandbox.shell("curl -sSf -o all '\(server.url("chunked"))'")
            #expect(chunked.status == 0)
            #expect(content.isWhole(at: sandbox.path(of: "all")))
            let broken = try await sandbox.shell("curl -sSf -o some '\(server.url("broken"))'")
            #expect(broken.status == 18)
            #expect(server.requests.count == 3)
        }
    }
}
