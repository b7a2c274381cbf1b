import Foundation
import Testing

/// Secrets in the data directory (I7): only those of transfers that may still run are kept.
@Suite("Secrets at rest", .limitedParallelism)
struct SecretsAtRestTests {
    static let content = Content(count: 200_000, seed: 171)

    /// Runs `body` with a server that has every file.
    private func served(_ body: (Sandbox, ScriptedServer) async throws -> Void) async throws {
        try await ScriptedServer.run(with: body) {
            $0.path.contains("missing")
                ? ScriptedReply(status: 404) : .serving(Self.content, tag: "\"a\"", to: $0)
        }
    }

    /// The secrets that occur anywhere in the data directory.
    private func kept(_ secrets: [String], in sandbox: Sandbox) throws -> [String] {
        let files = try FileManager.default.subpathsOfDirectory(atPath: sandbox.data)
        let bytes = files.compactMap { FileManager.default.contents(atPath: "\(sandbox.data)/\($0)") }
        #expect(bytes.contains { !$0.isEmpty })
        return secrets.filter { secret in bytes.contains { $0.range(of: Data(secret.utf8)) != nil } }
    }

    private static let secrets = ["s3cretToken", "s3cretCookie", "s3cretUser", "s3cretMirror"]

    private func arguments(_ server: ScriptedServer) -> [String] {
        [
            "get", "-H", "Cookie: id=s3cretCookie", "--user", "anna:s3cretUser", "--mirror",
            server.url("mirror.bin?token=s3cretMirror"), server.url("file.bin?token=s3cretToken&page=2"),
        ]
    }

    @Test("a URL is shown whole only on request")
    func reveal() async throws {
        try await Sandbox.open { sandbox in
            let url = "http://127.0.0.1:9/file.bin?license_key=Quartz&page=2"
            try await sandbox.ferry("add", url).expect(0)
            for line in [["show", "1"], ["show", "--json", "1"], ["list"], ["list", "--json"]] {
                let outcome = try await sandbox.launch(line).outcome()
                outcome.expect(0)
                #expect(!(outcome.output + outcome.errors).contains("Quartz"), "\(outcome)")
            }
            let revealed = try await sandbox.ferry("show", "--reveal", "1")
            revealed.expect(0)
            #expect(revealed.output.contains(url), "\(revealed)")
        }
    }

    @Test("a completed transfer keeps no secrets, and is still found by its URL")
    func completed() async throws {
        try await served { sandbox, server in
            try await sandbox.launch(arguments(server)).outcome().expect(0)
            #expect(try kept(Self.secrets, in: sandbox) == [])
            let asked = server.requests.count
            let again = try await sandbox.launch(arguments(server)).outcome()
            again.expect(0)
            #expect(server.requests.count == asked, "\(again.errors)")
            let shown = try await sandbox.ferry("show", "1")
            #expect(shown.output.contains("file.bin?token="), "\(shown.output)")
            let digest = try await sandbox.shell("sha256sum file.bin").output.prefix(64)
            try await sandbox.ferry("verify", "--checksum", "sha256=\(digest)", "1").expect(0)

            try FileManager.default.removeItem(atPath: sandbox.path(of: "file.bin"))
            try await sandbox.launch(arguments(server)).outcome().expect(0)
            try sandbox.expectOnly("file.bin", Self.content)
            #expect(server.requests.count > asked)
            #expect(try kept(Self.secrets, in: sandbox) == [])
        }
    }

    @Test("a cancelled transfer keeps no secrets")
    func cancelled() async throws {
        try await served { sandbox, server in
            let arguments = ["add"] + self.arguments(server).dropFirst()
            try await sandbox.launch(arguments).outcome().expect(0)
            #expect(try kept(Self.secrets, in: sandbox) == Self.secrets)
            try await sandbox.ferry("cancel", "1").expect(0)
            #expect(try kept(Self.secrets, in: sandbox) == [])
        }
    }

    @Test("a failed transfer keeps its secrets for a retry")
    func failed() async throws {
        try await served { sandbox, server in
            let url = server.url("missing.bin?token=s3cretToken")
            try await sandbox.ferry("get", "-H", "Cookie: id=s3cretCookie", url).expect(3)
            #expect(try kept(Self.secrets, in: sandbox) == ["s3cretToken", "s3cretCookie"])
            try await sandbox.ferry("retry", "1").expect(3)
            #expect(server.requests.last?.path.contains("token=s3cretToken") == true)
            try await sandbox.ferry("remove", "1").expect(0)
            #expect(try kept(Self.secrets, in: sandbox) == [])
        }
    }

    @Test("a mirror keeps no secrets of the URLs of complete files, and knows that these are unchanged")
    func mirrored() async throws {
        try await ScriptedServer.run { request in
            guard request.path == "/list.json" else {
                return .serving(Self.content, tag: "\"a\"", to: request)
            }
            let list = #"""
                [{"name":"a","url":["file.bin?token=s3cretToken","mirror.bin?token=s3cretMirror"],"etag":"\"a\""},
                {"name":"b","url":"http://anna:s3cretUser@\#(request["host"] ?? "")/own.bin","etag":"\"a\""}]
                """#
            return ScriptedReply(body: Array(list.utf8))
        } _: { sandbox, server in
            let line = ["mirror", server.url("list.json"), sandbox.copy]
            try await sandbox.launch(line).outcome().expect(0)
            #expect(try kept(Self.secrets, in: sandbox) == [])
            let asked = server.requests.count
            try await sandbox.launch(line).outcome().expect(0)
            #expect(server.requests.count == asked + 1, "the manifest alone was asked for")
            #expect(try kept(Self.secrets, in: sandbox) == [])
        }
    }
}
