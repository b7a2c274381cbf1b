import Foundation
import Testing

/// `ferry send -o FILE`: a response that is saved whole in a file, or not at all.
@Suite("Responses in files", .limitedParallelism)
struct SendToFileTests {
    private static let content = Content(count: 100_000, seed: 29)

    /// Whether the file has the whole response.
    private func isWhole(_ name: String, in sandbox: Sandbox) -> Bool {
        FileManager.default.contents(atPath: sandbox.path(of: name)) == Self.content.bytes
    }

    /// A reply whose first half comes.
    private static var half: ScriptedReply {
        ScriptedReply(body: Array(content.bytes), cut: .init(bytes: content.bytes.count / 2, then: .hangUp))
    }

    @Test("a file that already exists stays, and nothing is sent; --overwrite replaces it")
    func existing() async throws {
        try await RequestInbox.served { _ in
            ScriptedReply(body: Array(Self.content.bytes))
        } _: { sandbox, server, inbox in
            try Data("mine".utf8).write(to: URL(fileURLWithPath: sandbox.path(of: "reply")))
            let line = ["send", "--wait", "POST", server.url("report"), "--data", "x", "-o", "reply"]
            let refused = try await sandbox.launch(line).outcome()
            refused.expect(13)
            #expect(refused.errors.contains("was not sent"), "\(refused.errors)")
            #expect(inbox.all.isEmpty)
            let kept = FileManager.default.contents(atPath: sandbox.path(of: "reply"))
            #expect(kept == Data("mine".utf8))
            try await sandbox.launch(line + ["--overwrite"]).outcome().expect(0)
            #expect(inbox.all.count == 1 && isWhole("reply", in: sandbox))
            #expect(try sandbox.fileNames() == ["reply"])
        }
    }

    @Test("-o - prints the response and -o /dev/null does not; without --wait nothing is recorded")
    func noFile() async throws {
        try await RequestInbox.served { _ in
            ScriptedReply(body: Array("done".utf8))
        } _: { sandbox, server, inbox in
            let line = ["send", "POST", server.url("report"), "--data", "x", "-o"]
            for (path, text) in [("-", "done"), ("/dev/stdout", "done"), ("/dev/null", "")] {
                let refused = try await sandbox.launch(line + [path]).outcome()
                refused.expect(64)
                #expect(refused.errors.contains("needs --wait"), "\(refused.errors)")
                let sent = try await sandbox.launch(line + [path, "--wait", "-w", " %{http_code}"]).outcome()
                sent.expect(0)
                #expect(sent.output == "\(text) 200")
            }
            #expect(inbox.all.count == 3)
            try await sandbox.ferry("show", "3").expect(0)
            try await sandbox.ferry("show", "4").expect(1)
        }
    }

    @Test("a directory that does not exist is noticed before anything is sent")
    func missingDirectory() async throws {
        try await RequestInbox.served { sandbox, server, inbox in
            let sent = try await sandbox.ferry(
                "send",
                "--wait",
                "POST",
                server.url("report"),
                "--data",
                "x",
                "-o",
                "none/reply"
            )
            sent.expect(16)
            #expect(sent.errors.contains("none"), "\(sent.errors)")
            #expect(try inbox.all.isEmpty && sandbox.fileNames().isEmpty)
        }
    }

    @Test(
        "a response that breaks off leaves no file; the request is sent again, with the same key, and saved whole"
    )
    func brokenOff() async throws {
        try await RequestInbox.served {
            $0.ordinal == 1 ? Self.half : ScriptedReply(body: Array(Self.content.bytes))
        } _: { sandbox, server, inbox in
            try Data("mine".utf8).write(to: URL(fileURLWithPath: sandbox.path(of: "reply")))
            let line = ["send", "--wait", "POST", server.url("report"), "-o", "reply", "--overwrite"]
            try await sandbox.launch(line).outcome().expect(0)
            let keys = Set(inbox.all.map { $0.request["idempotency-key"] })
            #expect(inbox.all.count == 2 && keys.count == 1 && keys != [nil])
            #expect(isWhole("reply", in: sandbox))
            #expect(try sandbox.fileNames() == ["reply"])
        }
    }

    @Test("if it may not be sent again, its outcome is unknown, and what was there stays")
    func brokenOffForGood() async throws {
        try await RequestInbox.served { _ in
            Self.half
        } _: { sandbox, server, inbox in
            try Data("mine".utf8).write(to: URL(fileURLWithPath: sandbox.path(of: "old")))
            for name in ["new", "old"] {
                let line = [
                    "send", "--wait", "--no-key", "POST", server.url("report"), "-o", name, "--overwrite",
                ]
                let sent = try await sandbox.launch(line).outcome()
                sent.expect(33)
                #expect(sent.output.isEmpty)
            }
            #expect(inbox.all.count == 2)
            #expect(try sandbox.fileNames() == ["old"])
            #expect(FileManager.default.contents(atPath: sandbox.path(of: "old")) == Data("mine".utf8))
        }
    }

    @Test("show --body says where the response is, and that there is none after a person's word")
    func bodyIsElsewhere() async throws {
        try await RequestInbox.served {
            $0.path == "/lost" ? nil : ScriptedReply(body: Array(Self.content.bytes))
        } _: { sandbox, server, _ in
            try await sandbox.ferry("send", "--wait", "GET", server.url("a"), "-o", "reply").expect(0)
            let saved = try await sandbox.ferry("show", "--body", "1")
            saved.expect(1)
            #expect(
                saved.output.isEmpty && saved.errors.contains(sandbox.path(of: "reply")),
                "\(saved.errors)"
            )
            try await sandbox.ferry("send", "--wait", "--no-key", "POST", server.url("lost")).expect(33)
            try await sandbox.ferry("resolve", "2", "--sent").expect(0)
            let resolved = try await sandbox.ferry("show", "--body", "2")
            resolved.expect(1)
            #expect(resolved.errors.contains("no response: it was resolved"), "\(resolved.errors)")
        }
    }
}
