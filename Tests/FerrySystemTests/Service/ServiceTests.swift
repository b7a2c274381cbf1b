import Glibc
import Testing

/// `ferry run --forever`, and its notifications to a service manager.
@Suite("The service", .limitedParallelism, .enabled(if: Tool.nginx.isInstalled, "nginx is not installed"))
struct ServiceTests {
    static let content = Content(count: 4 * .mebibyte, seed: 501)

    @Test(
        "it reports that it is ready, runs transfers that another process adds, and reports that it stops",
        arguments: ["", "@"]
    )
    func waitsForMore(_ prefix: String) async throws {
        try await Sandbox.open { sandbox in
            try sandbox.publish(Self.content, as: "file.bin")
            let server = try await sandbox.start(Nginx())
            let manager = try NotifyListener(at: "\(prefix)\(sandbox.root)/notify")
            defer { manager.stop() }
            let service = try sandbox.launch(
                ["run", "--forever"],
                environment: ["NOTIFY_SOCKET": manager.name]
            )
            try await manager.hears("READY=1")
            #expect(manager.lines.contains("STATUS=Idle."))
            #expect(manager.lines.contains("MAINPID=\(service.pid)"))
            try await sandbox.ferry("add", server.url("file.bin")).expect(0)
            try await sandbox.transferBecomes("completed") { $0.state == "completed" }
            try sandbox.expectOnly("file.bin", Self.content)
            #expect(!service.hasEnded)
            #expect(!manager.lines.contains("STOPPING=1"))
            service.send(SIGTERM)
            try await service.outcome().expect(0)
            try await manager.hears("STOPPING=1")
            // The watchdog is not enabled.
            #expect(!manager.lines.contains("WATCHDOG=1"))
        }
    }

    @Test(
        "a stop checkpoints and releases running transfers, and the next start resumes them",
        arguments: [SIGTERM, SIGINT]
    )
    func stopReleases(_ signal: Int32) async throws {
        try await Sandbox.open { sandbox in
            try sandbox.publish(Self.content, as: "file.bin")
            let server = try await sandbox.start(Nginx())
            try await Relay.run(to: server, holdingAfter: [2 * .mebibyte]) { relay in
                try await sandbox.ferry("add", "-x", "1", relay.url("file.bin")).expect(0)
                let (service, manager) = try await sandbox.serve()
                defer { manager.stop() }
                try await relay.holds()
                try await sandbox.transferBecomes("half done") { $0.received > .mebibyte }
                service.send(signal)
                try await service.outcome().expect(0)
                let released = try #require(try await sandbox.transfers().first)
                #expect(released.state == "queued" && released.process == nil)
                #expect(released.received > .mebibyte && released.durable == released.received)
                #expect(released.attempts == 0)
                try await goesOn(from: released.received, sandbox, relay)
            }
        }
    }

    @Test("after a kill, the next start resumes the transfers that ran")
    func survivesKill() async throws {
        try await Sandbox.open { sandbox in
            try sandbox.publish(Self.content, as: "file.bin")
            let server = try await sandbox.start(Nginx())
            try await Relay.run(to: server, holdingAfter: [2 * .mebibyte]) { relay in
                let (service, manager) = try await sandbox.serve()
                defer { manager.stop() }
                try await sandbox.ferry("add", "-x", "1", relay.url("file.bin")).expect(0)
                try await relay.holds()
                let half = try await sandbox.transferBecomes("half done") { $0.received > .mebibyte }
                service.send(SIGKILL)
                _ = try await service.outcome()
                try await goesOn(from: half.received, sandbox, relay)
            }
        }
    }

    /// Expects that the next start of the service completes the file, and fetches only the missing bytes.
    private func goesOn(from received: Int, _ sandbox: Sandbox, _ relay: Relay) async throws {
        let before = relay.passed
        let (next, manager) = try await sandbox.serve(name: "again")
        defer { manager.stop() }
        try await sandbox.transferBecomes("completed") { $0.state == "completed" }
        try sandbox.expectOnly("file.bin", Self.content)
        #expect(relay.passed - before < Self.content.count - received + 64 * .kibibyte)
        next.send(SIGTERM)
        try await next.outcome().expect(0)
    }

    @Test("it notifies its own watchdog regularly, and not that of another process")
    func watchdog() async throws {
        try await Sandbox.open { sandbox in
            let (service, manager) = try await sandbox.serve(environment: ["WATCHDOG_USEC": "200000"])
            defer { manager.stop() }
            try await manager.hears("WATCHDOG=1", times: 3)
            service.send(SIGTERM)
            try await service.outcome().expect(0)

            let foreign = ["WATCHDOG_USEC": "2000", "WATCHDOG_PID": "1"]
            let (other, listener) = try await sandbox.serve(name: "foreign", environment: foreign)
            defer { listener.stop() }
            other.send(SIGTERM)
            try await other.outcome().expect(0)
            #expect(!listener.lines.contains("WATCHDOG=1"))
        }
    }

    @Test("a notification socket without a listener stops nothing, and is reported once")
    func deafManager() async throws {
        try await Sandbox.open { sandbox in
            try sandbox.publish(Self.content, as: "file.bin")
            let server = try await sandbox.start(Nginx())
            for name in ["\(sandbox.root)/nobody", "relative", "@", "/" + String(repeating: "x", count: 120)]
            {
                let service = try sandbox.launch(
                    ["run", "--forever"],
                    environment: ["NOTIFY_SOCKET": name, "WATCHDOG_USEC": "20000"]
                )
                try await sandbox.ferry("add", "--overwrite", server.url("file.bin")).expect(0)
                try await sandbox.transfersBecome("completed") { all in
                    !all.isEmpty && all.allSatisfy { $0.state == "completed" }
                }
                service.send(SIGTERM)
                let outcome = try await service.outcome()
                outcome.expect(0)
                #expect(outcome.errors.components(of: "NOTIFY_SOCKET") == 1, "\(outcome.errors)")
            }
        }
    }

    @Test("two services share a queue: only one of them fetches each file, and one survives the other")
    func twoServices() async throws {
        let content = Content(count: 50_000, seed: 502)
        try await ScriptedServer.run { request in
            .serving(content, tag: "\"a\"", to: request)
        } _: { sandbox, server in
            let (one, first) = try await sandbox.serve(["-j", "2"], name: "one")
            let (other, second) = try await sandbox.serve(["-j", "2"], name: "other")
            defer {
                first.stop()
                second.stop()
            }
            let urls = (0..<30).map { server.url("file-\($0)") }
            try await sandbox.launch(["add"] + urls.prefix(15)).outcome().expect(0)
            one.send(SIGKILL)
            try await sandbox.launch(["add"] + urls.dropFirst(15)).outcome().expect(0)
            try await sandbox.transfersBecome("completed") { all in
                all.count == 30 && all.allSatisfy { $0.state == "completed" }
            }
            for number in 0..<30 { #expect(content.isWhole(at: sandbox.path(of: "file-\(number)"))) }
            #expect(try sandbox.fileNames().count == 30)
            other.send(SIGTERM)
            try await other.outcome().expect(0)
        }
    }
}

extension String {
    /// How often this text contains another text.
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
