import Foundation
import Testing

/// How `ferry watch` ends.
@Suite("Watching", .limitedParallelism)
struct WatchTests {
    static let content = Content(count: 100_000, seed: 811)

    private func served(_ body: (Sandbox, ScriptedServer) async throws -> Void) async throws {
        try await ScriptedServer.run(with: body) { request in
            request.path.contains("missing")
                ? ScriptedReply(status: 404) : .serving(Self.content, tag: "\"a\"", to: request)
        }
    }

    @Test("for a finished transfer, watch ends with its status")
    func overBefore() async throws {
        try await served { sandbox, server in
            try await sandbox.ferry("get", server.url("file")).expect(0)
            try await sandbox.ferry("get", server.url("missing")).expect(3)
            try await sandbox.ferry("add", "http://127.0.0.1:1/never").expect(0)
            try await sandbox.ferry("cancel", "3").expect(0)
            try await sandbox.ferry("watch", "1").expect(0)
            try await sandbox.ferry("watch", "2").expect(3)
            try await sandbox.ferry("watch", "3").expect(1)
            try await sandbox.ferry("watch", "1", "2", "3").expect(3)
            try await sandbox.ferry("watch", "--json", "3", "2").expect(1)
        }
    }

    @Test(
        "when the transfer ends, watch ends with its status",
        arguments: [("file", 0), ("missing", 3)] as [(String, Int32)]
    )
    func overMeanwhile(_ name: String, _ status: Int32) async throws {
        try await served { sandbox, server in
            try await sandbox.ferry("add", server.url(name)).expect(0)
            let watch = try sandbox.launch(["watch", "--json", "1"])
            try await Deadline.wait(for: "the first look") { watch.outputSoFar.contains("queued") }
            try await sandbox.ferry("run").expect(status)
            try await watch.outcome().expect(status)
        }
    }

    @Test("watch ends as soon as the reader closes its pipe", arguments: ["", "--json", "1"])
    func withoutAReader(_ option: String) async throws {
        try await Sandbox.open { sandbox in
            try await sandbox.ferry("add", "http://127.0.0.1:1/never").expect(0)
            try await sandbox.shell("ferry watch \(option) | true").expect(0)
            try await sandbox.shell("ferry watch --json | head -n 1 | grep -q queued").expect(0)
        }
    }

    @Test("without a terminal, watch prints its lines, and ends when no process runs transfers")
    func withoutATerminal() async throws {
        try await served { sandbox, server in
            try await sandbox.ferry("get", server.url("file")).expect(0)
            let ended = try await sandbox.ferry("watch", "1")
            #expect(ended.output.hasPrefix("Done: ") && !ended.errors.contains("Done: "), "\(ended)")
            try await sandbox.ferry("add", "http://127.0.0.1:1/never").expect(0)
            try await sandbox.ferry("pause", "2").expect(0)
            let all = try await sandbox.ferry("watch")
            all.expect(0)
            #expect(all.output.contains("`ferry resume 2`"), "\(all)")
            #expect(all.errors.contains("No process runs transfers now."), "\(all)")
        }
    }

    @Test("a download continues after the reader closes its output")
    func downloadWithoutAReader() async throws {
        try await served { sandbox, server in
            let line = "{ ferry get --json '\(server.url("file"))'; echo $? > status; } | head -n 1 > first"
            try await sandbox.shell(line).expect(0)
            try await sandbox.shell("test \"$(cat status)\" = 0 && grep -q '\"id\"' first").expect(0)
            #expect(Self.content.isWhole(at: sandbox.path(of: "file")))
        }
    }
}
