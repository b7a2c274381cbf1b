import Glibc
import Testing

/// Steering: one process makes a request, and the process that runs the transfer obeys it.
@Suite(
    "Steering from another process",
    .limitedParallelism,
    .enabled(if: Tool.nginx.isInstalled, "nginx is not installed")
)
struct SteeringTests {
    @Test("a pause is obeyed, and a resume continues at the same byte")
    func pauseAndResume() async throws {
        try await Sandbox.open { sandbox in
            let content = Content(count: 4 * .mebibyte, seed: 31)
            try sandbox.publish(content, as: "file.bin")
            let server = try await sandbox.start(Nginx())
            try await Relay.run(to: server, holdingAfter: [2 * .mebibyte]) { relay in
                let runner = try sandbox.launch(["get", "-x", "1", relay.url("file.bin")])
                try await relay.holds()
                let active = try await sandbox.transferBecomes("half done") { $0.received > .mebibyte }
                try await sandbox.ferry("pause", "\(active.id)").expect(0)
                let stopped = try await runner.outcome()
                stopped.expect(7)
                let paused = try #require(try await sandbox.transfers().first)
                #expect(paused.state == "paused")
                #expect(paused.received >= active.received)
                let before = relay.passed

                try await sandbox.ferry("resume", "\(active.id)").expect(0)
                try sandbox.expectOnly("file.bin", content)
                #expect(relay.passed - before < content.count - paused.received + 64 * .kibibyte)
            }
        }
    }

    @Test("a cancel is obeyed, and leaves no file")
    func cancel() async throws {
        try await Sandbox.open { sandbox in
            try sandbox.publish(Content(count: 4 * .mebibyte, seed: 32), as: "file.bin")
            let server = try await sandbox.start(Nginx())
            try await Relay.run(to: server, holdingAfter: [2 * .mebibyte]) { relay in
                let runner = try sandbox.launch(["get", "-x", "1", relay.url("file.bin")])
                try await relay.holds()
                let active = try await sandbox.transferBecomes("active") { $0.state == "active" }
                try await sandbox.ferry("cancel", "\(active.id)").expect(0)
                let ended = try await runner.outcome()
                #expect(ended.status != 0)
                #expect(try sandbox.fileNames() == [])
                #expect(try await sandbox.transfers().map(\.state) == ["cancelled"])
            }
        }
    }

    @Test("a stopped transfer that is added again is downloaded", arguments: ["pause", "cancel"])
    func addAfterStop(_ stop: String) async throws {
        try await Sandbox.open { sandbox in
            let content = Content(count: 4 * .mebibyte, seed: 34)
            try sandbox.publish(content, as: "file.bin")
            let server = try await sandbox.start(Nginx())
            try await Relay.run(to: server, holdingAfter: [2 * .mebibyte]) { relay in
                let (service, manager) = try await sandbox.serve()
                defer { manager.stop() }
                try await sandbox.ferry("add", "-x", "1", relay.url("file.bin")).expect(0)
                try await relay.holds()
                let active = try await sandbox.transferBecomes("half done") { $0.received > .mebibyte }
                try await sandbox.ferry(stop, "\(active.id)").expect(0)
                // The service may or may not have obeyed yet.
                try await sandbox.ferry("add", "-x", "1", relay.url("file.bin")).expect(0)
                relay.breakOff()
                try await sandbox.transfersBecome("completed") { $0.contains { $0.state == "completed" } }
                service.send(SIGTERM)
                try await service.outcome().expect(0)
            }
            try sandbox.expectOnly("file.bin", content)
        }
    }

    @Test("the next run of the queue downloads an added transfer")
    func addAndRun() async throws {
        try await Sandbox.open { sandbox in
            let content = Content(count: 100_000, seed: 33)
            try sandbox.publish(content, as: "file.bin")
            let server = try await sandbox.start(Nginx())
            try await sandbox.ferry("add", server.url("file.bin")).expect(0)
            #expect(try await sandbox.transfers().map(\.state) == ["queued"])
            #expect(try sandbox.fileNames() == [])
            try await sandbox.ferry("run").expect(0)
            try sandbox.expectOnly("file.bin", content)
        }
    }

    @Test("an unknown transfer number is refused")
    func unknownNumber() async throws {
        try await Sandbox.open { sandbox in
            for command in ["pause", "resume", "cancel", "show"] {
                let outcome = try await sandbox.ferry(command, "4711")
                outcome.expect(1)
                #expect(outcome.errors.contains("4711"))
            }
        }
    }
}
