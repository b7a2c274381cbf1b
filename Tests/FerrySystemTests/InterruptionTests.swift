import Glibc
import Testing

/// Ctrl-C, once and twice.
@Suite("Interruptions", .limitedParallelism, .enabled(if: Tool.nginx.isInstalled, "nginx is not installed"))
struct InterruptionTests {
    static let content = Content(count: 4 * .mebibyte, seed: 121)

    @Test(
        "one signal keeps the received bytes, prints the command that resumes, and ends with 7; only a person's pauses",
        arguments: [SIGINT, SIGTERM, SIGHUP]
    )
    func once(_ signal: Int32) async throws {
        try await Sandbox.open { sandbox in
            try sandbox.publish(Self.content, as: "file.bin")
            let server = try await sandbox.start(Nginx())
            try await Relay.run(to: server, holdingAfter: [2 * .mebibyte]) { relay in
                let process = try sandbox.launch(
                    ["get", "-x", "1", relay.url("file.bin"), "-w", "%{exitcode}\\n"]
                )
                try await relay.holds()
                try await sandbox.transferBecomes("half done") { $0.received > .mebibyte }
                process.send(signal)
                let outcome = try await process.outcome()
                outcome.expect(7)
                #expect(outcome.errors.contains("Stopped file.bin at "), "\(outcome.errors)")
                #expect(outcome.output == "7\n")
                let transfer = try #require(try await sandbox.transfers().first)
                let resumption = signal == SIGINT ? "`ferry resume \(transfer.id)`" : "`ferry run`"
                let said = "Resume with \(resumption) or by repeating the command."
                #expect(outcome.errors.contains(said), "\(outcome.errors)")
                #expect(transfer.state == (signal == SIGINT ? "paused" : "queued"))
                #expect(transfer.received > .mebibyte)
                #expect(transfer.process == nil)
                #expect(try sandbox.fileNames() == ["file.bin.part"])

                let before = relay.passed
                let resuming = signal == SIGINT ? ["get", relay.url("file.bin")] : ["run"]
                try await sandbox.launch(resuming).outcome().expect(0)
                try sandbox.expectOnly("file.bin", Self.content)
                #expect(relay.passed - before < Self.content.count - transfer.received + 64 * .kibibyte)
            }
        }
    }

    @Test("an interrupted stream ends with 7 and cannot be resumed", arguments: [SIGINT, SIGTERM])
    func stream(_ signal: Int32) async throws {
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(Self.content, tag: "\"a\"", to: request)
            reply.cut = .init(bytes: .mebibyte, then: .stall)
            return reply
        } _: { sandbox, server in
            let process = try sandbox.launch(["get", "-o", "-", server.url("file.bin")])
            try await sandbox.transferBecomes("under way") { $0.received > 0 }
            process.send(signal)
            let outcome = try await process.outcome()
            outcome.expect(7)
            #expect(outcome.errors.contains("cannot be resumed"), "\(outcome.errors)")
            #expect(outcome.errors.contains("start over"), "\(outcome.errors)")
            #expect(!outcome.errors.contains("ferry resume"), "\(outcome.errors)")
            #expect(!outcome.errors.contains("kept"), "\(outcome.errors)")
        }
    }

    @Test("closing the terminal does not end a command under nohup")
    func withoutATerminal() async throws {
        try await Sandbox.open { sandbox in
            try sandbox.publish(Self.content, as: "file.bin")
            let server = try await sandbox.start(Nginx(), ServerOptions(bytesPerSecond: 256 * .kibibyte))
            let process = try sandbox.launch(
                executable: try Tool.shell.requiredPath(),
                ["-c", "trap '' HUP; exec '\(Repository.ferry)' get -x 1 '\(server.url("file.bin"))'"]
            )
            try await sandbox.transferBecomes("begun") { $0.received > 0 }
            process.send(SIGHUP)
            try await process.outcome().expect(0)
            try sandbox.expectOnly("file.bin", Self.content)
        }
    }

    @Test("a second signal ends the command at once, and no bytes are lost")
    func twice() async throws {
        try await Sandbox.open { sandbox in
            try sandbox.publish(Self.content, as: "file.bin")
            let server = try await sandbox.start(Nginx())
            try await Relay.run(to: server, holdingAfter: [2 * .mebibyte]) { relay in
                let process = try sandbox.launch(["get", "-x", "1", relay.url("file.bin")])
                try await relay.holds()
                try await sandbox.transferBecomes("half done") { $0.received > .mebibyte }
                process.send(SIGINT)
                process.send(SIGINT)
                let outcome = try await process.outcome()
                #expect(outcome.status != 0)
                try await sandbox.ferry("get", relay.url("file.bin")).expect(0)
                try sandbox.expectOnly("file.bin", Self.content)
            }
        }
    }

    @Test(
        "one signal ends any command in order, even before it has recorded anything",
        arguments: [SIGINT, SIGTERM]
    )
    func beforeTheBeginning(_ signal: Int32) async throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try ScriptedServer { _, _ in
            gate.pass()
            return .closes
        }
        defer { server.stop() }
        try await Sandbox.open { sandbox in
            let process = try sandbox.launch(["get", "--metalink", server.url("files.meta4")])
            try await Deadline.wait(for: "the document to be asked for", said: { "" }) {
                !server.requests.isEmpty
            }
            process.send(signal)
            try await process.outcome().expect(128 + signal)
            #expect(try await sandbox.transfers().isEmpty)
        }
    }

    @Test("one signal ends a download that waits for a retry")
    func whileWaiting() async throws {
        try await ScriptedServer.run { _ in
            ScriptedReply(status: 503, fields: [("Retry-After", "600")])
        } _: { sandbox, server in
            let process = try sandbox.launch(["get", server.url("file.bin")])
            try await sandbox.transferBecomes("waiting") { $0.state == "waiting" }
            process.send(SIGINT)
            try await process.outcome().expect(7)
        }
    }
}
