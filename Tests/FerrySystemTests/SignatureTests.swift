import Foundation
import Glibc
import Testing

/// URLs of the same object with new signatures.
@Suite("URLs with new signatures", .limitedParallelism)
struct SignatureTests {
    private static let content = Content(count: 3 * .mebibyte, seed: 641)

    private static func query(_ signature: String) -> String {
        "file.bin?versionId=7&X-Amz-Date=\(signature)&X-Amz-Expires=60&X-Amz-Signature=\(signature)"
    }

    @Test("after Ctrl-C, a URL with another signature resumes, and a third one finds the file complete")
    func resumes() async throws {
        let gate = Gate()
        defer { gate.open() }
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(Self.content, tag: "\"a\"", to: request)
            if request.path.hasSuffix("=first") { reply.gates = [(.mebibyte, gate)] }
            return reply
        } _: { sandbox, server in
            let first = try sandbox.launch(["get", "-x", "1", server.url(Self.query("first"))])
            try await sandbox.transferBecomes("half done") { $0.received >= .mebibyte }
            first.send(SIGINT)
            try await first.outcome().expect(7)

            let second = try await sandbox.ferry("get", "-x", "1", server.url(Self.query("second")))
            second.expect(0)
            #expect(second.errors.contains("Resumed at"), "\(second)")
            try sandbox.expectOnly("file.bin", Self.content)
            let requests = server.requests
            #expect(requests.count == 2 && requests.last?["range"] != nil, "\(requests)")

            let third = try await sandbox.ferry("get", server.url(Self.query("third")))
            third.expect(0)
            #expect(third.errors.contains("already complete"), "\(third)")
            #expect(server.requests.count == 2)
            #expect(try await sandbox.transfers().count == 1)
            // Another version is another file.
            let other = Self.query("first").replacing("versionId=7", with: "versionId=8")
            let refused = try await sandbox.ferry("get", server.url(other))
            refused.expect(13)
            #expect(!refused.errors.contains("was changed since"), "\(refused)")
        }
    }

    @Test("a running download keeps its response, and uses the fresh URL after the old one expires")
    func renewsWhatRuns() async throws {
        let gate = Gate()
        defer { gate.open() }
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(Self.content, tag: "\"a\"", to: request)
            guard request.path.hasSuffix("=first") else { return reply }
            guard request.ordinal == 1 else { return ScriptedReply(status: 403) }
            reply.gates = [(.mebibyte, gate)]
            reply.cut = .init(bytes: 2 * .mebibyte, then: .hangUp)
            return reply
        } _: { sandbox, server in
            let first = try sandbox.launch(["get", "-x", "1", server.url(Self.query("first"))])
            try await sandbox.transferBecomes("half done") { $0.received >= .mebibyte }
            try await sandbox.ferry("add", server.url(Self.query("second"))).expect(0)
            #expect(server.requests.count == 1)
            gate.open()
            try await first.outcome().expect(0)
            try sandbox.expectOnly("file.bin", Self.content)
            #expect(server.requests.last?["range"] != nil, "\(server.requests)")
        }
    }

    @Test("a download that waits for a URL takes a fresh one from the same command")
    func endsTheWait() async throws {
        try await ScriptedServer.run { request in
            request.path.hasSuffix("=first")
                ? ScriptedReply(status: 403) : .serving(Self.content, tag: "\"a\"", to: request)
        } _: { sandbox, server in
            try await sandbox.ferry("get", server.url(Self.query("first"))).expect(7)
            try await sandbox.ferry("get", server.url(Self.query("second"))).expect(0)
            try sandbox.expectOnly("file.bin", Self.content)
            #expect(try await sandbox.transfers().map(\.state) == ["completed"])
        }
    }

    @Test("after an edit to the URL of a failed download, a retry of that download is refused")
    func editsBesideAFailedOne() async throws {
        try await ScriptedServer.run { request in
            request.path.hasSuffix("gone")
                ? ScriptedReply(status: 404) : .serving(Self.content, tag: "\"a\"", to: request)
        } _: { sandbox, server in
            let (gone, there) = (server.url("gone"), server.url("there"))
            #expect(try await sandbox.ferry("get", gone, "-o", "file.bin").status != 0)
            try await sandbox.ferry("add", there, "-o", "file.bin").expect(0)
            try await sandbox.ferry("edit", "2", "--url", gone).expect(0)
            let refused = try await sandbox.ferry("retry", "1")
            #expect(
                refused.status != 0 && refused.errors.contains("transfer 2 is the same"),
                "\(refused)"
            )
            #expect(refused.errors.contains("`ferry resume 2`"), "\(refused)")
            #expect(try await sandbox.transfers().map(\.state) == ["failed", "queued"])
            try await sandbox.ferry("edit", "2", "--url", there).expect(0)
            try await sandbox.ferry("resume", "2").expect(0)
            try sandbox.expectOnly("file.bin", Self.content)
        }
    }

    @Test("an ignored parameter does not make another download")
    func ignoresWhatIsNamed() async throws {
        try await ScriptedServer.run {
            .serving(Self.content, tag: "\"a\"", to: $0)
        } _: { sandbox, server in
            let line = ["get", "--ignore-query", "session"]
            try await sandbox.launch(line + [server.url("file.bin?session=1")]).outcome().expect(0)
            let again = try await sandbox.launch(line + [server.url("file.bin?session=2")]).outcome()
            again.expect(0)
            #expect(again.errors.contains("already complete") && server.requests.count == 1, "\(again)")
            let bad = try await sandbox.ferry("get", "--ignore-query", "a=b", server.url("x"))
            bad.expect(64)
            #expect(bad.errors.contains("--ignore-query"), "\(bad)")
        }
    }
}
