import Foundation
import Glibc
import Testing

/// `ferry get -R`, `--max-filesize` and `--retry-on`, as one types them.
@Suite("Everyday options", .limitedParallelism)
struct DailyUseTests {
    private static let content = Content(count: 2 * .mebibyte, seed: 801)
    private static let small = Content(count: 9_000, seed: 802)
    private static let date = "Tue, 15 Nov 1994 12:45:26 GMT"

    private static var notModified: ScriptedReply {
        ScriptedReply(status: 304, fields: [("ETag", "\"a\"")])
    }

    private func modified(_ sandbox: Sandbox, _ name: String) -> Int? {
        var status = stat()
        guard stat(sandbox.path(of: name), &status) == 0 else { return nil }
        return status.st_mtim.tv_sec
    }

    // MARK: The server's time

    @Test("-R gives a file the server's time, and it is still known afterwards")
    func remoteTime() async throws {
        try await ScriptedServer.run { request in
            let content = request.path.contains("small") ? Self.small : Self.content
            var reply = ScriptedReply.serving(content, tag: "\"a\"", to: request)
            if request["if-none-match"] == "\"a\"" { reply = Self.notModified }
            reply.fields.append(("Last-Modified", Self.date))
            return reply
        } _: { server in
            try await Sandbox.open { sandbox in
                // A small file has no part file.
                for name in ["small.bin", "large.bin"] {
                    let url = server.url(name)
                    try await sandbox.ferry("get", "-R", url).expect(0)
                    #expect(modified(sandbox, name) == 784_903_526)
                    let count = server.requests.count
                    try await sandbox.ferry("get", "-R", url).expect(0)
                    #expect(server.requests.count == count, "\(name) is complete")
                    let update = try await sandbox.ferry("get", "-R", "-N", url)
                    update.expect(0)
                    #expect(update.errors.contains("Up to date:"), "\(update)")
                    #expect(modified(sandbox, name) == 784_903_526)
                }
                try await sandbox.ferry("get", server.url("small-2.bin")).expect(0)
                #expect((modified(sandbox, "small-2.bin") ?? 0) > 1_600_000_000)
                let shown = try await sandbox.ferry("show", "1")
                #expect(shown.output.contains("the server's"), "\(shown)")
            }
        }
    }

    @Test("-R changes nothing if the server gives no date", arguments: [nil, "yesterday"])
    func noDate(_ date: String?) async throws {
        try await ScriptedServer.run { _ in
            var reply = ScriptedReply(body: Array(Self.small.bytes))
            if let date { reply.fields.append(("Last-Modified", date)) }
            return reply
        } _: { server in
            try await Sandbox.open { sandbox in
                try await sandbox.ferry("get", "-R", server.url("f.bin")).expect(0)
                #expect((modified(sandbox, "f.bin") ?? 0) > 1_600_000_000)
            }
        }
    }

    // MARK: A maximum length

    @Test("--max-filesize fails with 63 and leaves nothing", arguments: [true, false])
    func maximum(tellsLength: Bool) async throws {
        try await ScriptedServer.run { _ in
            ScriptedReply(
                fields: [("ETag", "\"a\"")],
                body: Array(Self.content.bytes),
                framing: tellsLength ? .length : .chunked
            )
        } _: { server in
            try await Sandbox.open { sandbox in
                let url = server.url("f.bin")
                let refused = try await sandbox.ferry("get", "--max-filesize", "1M", url)
                refused.expect(63)
                #expect(refused.errors.contains("--max-filesize SIZE"), "\(refused)")
                #expect(try sandbox.fileNames() == [] && server.requests.count == 1)
                let shown = try await sandbox.ferry("show", "--json", "1")
                #expect(shown.output.contains(#""code":"tooLong""#), "\(shown)")
                #expect(shown.output.contains(#""maximumLength":1048576"#), "\(shown)")
                try await sandbox.ferry("get", "--max-filesize", "2M", url).expect(0)
                try sandbox.expectOnly("f.bin", Self.content)
            }
        }
    }

    // MARK: Refusals that are not final

    @Test("--retry-on retries a status that is final otherwise")
    func retryOn() async throws {
        try await ScriptedServer.run { request in
            request.ordinal == 1
                ? ScriptedReply(status: 404) : .serving(Self.small, tag: "\"a\"", to: request)
        } _: { server in
            try await Sandbox.open { sandbox in
                try await sandbox.ferry("get", server.url("final.bin")).expect(3)
                try await sandbox.ferry("get", "--retry-on", "404", server.url("f.bin")).expect(0)
                try sandbox.expectOnly("f.bin", Self.small)
                #expect(server.requests.count == 3)
            }
        }
    }

    @Test("a list for `add` has them below a URL")
    func list() async throws {
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(Self.small, tag: "\"a\"", to: request)
            reply.fields.append(("Last-Modified", Self.date))
            return reply
        } _: { server in
            try await Sandbox.open { sandbox in
                let list = sandbox.root + "/list"
                let text = """
                    \(server.url("a.bin"))
                     remote-time=true
                    \(server.url("b.bin"))
                     max-filesize=1k
                    """
                try text.write(toFile: list, atomically: true, encoding: .utf8)
                try await sandbox.ferry("add", "-i", list).expect(0)
                try await sandbox.ferry("run").expect(63)
                #expect(try sandbox.fileNames() == ["a.bin"])
                #expect(modified(sandbox, "a.bin") == 784_903_526)
            }
        }
    }
}
