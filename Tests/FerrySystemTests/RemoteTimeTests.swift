import Foundation
import Glibc
import Testing

/// `ferry get -R`, as one types it.
@Suite("The server's time of a file", .limitedParallelism)
struct RemoteTimeTests {
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

    @Test("-R gives a file the server's time, and it is still known afterwards")
    func remoteTime() async throws {
        try await ScriptedServer.run { request in
            let content = request.path.contains("small") ? Self.small : Self.content
            var reply = ScriptedReply.serving(content, tag: "\"a\"", to: request)
            if request["if-none-match"] == "\"a\"" { reply = Self.notModified }
            reply.fields.append(("Last-Modified", Self.date))
            return reply
        } _: { sandbox, server in
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

    @Test("-R changes nothing if the server gives no date", arguments: [nil, "yesterday"])
    func noDate(_ date: String?) async throws {
        try await ScriptedServer.run { _ in
            var reply = ScriptedReply(body: Array(Self.small.bytes))
            if let date { reply.fields.append(("Last-Modified", date)) }
            return reply
        } _: { sandbox, server in
            try await sandbox.ferry("get", "-R", server.url("f.bin")).expect(0)
            #expect((modified(sandbox, "f.bin") ?? 0) > 1_600_000_000)
        }
    }

    @Test("a list for `add` has it below a URL")
    func listed() async throws {
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(Self.small, tag: "\"a\"", to: request)
            reply.fields.append(("Last-Modified", Self.date))
            return reply
        } _: { sandbox, server in
            let list = sandbox.root + "/list"
            let text = "\(server.url("a.bin"))\n remote-time=true\n\(server.url("b.bin"))\n"
            try text.write(toFile: list, atomically: true, encoding: .utf8)
            try await sandbox.ferry("add", "-i", list).expect(0)
            try await sandbox.ferry("run").expect(0)
            #expect(modified(sandbox, "a.bin") == 784_903_526)
            #expect((modified(sandbox, "b.bin") ?? 0) > 1_600_000_000)
        }
    }
}
