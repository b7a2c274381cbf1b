import Foundation
import Testing

/// `ferry mirror` of directories whose listings change their form.
@Suite("Forms of listings", .limitedParallelism)
struct MirrorFormTests {
    private static func file(_ request: ScriptedRequest) -> ScriptedReply {
        ScriptedReply(fields: [("ETag", "\"x\"")], body: Array("of \(request.path)".utf8))
    }

    private static func reply(_ type: String, _ text: String) -> ScriptedReply {
        ScriptedReply(fields: [("Content-Type", type)], body: Array(text.utf8))
    }

    @Test(
        "JSON below a page is not the listing of a directory, and removes no file",
        arguments: [
            ("text/plain", "[]"), ("text/html", " [ ]"), ("application/json", "[]"),
            ("application/json", #"[{"name":"a.txt","error":"x"}]"#),
            ("application/json", #"[{"name":"a.txt","type":"file","mtime":"x"}]"#),
        ]
    )
    func arrayBelowAPage(_ type: String, _ text: String) async throws {
        let isOther = Flag()
        try await ScriptedServer.run { request in
            guard request.method == "GET" else { return ScriptedReply(status: 405) }
            switch request.path {
            case "/": return .page(["sub/", "x.txt"])
            case "/sub/": return isOther.isSet ? Self.reply(type, text) : .page(["a.txt", "b.txt"])
            default: return Self.file(request)
            }
        } _: { sandbox, server in
            let mirror = ["mirror", "--delete", server.url(""), sandbox.copy]
            try await sandbox.launch(mirror).outcome().expect(0)
            isOther.set()
            for words in [["--dry-run"], []] {
                let outcome = try await sandbox.launch(mirror + words).outcome()
                outcome.expect(22)
                #expect(outcome.errors.contains("sub could not be listed"), "\(outcome)")
                #expect(try sandbox.copiedFiles().keys.sorted() == ["sub/a.txt", "sub/b.txt", "x.txt"])
            }
        }
    }

    @Test("a page below JSON is not the listing of a directory, and an empty array is")
    func belowJSON() async throws {
        let (isPage, isEmpty) = (Flag(), Flag())
        try await ScriptedServer.run { request in
            guard request.method == "GET" else { return ScriptedReply(status: 405) }
            switch request.path {
            case "/": return .json(["sub/", "x.txt"])
            case "/sub/" where isEmpty.isSet: return .json([])
            case "/sub/": return isPage.isSet ? .page(["a.txt"]) : .json(["a.txt", "b.txt"])
            default: return Self.file(request)
            }
        } _: { sandbox, server in
            let mirror = ["mirror", "--delete", server.url(""), sandbox.copy]
            try await sandbox.launch(mirror).outcome().expect(0)
            isPage.set()
            let outcome = try await sandbox.launch(mirror).outcome()
            outcome.expect(22)
            #expect(
                outcome.errors.contains("an HTML page, and the top of the source with JSON"),
                "\(outcome)"
            )
            #expect(try sandbox.copiedFiles().keys.sorted() == ["sub/a.txt", "sub/b.txt", "x.txt"])
            isEmpty.set()
            try await sandbox.launch(mirror).outcome().expect(0)
            #expect(try sandbox.copiedFiles().keys.sorted() == ["x.txt"])
        }
    }

    /// The command that resumes does not list the top again. One with another filter begins a pass, and does.
    @Test(
        "a source that is listed in another form removes nothing before the end of a pass",
        arguments: [[], ["--exclude", "none"]]
    )
    func otherFormOfTheTop(_ filter: [String]) async throws {
        let (isJSON, isHealed) = (Flag(), Flag())
        try await ScriptedServer.run { request in
            guard request.method == "GET" else { return ScriptedReply(status: 405) }
            switch request.path {
            case "/": return isJSON.isSet ? .json(["sub/"]) : .page(["a.txt", "sub/"])
            case "/sub/" where isJSON.isSet && !isHealed.isSet: return ScriptedReply(status: 503)
            case "/sub/": return isJSON.isSet ? .json(["b.txt"]) : .page(["b.txt"])
            default: return Self.file(request)
            }
        } _: { sandbox, server in
            let mirror = ["mirror", "--delete", "--retries", "0", server.url(""), sandbox.copy]
            try await sandbox.launch(mirror).outcome().expect(0)
            isJSON.set()
            let stopped = try await sandbox.launch(mirror).outcome()
            #expect(stopped.status != 0 && stopped.errors.contains("in another way"), "\(stopped)")
            isHealed.set()
            try await sandbox.launch(mirror + filter + ["--dry-run"]).outcome().expect(22)
            let count = server.requests.count
            try await sandbox.launch(mirror + filter).outcome().expect(22)
            let isListedAgain = server.requests[count...].contains { $0.path == "/" }
            #expect(isListedAgain == !filter.isEmpty)
            #expect(try sandbox.copiedFiles().keys.sorted() == ["a.txt", "sub/b.txt"])
            try await sandbox.launch(mirror + filter).outcome().expect(0)
            #expect(try sandbox.copiedFiles().keys.sorted() == ["sub/b.txt"])
        }
    }
}
