import Foundation
import Glibc
import Testing

/// SIGHUP makes a service read its configuration again.
@Suite(
    "Reading the configuration again",
    .limitedParallelism,
    .enabled(if: Tool.nginx.isInstalled, "nginx is not installed")
)
struct ReloadTests {
    static let content = Content(count: 4 * .mebibyte, seed: 521)

    @Test("a new rate limit applies to running transfers at once")
    func rate() async throws {
        try await Sandbox.open { sandbox in
            try sandbox.publish(Self.content, as: "file.bin")
            let server = try await sandbox.start(Nginx())
            // At this rate it would take more than an hour.
            try sandbox.configure("{\"limit-rate\": \"1024\"}")
            let (service, manager) = try await sandbox.serve()
            defer { manager.stop() }
            try await sandbox.ferry("add", server.url("file.bin")).expect(0)
            try await sandbox.transferBecomes("begun") { $0.received > 0 }
            try sandbox.configure("{\"limit-rate\": \"off\"}")
            service.send(SIGHUP)
            try await sandbox.transferBecomes("completed") { $0.state == "completed" }
            try sandbox.expectOnly("file.bin", Self.content)
            try await manager.hears("RELOADING=1")
            try await manager.hears("READY=1", times: 2)
            #expect(service.errorsSoFar.contains("limit-rate is now off"), "\(service.errorsSoFar)")
            service.send(SIGTERM)
            try await service.outcome().expect(0)
        }
    }

    @Test(
        "a broken file is reported and changes nothing; a repaired one with more jobs starts more transfers at once"
    )
    func brokenFile() async throws {
        try await Sandbox.open { sandbox in
            try sandbox.publish(Self.content, as: "file.bin")
            let server = try await sandbox.start(Nginx())
            try await Relay.run(to: server, holdingAfter: [2 * .mebibyte]) { relay in
                try sandbox.configure("{\"jobs\": 1}")
                let (service, manager) = try await sandbox.serve()
                defer { manager.stop() }
                try await sandbox.ferry("add", "-x", "1", relay.url("file.bin")).expect(0)
                try await relay.holds()
                try await sandbox.ferry("add", "-o", "second.bin", server.url("file.bin")).expect(0)

                try sandbox.configure("{\n  \"jobs\": 2,\n  \"job\": 3\n}")
                service.send(SIGHUP)
                try await manager.hears("READY=1", times: 2)
                #expect(
                    service.errorsSoFar.contains("\(sandbox.configuration), line 3:"),
                    "\(service.errorsSoFar)"
                )
                #expect(service.errorsSoFar.contains("stays in effect"))
                #expect(!service.hasEnded)
                // This list uses another configuration, because the broken one would stop it.
                let list = try await sandbox.ferry("list", "--all", "--json", "--config", "/dev/null")
                #expect(try ListedTransfer.all(in: list.output).map(\.state) == ["active", "queued"])

                try sandbox.configure("{\"jobs\": 2, \"user-agent\": \"other/1\"}")
                service.send(SIGHUP)
                try await sandbox.transfersBecome("the second completed") { $0.last?.state == "completed" }
                #expect(try await sandbox.transfers().map(\.state) == ["active", "completed"])
                try await Deadline.wait(for: "a word", said: { service.errorsSoFar }) {
                    service.errorsSoFar.contains("Takes effect at the next start: user-agent is now other/1.")
                }
                service.send(SIGTERM)
                try await service.outcome().expect(0)
            }
        }
    }

    @Test("a command line option still overrides the file, and the event names the changes")
    func optionsStay() async throws {
        try await Sandbox.open { sandbox in
            let (service, manager) = try await sandbox.serve(["--jobs", "1", "--json"])
            defer { manager.stop() }
            try sandbox.configure("{\"jobs\": 9, \"connections-per-host\": 3, \"data-dir\": \"/elsewhere\"}")
            service.send(SIGHUP)
            try await Deadline.wait(for: "the event", said: { service.outputSoFar }) {
                service.outputSoFar.contains("\"event\":\"reloaded\"")
            }
            let line = try #require(
                service.outputSoFar.split(separator: "\n").first { $0.contains("reloaded") }
            )
            let event = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            #expect(event?["changed"] as? [String] == ["connections-per-host"])
            // The sandbox's FERRY_DATA_DIR overrides the file as well.
            #expect(event?["atNextStart"] as? [String] == [])
            #expect(event?["error"] is NSNull)
            service.send(SIGTERM)
            try await service.outcome().expect(0)
        }
    }
}
