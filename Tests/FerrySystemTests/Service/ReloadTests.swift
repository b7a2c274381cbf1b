import Foundation
import Glibc
import Testing

/// SIGHUP reads the configuration of a service again.
@Suite(
    "Reading the configuration again",
    .limitedParallelism,
    .enabled(if: Tool.nginx.isInstalled, "nginx is not installed")
)
struct ReloadTests {
    static let content = Content(count: 4 * .mebibyte, seed: 521)

    @Test("another limit of the rate holds at once for what runs")
    func rate() async throws {
        try await Harbour.open { harbour in
            try harbour.publish(Self.content, as: "file.bin")
            let server = try await harbour.start(Nginx())
            // At this rate it would take more than an hour.
            try harbour.configure("{\"limit-rate\": \"1024\"}")
            let (service, manager) = try await harbour.serve()
            defer { manager.stop() }
            try await harbour.ferry("add", server.url("file.bin")).expect(0)
            try await harbour.transferBecomes("begun") { $0.received > 0 }
            try harbour.configure("{\"limit-rate\": \"off\"}")
            service.send(SIGHUP)
            try await harbour.transferBecomes("completed") { $0.state == "completed" }
            try harbour.expectOnly("file.bin", Self.content)
            try await manager.hears("RELOADING=1")
            try await manager.hears("READY=1", times: 2)
            #expect(service.errorsSoFar.contains("limit-rate is now off"), "\(service.errorsSoFar)")
            service.send(SIGTERM)
            try await service.outcome().expect(0)
        }
    }

    @Test("a broken file changes nothing and is told of; a mended one with more jobs begins more at once")
    func brokenFile() async throws {
        try await Harbour.open { harbour in
            try harbour.publish(Self.content, as: "file.bin")
            let server = try await harbour.start(Nginx())
            try await Relay.run(to: server, holdingAfter: [2 * .mebibyte]) { relay in
                try harbour.configure("{\"jobs\": 1}")
                let (service, manager) = try await harbour.serve()
                defer { manager.stop() }
                try await harbour.ferry("add", "-x", "1", relay.url("file.bin")).expect(0)
                try await relay.holds()
                try await harbour.ferry("add", "-o", "second.bin", server.url("file.bin")).expect(0)

                try harbour.configure("{\n  \"jobs\": 2,\n  \"job\": 3\n}")
                service.send(SIGHUP)
                try await manager.hears("READY=1", times: 2)
                #expect(
                    service.errorsSoFar.contains("\(harbour.configuration), line 3:"),
                    "\(service.errorsSoFar)"
                )
                #expect(service.errorsSoFar.contains("holds on"))
                #expect(!service.hasEnded)
                // This list is asked for under another configuration, as the broken one would stop it.
                let list = try await harbour.ferry("list", "--all", "--json", "--config", "/dev/null")
                #expect(try ListedTransfer.all(in: list.output).map(\.state) == ["active", "queued"])

                try harbour.configure("{\"jobs\": 2, \"user-agent\": \"other/1\"}")
                service.send(SIGHUP)
                try await harbour.transfersBecome("the second completed") { $0.last?.state == "completed" }
                #expect(try await harbour.transfers().map(\.state) == ["active", "completed"])
                try await Deadline.wait(for: "a word", said: { service.errorsSoFar }) {
                    service.errorsSoFar.contains("Waits for the next start: user-agent is now other/1.")
                }
                service.send(SIGTERM)
                try await service.outcome().expect(0)
            }
        }
    }

    @Test("an option of its command line stays above the file, and the event says what is different")
    func optionsStay() async throws {
        try await Harbour.open { harbour in
            let (service, manager) = try await harbour.serve(["--jobs", "1", "--json"])
            defer { manager.stop() }
            try harbour.configure("{\"jobs\": 9, \"connections-per-host\": 3, \"data-dir\": \"/elsewhere\"}")
            service.send(SIGHUP)
            try await Deadline.wait(for: "the event", said: { service.outputSoFar }) {
                service.outputSoFar.contains("\"event\":\"reloaded\"")
            }
            let line = try #require(
                service.outputSoFar.split(separator: "\n").first { $0.contains("reloaded") }
            )
            let event = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            #expect(event?["changed"] as? [String] == ["connections-per-host"])
            // The harbour's own FERRY_DATA_DIR is above the file as well.
            #expect(event?["atNextStart"] as? [String] == [])
            #expect(event?["error"] is NSNull)
            service.send(SIGTERM)
            try await service.outcome().expect(0)
        }
    }
}
