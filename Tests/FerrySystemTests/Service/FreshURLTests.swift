import Foundation
import Glibc
import Testing

/// Every command that runs transfers supports `--refresh-command`.
@Suite("A command that gives fresh URLs", .limitedParallelism)
struct FreshURLTests {
    static let content = Content(count: 300_000, seed: 521)
    private static let signature = "X-Amz-Expires=1&X-Amz-Signature="

    /// A server that rejects one signature and accepts another.
    private static func answer(_ request: ScriptedRequest) -> ScriptedReply {
        request.path.hasSuffix("=fresh")
            ? .serving(content, tag: "\"a\"", to: request) : ScriptedReply(status: 403)
    }

    @Test("the service resumes transfers that waited for a URL before, and those that are added later")
    func service() async throws {
        try await ScriptedServer.run(answering: Self.answer) { sandbox, server in
            let old = "?\(Self.signature)old"
            try await sandbox.ferry("get", server.url("before" + old)).expect(7)
            let fresh = "echo \"${FERRY_URL%old}fresh\""
            let (service, manager) = try await sandbox.serve(["--refresh-command", fresh])
            defer { manager.stop() }
            try await sandbox.ferry("add", server.url("later" + old)).expect(0)
            try await sandbox.transfersBecome("completed") { all in
                all.count == 2 && all.allSatisfy { $0.state == "completed" }
            }
            for name in ["before", "later"] { #expect(Self.content.isWhole(at: sandbox.path(of: name))) }
            service.send(SIGTERM)
            try await service.outcome().expect(0)
        }
    }

    @Test("a run of the queue resumes transfers that waited for a URL, without a hint to enter one")
    func queue() async throws {
        try await ScriptedServer.run(answering: Self.answer) { sandbox, server in
            try await sandbox.ferry("get", server.url("file?\(Self.signature)old")).expect(7)
            let fresh = "echo \"${FERRY_URL%old}fresh\""
            let outcome = try await sandbox.ferry("run", "--refresh-command", fresh)
            outcome.expect(0)
            #expect(!outcome.errors.contains("ferry edit"))
            #expect(Self.content.isWhole(at: sandbox.path(of: "file")))
        }
    }

    @Test("the command inherits no descriptor of the tool, even while the tool is busy")
    func descriptors() async throws {
        try await ScriptedServer.run { request in
            guard request.path.hasPrefix("/load") else { return Self.answer(request) }
            var reply = ScriptedReply.serving(Self.content, tag: "\"a\"", to: request)
            reply.cut = .init(bytes: 100_000, then: .stall)
            return reply
        } _: { sandbox, server in
            let list = sandbox.root + "/descriptors"
            let fresh = "ls -l /proc/$$/fd > '\(list)'; echo \"${FERRY_URL%old}fresh\""
            let (service, manager) = try await sandbox.serve(["--refresh-command", fresh, "-j", "20"])
            defer { manager.stop() }
            for number in 0..<8 { try await sandbox.ferry("add", server.url("load-\(number)")).expect(0) }
            try await sandbox.transfersBecome("under way") { all in
                all.count == 8 && all.allSatisfy { $0.received > 0 }
            }
            try await sandbox.ferry("add", server.url("file?\(Self.signature)old")).expect(0)
            try await sandbox.transfersBecome("completed") { $0.last?.state == "completed" }
            let lines = try String(contentsOfFile: list, encoding: .utf8)
            let targets = lines.split(separator: "\n").compactMap { $0.split(separator: " ").last }
            // The shell may have two descriptors of its standard output for a moment, but no other pipe or socket.
            let channels = targets.filter { $0.hasPrefix("pipe:") || $0.hasPrefix("socket:") }
            #expect(Set(channels).count == 1, "\(lines)")
            #expect(!lines.contains("anon_inode") && !lines.contains("ferry."), "\(lines)")
            service.send(SIGTERM)
            try await service.outcome().expect(0)
        }
    }

    @Test(
        "if the command gives no URL it is tried again, with a message, and then the transfer waits for the user"
    )
    func noHelp() async throws {
        try await ScriptedServer.run(answering: Self.answer) { sandbox, server in
            let url = server.url("file?\(Self.signature)old")
            let outcome = try await sandbox.ferry(
                "get",
                "--retries",
                "1",
                "--refresh-command",
                "false",
                url
            )
            outcome.expect(7)
            #expect(outcome.errors.contains("No fresh URL was given; asking again."), "\(outcome)")
            #expect(outcome.errors.contains("ferry edit 1 --url URL"), "\(outcome)")
        }
    }

    @Test("if the command gives the expired URL it is tried again, with a message")
    func sameURL() async throws {
        try await ScriptedServer.run(answering: Self.answer) { sandbox, server in
            let url = server.url("file?\(Self.signature)old")
            let line = ["get", "--retries", "1", "--refresh-command", "printf %s '\(url)'", url]
            let outcome = try await sandbox.launch(line).outcome()
            outcome.expect(7)
            let news = "Refreshing returned the same expired URL"
            #expect(outcome.errors.contains("\(news); asking again."), "\(outcome)")
            #expect(outcome.errors.contains("\(news).\n"), "\(outcome)")
            #expect(outcome.errors.contains("ferry edit 1 --url URL"), "\(outcome)")
        }
    }

    @Test("a command that does not end does not delay a stop")
    func stop() async throws {
        try await ScriptedServer.run(answering: Self.answer) { sandbox, server in
            let started = sandbox.root + "/started"
            try await sandbox.ferry("add", server.url("file?\(Self.signature)old")).expect(0)
            let run = try sandbox.launch([
                "run", "--refresh-command", ": > '\(started)'; sleep 600",
            ])
            try await Deadline.wait(for: "the command to begin") { access(started, F_OK) == 0 }
            run.send(SIGTERM)
            try await run.outcome().expect(7)
            let left = try #require(try await sandbox.transfers().first)
            #expect(left.waitingFor?.condition == "newURL" && left.process == nil)
        }
    }
}
