import Foundation
import Glibc
import Testing

/// One file over several connections, with the real binary. What a hostile server does to them stands in
/// Scenarios/parallel.txt.
@Suite("Several connections", .limitedParallelism)
struct ParallelTests {
    /// What of a part may be on its way when its connection is ended, or its process.
    static let inFlight = 256 * Int.kibibyte

    private func sum(_ requests: [LoggedRequest]) -> Int { requests.reduce(0) { $0 + $1.sent } }

    @Test(
        "a server that is slow for each connection is asked for several parts, and sends little twice",
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
            // A second connection is always tried. Whether a third follows depends on the speed that was measured, which on a
            // busy machine need not have grown with the second.
            #expect(requests.count >= 2 && requests.contains { $0.status == 206 }, "\(requests)")
            #expect(sum(requests) <= content.count + requests.count * Self.inFlight, "\(requests)")
        }
    }

    @Test(
        "sixteen parts under way are gone on with after a kill or an interruption, and little is sent again",
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
            // There are sixteen before anything is recorded for the first time.
            try await sandbox.transferBecomes("recorded") { $0.received > 0 }
            try await server.serves(16) { process.hasEnded }
            process.send(signal)
            let first = try await process.outcome()
            #expect(first.exit == (signal == SIGKILL ? .signal(SIGKILL) : .status(7)), "\(first.errors)")
            #expect(try sandbox.fileNames() == ["file.bin.part"])

            let kept = try #require(try await sandbox.transfers().first)
            #expect(kept.total == content.count && kept.received > 0 && kept.received < content.count)
            #expect(kept.durable <= kept.received)
            try await server.becomesIdle()
            #expect(kept.received <= sum(server.requests))
            let shown = try await sandbox.ferry("show", "\(kept.id)", "--json")
            shown.expect(0)
            #expect(shown.output.contains("\"received\":\(kept.received)"), "\(shown.output)")

            let second = try await sandbox.launch(line).outcome()
            second.expect(0)
            // Once, however many gaps there are.
            #expect(second.errors.components(separatedBy: "Resumed at").count == 2, "\(second.errors)")
            try sandbox.expectOnly("file.bin", content)
            try await server.becomesIdle()
            let requests = server.requests
            // Half a second between two records at most, and another one for a machine that is busy.
            let again = signal == SIGKILL ? 16 * rate : 0
            #expect(
                sum(requests) <= content.count + again + requests.count * Self.inFlight,
                "\(requests.count) requests"
            )
        }
    }

    @Test("a server that refuses more than so many is asked by so many, the next time from the beginning")
    func remembersTheLimit() async throws {
        let version = ScenarioVersion(content: Content(count: 10_000_000, seed: 403), tag: "\"a\"")
        // So much faster with each more that a busy machine sees it, too.
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
            // The server may not have seen yet that one has gone when the next one comes.
            #expect(second.refused <= 1, "\(second)")
        }
    }

    @Test("where more connections bring less, there are soon fewer")
    func goesBack() async throws {
        let version = ScenarioVersion(content: Content(count: 24_000_000, seed: 404), tag: "\"a\"")
        let site = PacedSite(version) { served in served > 2 ? 100_000 : 2_000_000 }
        let server = try ScriptedServer(playing: site.answer)
        defer { server.stop() }
        try await Sandbox.open { sandbox in
            try await sandbox.ferry("get", server.url("file.bin")).expect(0)
            try sandbox.expectOnly("file.bin", version.content)
            let ledger = site.ledger()
            // How many are tried depends on how fast the machine is; that more than two are does not.
            #expect(ledger.mostServed > 2, "\(ledger)")
            #expect(try #require(ledger.sentWhenHalved) < version.content.count * 3 / 4, "\(ledger)")
        }
    }

    @Test(
        "a disk that fills up under several connections is waited for, and nothing is lost",
        .enabled(if: SmallDisk.isAllowed, "this user may not mount a file system")
    )
    func fillsUp() async throws {
        let version = ScenarioVersion(content: Content(count: 12_000_000, seed: 405), tag: "\"a\"")
        // The first answer does not say how long it is, so that no room can be reserved, and breaks off.
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
