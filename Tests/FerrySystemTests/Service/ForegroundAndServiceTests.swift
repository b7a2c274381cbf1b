import Glibc
import Testing

/// `ferry get` while the service runs.
@Suite(
    "A get beside the service",
    .limitedParallelism,
    .enabled(if: Tool.nginx.isInstalled, "nginx is not installed")
)
struct ForegroundAndServiceTests {
    static let content = Content(count: 4 * .mebibyte, seed: 511)

    /// Runs a `get` while a service runs, until the get has half of the file and is held there.
    private func beside(
        _ body: (Sandbox, Relay, ChildProcess, ChildProcess, ListedTransfer) async throws -> Void
    ) async throws {
        try await Sandbox.open { sandbox in
            try sandbox.publish(Self.content, as: "file.bin")
            let server = try await sandbox.start(Nginx())
            try await Relay.run(to: server, holdingAfter: [2 * .mebibyte]) { relay in
                let (service, manager) = try await sandbox.serve()
                defer { manager.stop() }
                let get = try sandbox.launch(["get", "-x", "1", relay.url("file.bin")])
                try await relay.holds()
                let half = try await sandbox.transferBecomes("half done") { $0.received > .mebibyte }
                // The service is idle and would run any transfer that it may.
                #expect(half.process == Int(get.pid))
                try await body(sandbox, relay, get, service, half)
                service.send(SIGTERM)
                try await service.outcome().expect(0)
            }
        }
    }

    @Test("get holds the transfer that it adds, and the service takes over if get is killed")
    func rescue() async throws {
        try await beside { sandbox, relay, get, service, half in
            let before = relay.passed
            get.send(SIGKILL)
            _ = try await get.outcome()
            try await sandbox.transferBecomes("completed") { $0.state == "completed" }
            try sandbox.expectOnly("file.bin", Self.content)
            #expect(relay.passed - before < Self.content.count - half.received + 64 * .kibibyte)
            #expect(service.errorsSoFar.contains("file.bin"), "\(service.errorsSoFar)")
        }
    }

    @Test(
        "a transfer that is also in the queue continues there after the get is stopped",
        arguments: [["add", "-x", "1"], ["resume", "--detach"]]
    )
    func addedMeanwhile(_ command: [String]) async throws {
        try await beside { sandbox, relay, get, _, half in
            let target = command[0] == "add" ? relay.url("file.bin") : "\(half.id)"
            try await sandbox.launch(command + [target]).outcome().expect(0)
            get.send(SIGINT)
            let stopped = try await get.outcome()
            stopped.expect(7)
            // The service may already have claimed it.
            let said = ["stays queued", "continues in process"]
            #expect(said.contains { stopped.errors.contains($0) }, "\(stopped.errors)")
            try await sandbox.transferBecomes("completed") { $0.state == "completed" }
            try sandbox.expectOnly("file.bin", Self.content)
        }
    }

    @Test("a transfer that the user stopped waits for the user, and the service does not run it")
    func interruption() async throws {
        try await beside { sandbox, relay, get, _, _ in
            get.send(SIGINT)
            try await get.outcome().expect(7)
            let paused = try #require(try await sandbox.transfers().first)
            #expect(paused.state == "paused" && paused.process == nil)
            // The service skips it and runs the next transfer.
            try await sandbox.ferry("add", "-o", "second.bin", relay.url("file.bin")).expect(0)
            let all = try await sandbox.transfersBecome("one completed") { all in
                all.contains { $0.state == "completed" }
            }
            #expect(Set(all.map(\.state)) == ["paused", "completed"])

            let resumed = try await sandbox.ferry("resume", "--detach", "\(paused.id)")
            resumed.expect(0)
            try await sandbox.transfersBecome("completed") { all in all.allSatisfy { $0.state == "completed" }
            }
            #expect(Self.content.isWhole(at: sandbox.path(of: "file.bin")))
        }
    }
}
