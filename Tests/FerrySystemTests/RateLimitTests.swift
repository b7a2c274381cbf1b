import Glibc
import Testing

/// Limits of the download rate.
@Suite("Rate limits", .limitedParallelism)
struct RateLimitTests {
    /// Runs `body` with a server that has the content at each path.
    private func serving(
        _ content: Content,
        _ body: (Sandbox, ScriptedServer) async throws -> Void
    ) async throws {
        try await ScriptedServer.run(with: body) { .serving(content, tag: "\"v1\"", to: $0) }
    }

    @Test("all downloads of a command share its rate limit")
    func together() async throws {
        let content = Content(count: .mebibyte, seed: 141)
        try await serving(content) { sandbox, server in
            let urls = ["a.bin", "b.bin", "c.bin"].map(server.url)
            let begin = ContinuousClock.now
            let process = try sandbox.launch(["get", "--limit-rate", "1M"] + urls)
            try await process.outcome().expect(0)
            #expect(ContinuousClock.now - begin >= .seconds(3 * 0.95))
            #expect(try sandbox.fileNames() == ["a.bin", "b.bin", "c.bin"])
            #expect(content.isWhole(at: sandbox.path(of: "b.bin")))
        }
    }

    @Test("if the rate limit sets the speed, no more connections are opened")
    func oneConnection() async throws {
        let content = Content(count: 8 * .mebibyte, seed: 144)
        try await serving(content) { sandbox, server in
            let url = server.url("file.bin")
            try await sandbox.ferry("get", "-x", "8", "--limit-rate", "3M", url).expect(0)
            try sandbox.expectOnly("file.bin", content)
            #expect(server.requests.count == 1)
        }
    }

    @Test("the received bytes never exceed the rate limit")
    func atAnyTime() async throws {
        try await serving(Content(count: 64 * .mebibyte, seed: 142)) { sandbox, server in
            let begin = ContinuousClock.now
            let process = try sandbox.launch(["get", "--limit-rate", "512K", server.url("file.bin")])
            try await sandbox.transferBecomes("begun") { $0.received > 0 }
            // Each connection may be one read ahead, which started before the connection knew the limit.
            let ahead = Int.mebibyte
            for _ in 0..<5 {
                let transfer = try #require(try await sandbox.transfers().first)
                let seconds = (ContinuousClock.now - begin) / .seconds(1)
                #expect(transfer.received <= ahead + Int(seconds * 524_288), "after \(seconds) s")
            }
            process.send(SIGINT)
            try await process.outcome().expect(7)
        }
    }

    /// Expects that a download with a slow limit of its own, which a process runs, completes in one request after
    /// `lift` has lifted the limit.
    private func expectCompletion(
        _ lift: (Sandbox, ListedTransfer, _ url: String) async throws -> Void
    ) async throws {
        let content = Content(count: 8 * .mebibyte, seed: 143)
        try await serving(content) { sandbox, server in
            let url = server.url("file.bin")
            // A slow machine would otherwise add connections once the limit is lifted.
            try await sandbox.ferry("add", "-x", "1", "--limit-rate", "1K", url).expect(0)
            let runner = try sandbox.launch(["run"])
            let active = try await sandbox.transferBecomes("begun") { $0.received > 0 }
            #expect(active.received < 4 * .mebibyte)
            try await lift(sandbox, active, url)
            try await runner.outcome().expect(0)
            try sandbox.expectOnly("file.bin", content)
            #expect(server.requests.count == 1)
        }
    }

    @Test(
        "a transfer's own limit holds in any process, and can be lifted during a request"
    )
    func edited() async throws {
        try await expectCompletion { sandbox, active, _ in
            try await sandbox.ferry("edit", "\(active.id)", "--limit-rate", "2K").expect(0)
            #expect(try await sandbox.transfers().map(\.state) == ["active"])
            try await sandbox.ferry("edit", "\(active.id)", "--limit-rate", "off").expect(0)
        }
    }

    @Test("a repeated line lifts the limit of a download that runs, and says which limit it does not lift")
    func repeated() async throws {
        try await expectCompletion { sandbox, active, url in
            let follower = try await sandbox.launch(["get", "--limit-rate", "off", url]).outcome()
            follower.expect(0)
            #expect(follower.errors.contains("--limit-rate off does not lift"), "\(follower)")
            #expect(follower.errors.contains("`ferry pause \(active.id)`"), "\(follower)")
        }
    }

    @Test("an invalid rate is refused without a request", arguments: ["fast", "1", "08:00"])
    func refused(_ rate: String) async throws {
        try await Sandbox.open { sandbox in
            for words in [
                ["get", "http://127.0.0.1:1/x"], ["run"], ["add", "http://127.0.0.1:1/x"], ["edit", "1"],
            ] {
                let outcome = try await sandbox.launch(words + ["--limit-rate", rate]).outcome()
                outcome.expect(64)
                #expect(outcome.errors.contains("--limit-rate"), "\(outcome.errors)")
            }
        }
    }
}
