import Foundation
import Glibc
import Testing

/// Data directories and queues that do not exist.
@Suite("Missing stores and queues", .limitedParallelism)
struct NoStoreTests {
    @Test(
        "a command that only reads creates no store, and says that none exists",
        arguments: [["list"], ["list", "--json"], ["queue", "list"], ["watch"], ["doctor"]]
    )
    func looking(_ words: [String]) async throws {
        try await Sandbox.open { sandbox in
            let typo = sandbox.root + "/typo"
            let outcome = try await sandbox.launch(words + ["--data-dir", typo]).outcome()
            #expect(words == ["doctor"] || outcome.status == 0, "\(outcome.errors)")
            #expect(!FileManager.default.fileExists(atPath: typo))
            let said = outcome.errors + outcome.output
            // With --json, standard error has only JSON, and this is not a failure.
            guard !words.contains("--json") else { return #expect(said.isEmpty, "\(said)") }
            #expect(
                said.contains(typo) && (said.contains("no store") || said.contains("no store yet")),
                "\(said)"
            )
            let rest = try FileManager.default.contentsOfDirectory(atPath: sandbox.root)
            #expect(!rest.contains { $0.hasPrefix("ferry-") }, "\(rest)")
        }
    }

    @Test("show and watch fail without a store, and create nothing")
    func showing() async throws {
        try await Sandbox.open { sandbox in
            let typo = sandbox.root + "/typo"
            for command in ["show", "watch"] {
                let outcome = try await sandbox.ferry(command, "3", "--data-dir", typo)
                outcome.expect(1)
                #expect(outcome.errors.contains("There is no store in \(typo)"), "\(outcome.errors)")
                #expect(!FileManager.default.fileExists(atPath: typo))
            }
        }
    }

    @Test("a missing queue is neither paused nor resumed", arguments: ["pause", "resume"])
    func unknownQueue(_ command: String) async throws {
        try await Sandbox.open { sandbox in
            let outcome = try await sandbox.ferry("queue", command, "nosuch")
            outcome.expect(1)
            #expect(outcome.errors.contains("There is no queue nosuch."), "\(outcome.errors)")
            let queues = try await sandbox.ferry("queue", "list", "--json")
            #expect(!queues.output.contains("nosuch"))
            try await sandbox.ferry("add", "--queue", "night", "http://127.0.0.1:1/one").expect(0)
            try await sandbox.ferry("pause", "1").expect(0)
            for name in ["night", "default"] { try await sandbox.ferry("queue", command, name).expect(0) }
        }
    }

    @Test("the doctor and the list show the same state for a transfer of a killed process")
    func doctorAndList() async throws {
        let content = Content(count: 2 * .mebibyte, seed: 981)
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(content, tag: "\"a\"", to: request)
            reply.cut = .init(bytes: .mebibyte, then: .stall)
            return reply
        } _: { sandbox, server in
            let process = try sandbox.launch(["get", "-x", "1", server.url("file")])
            try await sandbox.transferBecomes("begun") { $0.received > 0 }
            process.send(SIGKILL)
            _ = try await process.outcome()
            #expect(try await sandbox.transfers().map(\.state) == ["queued"])
            let doctor = try await sandbox.ferry("doctor")
            #expect(doctor.output.contains("transfers: 1 queued"), "\(doctor.output)")
        }
    }
}
