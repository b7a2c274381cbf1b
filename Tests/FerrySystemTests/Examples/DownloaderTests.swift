import Glibc
import Testing

/// The example of a download that resumes after any interruption.
@Suite("The downloader", .limitedParallelism)
struct DownloaderTests {
    /// Too small to be divided, so no second connection fetches the bytes that the first one holds back.
    static let content = Content(count: 3 * .mebibyte / 2, seed: 611)
    static let half = 3 * Int.mebibyte / 4

    /// Runs `body` with a download whose first answer stalls half-way, after these bytes are recorded.
    private func withHalf(
        _ body: @escaping @Sendable (Sandbox, ScriptedServer, ChildProcess) async throws -> Void
    ) async throws {
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(Self.content, tag: "\"a\"", to: request)
            if request.ordinal == 1 { reply.cut = .init(bytes: Self.half, then: .stall) }
            return reply
        } _: { sandbox, server in
            let downloader = try sandbox.launchExample("Downloader", [server.url("file.bin")])
            try await downloader.says("768.0 KiB of 1.5 MiB, ")
            try await sandbox.exampleRecords(Self.half)
            try await body(sandbox, server, downloader)
        }
    }

    private func expectWhole(_ sandbox: Sandbox, _ server: ScriptedServer) throws {
        #expect(try sandbox.fileNamesBesideStore() == ["file.bin"])
        #expect(Self.content.isWhole(at: sandbox.path(of: "file.bin")))
        // No byte was fetched twice.
        #expect(server.requests.dropFirst().allSatisfy { $0.rangeStart ?? 0 >= Self.half })
    }

    @Test("after a kill and a new start, it resumes at the same byte and says so")
    func survivesKill() async throws {
        try await withHalf { sandbox, server, downloader in
            downloader.send(SIGKILL)
            #expect(try await downloader.outcome().exit == .signal(SIGKILL))
            let again = try sandbox.launchExample("Downloader", [server.url("file.bin")])
            let outcome = try await again.outcome()
            outcome.expect(0)
            #expect(outcome.output.contains("Resumed at 768.0 KiB: ETag matched."), "\(outcome.output)")
            #expect(outcome.output.hasSuffix("\(sandbox.path(of: "file.bin")) is whole: 1.5 MiB.\n"))
            try expectWhole(sandbox, server)
        }
    }

    @Test("in the background it keeps its bytes and shows that it waits, and in the foreground it resumes")
    func waitsInTheBackground() async throws {
        try await withHalf { sandbox, server, downloader in
            downloader.send(SIGUSR1)
            try await downloader.says("768.0 KiB of 1.5 MiB kept: waiting for the application")
            #expect(server.requests.count == 1)
            downloader.send(SIGUSR2)
            try await downloader.outcome().expect(0)
            try expectWhole(sandbox, server)
        }
    }

    @Test("a missing file is reported once")
    func nothingThere() async throws {
        try await ScriptedServer.run { _ in
            ScriptedReply(status: 404)
        } _: { sandbox, server in
            let outcome = try await sandbox.launchExample("Downloader", [server.url("none")]).outcome()
            #expect(outcome.exit == .status(1))
            let said = outcome.output + outcome.errors
            #expect(
                said.ranges(of: "There is nothing at").count == 1 && !said.contains("ferry "),
                "\(said)"
            )
        }
    }

    @Test(
        "it shows that it waits for a lost network, and resumes at the same byte",
        .enabled(if: Tool.nginx.isInstalled, "nginx is not installed"),
        .enabled(if: VirtualNetwork.isAllowed, "network namespaces are not allowed here")
    )
    func waitsForTheNetwork() async throws {
        try await Sandbox.open { sandbox in
            let content = Content(count: 16 * .mebibyte, seed: 612)
            try sandbox.publish(content, as: "file.bin")
            let network = try await VirtualNetwork.open(in: sandbox)
            // The download takes seconds with any number of connections.
            let server = try await network.serve(partsPerSecond: "512k")
            let downloader = try network.launch(
                .near,
                Repository.built("Downloader"),
                [server.url("file.bin")]
            )
            try await downloader.says("MiB of 16.0 MiB, ")
            try await network.ip(.near, "link set near0 down")
            try await downloader.says("kept: waiting for the network")
            try await network.ip(.near, "link set near0 up")
            try await downloader.outcome().expect(0)
            #expect(content.isWhole(at: sandbox.path(of: "file.bin")))
            // No request started over.
            #expect(server.arrivals.count { $0.start == 0 } == 1)
        }
    }
}
