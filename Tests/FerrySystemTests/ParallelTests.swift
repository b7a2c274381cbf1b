import Foundation
import Glibc
import Testing

/// One file over several connections, with the real binary. Scenarios/parallel.txt has the tests with hostile servers.
@Suite("Several connections", .limitedParallelism)
struct ParallelTests {
    /// The bytes of a part that may be in flight when its connection or its process ends.
    static let inFlight = 256 * Int.kibibyte

    private func sum(_ requests: [LoggedRequest]) -> Int { requests.reduce(0) { $0 + $1.sent } }

    @Test(
        "a server with a slow rate per connection gets requests for several parts, and sends few bytes twice",
        .enabled(if: Tool.nginx.isInstalled, "nginx is not installed")
    )
    func fetchesParts() async throws {
        let content = Content(count: 16 * .mebibyte + 12_345, seed: 401)
        try await Sandbox.open { sandbox in
            try sandbox.publish(content, as: "file.bin")
            let server = try await sandbox.start(Nginx(), ServerOptions(bytesPerSecond: 2 * .mebibyte))
            try await sandbox.ferry("get", server.url("file.bin")).expect(0)
            try sandbox.expectOnly("file.bin", content)
            try await server.becomesIdle()
            let requests = server.requests
            // Ferry always tries a second connection. Whether a third follows depends on the measured speed, and on a busy
            // machine the second connection may not have increased it.
            #expect(requests.count >= 2 && requests.contains { $0.status == 206 }, "\(requests)")
            #expect(sum(requests) <= content.count + requests.count * Self.inFlight, "\(requests)")
        }
    }

    @Test(
        "sixteen parts resume after a kill or an interruption, and few bytes are sent again",
        .enabled(if: Tool.nginx.isInstalled, "nginx is not installed"),
        arguments: [SIGKILL, SIGINT]
    )
    func goesOnWithAllParts(_ signal: Int32) async throws {
        let rate = 1 * Int.mebibyte
        let content = Content(count: 96 * .mebibyte + 54_321, seed: 402)
        try await Sandbox.open { sandbox in
            try sandbox.publish(content, as: "file.bin")
            let server = try await sandbox.start(Nginx(), ServerOptions(bytesPerSecond: rate))
            let line = ["get", "-x", "16", server.url("file.bin")]
            let process = try sandbox.launch(line)
            // All sixteen connections are open before anything is recorded.
            try await sandbox.transferBecomes("recorded") { $0.received > 0 }
            try await server.serves(16) { process.hasEnded }
            process.send(signal)
            let first = try await process.outcome()
            #expect(first.exit == (signal == SIGKILL ? .signal(SIGKILL) : .status(7)), "\(first.errors)")
            #expect(try sandbox.fileNames() == ["file.bin.part"])

            let kept = try #require(try await sandbox.transfers().first)
            #expect(kept.total == content.count && kept.received > 0 && kept.received < content.count)
            #expect(try #require(kept.durable) <= kept.received)
            try await server.becomesIdle()
            #expect(kept.received <= sum(server.requests))
            let shown = try await sandbox.ferry("show", "\(kept.id)", "--json")
            shown.expect(0)
            #expect(shown.output.contains("\"received\":\(kept.received)"), "\(shown.output)")

            let second = try await sandbox.launch(line).outcome()
            second.expect(0)
            // The message comes once, for any number of gaps.
            #expect(second.errors.components(separatedBy: "Resumed at").count == 2, "\(second.errors)")
            try sandbox.expectOnly("file.bin", content)
            try await server.becomesIdle()
            let requests = server.requests
            // Up to half a second between two records, and as much again for a busy machine.
            let again = signal == SIGKILL ? 16 * rate : 0
            #expect(
                sum(requests) <= content.count + again + requests.count * Self.inFlight,
                "\(requests.count) requests"
            )
        }
    }

    @Test("a server's connection limit is kept, and the next download starts with it")
    func remembersTheLimit() async throws {
        let version = ScenarioVersion(content: Content(count: 10_000_000, seed: 403), tag: "\"a\"")
        // Each connection adds so much speed that even a busy machine measures it.
        let site = PacedSite(version, limit: 3) { served in served * served * 100_000 }
        let server = try ScriptedServer(playing: site.answer)
        defer { server.stop() }
        try await Sandbox.open { sandbox in
            try await sandbox.ferry("get", "--retries", "0", server.url("first.bin")).expect(0)
            try sandbox.expectOnly("first.bin", version.content)
            let first = site.ledger()
            #expect(first.mostServed == 3 && first.refused > 0, "\(first)")
            try FileManager.default.removeItem(atPath: sandbox.path(of: "first.bin"))

            try await sandbox.ferry("get", "--retries", "0", server.url("second.bin")).expect(0)
            try sandbox.expectOnly("second.bin", version.content)
            let second = site.ledger()
            #expect(second.mostServed >= 2, "\(second)")
            // The server may not have noticed the end of one connection when the next arrives.
            #expect(second.refused <= 1, "\(second)")
        }
    }

    @Test("if more connections are slower, ferry soon uses fewer")
    func goesBack() async throws {
        let version = ScenarioVersion(content: Content(count: 24_000_000, seed: 404), tag: "\"a\"")
        // The second connection adds so much speed that even a busy machine measures it, and more of them take it away.
        let site = PacedSite(version) { served in served > 2 ? 50_000 : served * served * served * 250_000 }
        let server = try ScriptedServer(playing: site.answer)
        defer { server.stop() }
        try await Sandbox.open { sandbox in
            try await sandbox.ferry("get", server.url("file.bin")).expect(0)
            try sandbox.expectOnly("file.bin", version.content)
            let ledger = site.ledger()
            // The number of attempts depends on the speed of the machine, but it is always more than two.
            #expect(ledger.mostServed > 2, "\(ledger)")
            #expect(try #require(ledger.sentWhenHalved) < version.content.count * 3 / 4, "\(ledger)")
        }
    }

    @Test(
        "with several connections, a transfer waits for space on a full disk and loses nothing",
        .enabled(if: SmallDisk.isAllowed, "this user may not mount a file system")
    )
    func fillsUp() async throws {
        let version = ScenarioVersion(content: Content(count: 12_000_000, seed: 405), tag: "\"a\"")
        // The first answer has no length, so ferry cannot reserve space, and it breaks off.
        let server = try ScriptedServer(playing: { connection, request in
            let isFirst = request.ordinal == 1
            let honest = HonestAnswer(version: "", flaws: isFirst ? [.chunked] : [])
            let (head, range) = honest.answer(to: request, with: version)
            guard connection.send(Array((head + "\r\n").utf8)) else { return .closes }
            guard isFirst else {
                return connection.send(version.content.bytes[range], bytesPerSecond: 1_000_000)
                    ? .stays : .closes
            }
            _ = connection.send(Array("30d40\r\n".utf8) + version.content.bytes[..<200_000] + [13, 10])
            return .closes
        })
        defer { server.stop() }
        try await Sandbox.open { sandbox in
            try await SmallDisk.run(at: sandbox.path(of: "disk"), kibibytes: 6_144) { disk in
                let line = ["get", "--retries", "0", "-d", "disk", server.url("file.bin")]
                try await sandbox.launch(line).outcome().expect(6)
                let full = try await sandbox.launch(line).outcome()
                full.expect(7)
                #expect(full.errors.contains("full"), "\(full.errors)")
                let waiting = try #require(try await sandbox.transfers().first)
                #expect(waiting.state == "waiting" && waiting.received > 5_000_000, "\(waiting)")
                #expect(server.requests.count > 3, "one connection is not several")
                try disk.resize(kibibytes: 16_384)
                try await sandbox.launch(line).outcome().expect(0)
                let names = try FileManager.default.contentsOfDirectory(atPath: disk.path)
                #expect(names == ["file.bin"] && version.content.isWhole(at: disk.path + "/file.bin"))
            }
        }
    }
}
