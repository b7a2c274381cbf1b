import Glibc
import Testing

/// Against real servers: a killed download resumes, and every byte is right.
@Suite("Real servers", .limitedParallelism)
struct RealServerTests {
    static let content = Content(count: 6 * .mebibyte + 4321, seed: 11)

    @Test(
        "a download from nginx resumes after a kill",
        .enabled(if: Tool.nginx.isInstalled, "nginx is not installed")
    )
    func goesOnWithNginx() async throws {
        try await goesOn(with: Nginx())
    }

    @Test(
        "a download from Apache httpd resumes after a kill",
        .enabled(if: Tool.apache.isInstalled, "Apache httpd is not installed")
    )
    func goesOnWithApache() async throws {
        try await goesOn(with: Apache())
    }

    @Test(
        "a download from lighttpd resumes after a kill",
        .enabled(if: Tool.lighttpd.isInstalled, "lighttpd is not installed")
    )
    func goesOnWithLighttpd() async throws {
        try await goesOn(with: Lighttpd())
    }

    @Test(
        "a download from Caddy resumes after a kill",
        .enabled(if: Tool.caddy.isInstalled, "Caddy is not installed")
    )
    func goesOnWithCaddy() async throws {
        try await goesOn(with: Caddy())
    }

    @Test(
        "a download from a server without ranges starts over after a kill and ends whole",
        .enabled(if: Tool.python.isInstalled, "Python is not installed")
    )
    func startsOverWithoutRanges() async throws {
        try await goesOn(with: PythonHTTPServer(), knowsRanges: false)
    }

    /// Kills ferry after half of the answer, and runs the same command again.
    private func goesOn(with kind: any ServerKind, knowsRanges: Bool = true) async throws {
        try await Sandbox.open { sandbox in
            let content = Self.content
            try sandbox.publish(content, as: "file.bin")
            let server = try await sandbox.start(kind)
            let half = 3 * Int.mebibyte
            try await Relay.run(to: server, holdingAfter: [half]) { relay in
                let line = ["get", "-x", "1", relay.url("file.bin")]
                let first = try sandbox.launch(line)
                try await relay.holds()
                let seen = try await sandbox.transferBecomes("half done") { $0.received > half - .mebibyte }
                #expect(seen.state == "active")
                #expect(seen.process == Int(first.pid))
                #expect(seen.total == content.count)
                first.send(SIGKILL)
                #expect(try await first.outcome().exit == .signal(SIGKILL))
                #expect(try sandbox.fileNames() == ["file.bin.part"])
                let before = relay.passed

                let second = try await sandbox.launch(line).outcome()
                second.expect(0)
                try sandbox.expectOnly("file.bin", content)
                let fetched = relay.passed - before
                if knowsRanges {
                    // All recorded bytes are kept. Heads, and the overlap for weak validators, are sent in addition.
                    #expect(fetched < content.count - seen.received + 128 * .kibibyte)
                } else {
                    #expect(fetched >= content.count)
                }
                let end = try await sandbox.transfers()
                #expect(end.map(\.state) == ["completed"])
            }
        }
    }
}
