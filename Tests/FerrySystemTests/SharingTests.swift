import Foundation
import Testing

/// Two commands that request the same download with different options.
@Suite("Options of two commands", .limitedParallelism)
struct SharingTests {
    private static let content = Content(count: 2 * .mebibyte, seed: 651)
    private static let zeros = String(repeating: "0", count: 64)

    /// The options of the second command, and the message about the running download.
    static let stricter = [
        (["--proxy", "http://127.0.0.1:9"], "through another proxy"),
        (["--user", "me:word"], "with credentials other"), (["--bearer", "word"], "with credentials other"),
        (["-H", "X-Edition: 2"], "with header fields other"),
        (["--strict-resume"], "without strict resume"),
        (["--strict-type"], "without refusing web pages"),
        (["--max-filesize", "1G"], "without the maximum length"),
        (["--checksum", "sha256=\(zeros)"], "without the digest"),
    ]

    @Test("a download with other options is not shared, and the second command says why", arguments: stricter)
    func isRefused(_ options: [String], _ reason: String) async throws {
        try await whileOneRuns { sandbox, url, _ in
            for command in ["get", "add"] {
                let second = try await sandbox.launch([command] + options + [url]).outcome()
                second.expect(1)
                #expect(second.errors.contains(reason), "\(second)")
                #expect(
                    second.errors.contains("ferry pause 1") && !second.errors.contains("word"),
                    "\(second)"
                )
            }
        }
    }

    @Test("a refusal names the line of the list, and nothing of its page is added")
    func refusalNamesTheLine() async throws {
        try await whileOneRuns { sandbox, url, _ in
            let list = sandbox.root + "/list"
            try "http://127.0.0.1:1/a\n\n\(url)\n checksum=sha256=\(Self.zeros)\nhttp://127.0.0.1:1/b\n"
                .write(toFile: list, atomically: true, encoding: .utf8)
            let refused = try await sandbox.launch(["add", "-i", list]).outcome()
            refused.expect(1)
            #expect(
                refused.errors.contains("line 3: Transfer 1 already runs without the digest"),
                "\(refused)"
            )
            #expect(try await sandbox.transfers().count == 1)
        }
    }

    @Test("of a list that get runs, only the refused line fails")
    func onlyTheRefusedLineFails() async throws {
        try await whileOneRuns { sandbox, url, _ in
            let list = sandbox.root + "/list"
            try "http://127.0.0.1:1/a\n\n\(url)\n checksum=sha256=\(Self.zeros)\nhttp://127.0.0.1:1/b\n"
                .write(toFile: list, atomically: true, encoding: .utf8)
            let got = try await sandbox.launch(["get", "--retries", "0", "-i", list]).outcome()
            // The status is that of the first line, which no server answers.
            got.expect(6)
            #expect(got.errors.contains("line 3: Transfer 1 already runs without the digest"), "\(got)")
            #expect(got.errors.contains("0 completed, 3 failed"), "\(got)")
            let states = try await sandbox.transfers().map(\.state)
            #expect(states.count == 3 && states.count { $0 == "failed" } == 2, "\(states)")
        }
    }

    @Test(
        "a download with stricter options than the second command's is shared",
        arguments: [
            ["--ignore-server-digests"], ["--allow-downgrade"], ["--retries", "3"], ["--limit-rate", "1G"],
        ]
    )
    func isShared(_ options: [String]) async throws {
        try await whileOneRuns { sandbox, url, finish in
            let second = try sandbox.launch(["get"] + options + [url])
            try await sandbox.transferBecomes("shared") { $0.received >= .mebibyte }
            finish()
            try await second.outcome().expect(0)
        }
    }

    /// Runs `body` while a download is held in the middle, until `finish` is called.
    private func whileOneRuns(
        _ body: (Sandbox, _ url: String, _ finish: () -> Void) async throws -> Void
    ) async throws {
        let gate = Gate()
        defer { gate.open() }
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(Self.content, tag: "\"a\"", to: request)
            reply.gates = [(.mebibyte, gate)]
            return reply
        } _: { sandbox, server in
            let url = server.url("file.bin")
            let first = try sandbox.launch(["get", "-x", "1", url])
            try await sandbox.transferBecomes("half done") { $0.received >= .mebibyte }
            try await body(sandbox, url) { gate.open() }
            gate.open()
            try await first.outcome().expect(0)
            #expect(server.requests.count == 1, "\(server.requests)")
            try sandbox.expectOnly("file.bin", Self.content)
        }
    }
}
