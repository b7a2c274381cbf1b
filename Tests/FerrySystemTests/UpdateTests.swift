import Foundation
import Testing

/// `ferry get --update`: a complete file is asked for again.
@Suite("Updating files", .limitedParallelism)
struct UpdateTests {
    private static let first = Content(count: 9_000, seed: 71)
    private static let second = Content(count: 12_000, seed: 72)
    private static let date = "Tue, 15 Nov 1994 12:45:26 GMT"

    /// A server whose file changes with its second request that is not for the first version.
    private func served(
        changing: Bool,
        _ body: (Sandbox, ScriptedServer) async throws -> Void
    ) async throws {
        try await ScriptedServer.run(with: body) { request in
            let (content, tag) =
                changing && request.ordinal > 1 ? (Self.second, "\"b\"") : (Self.first, "\"a\"")
            if request["if-none-match"] == tag { return ScriptedReply(status: 304, fields: [("ETag", tag)]) }
            var reply = ScriptedReply.serving(content, tag: tag, to: request)
            reply.fields.append(("Last-Modified", Self.date))
            return reply
        }
    }

    @Test("a file whose version the server still has is not fetched again, as often as it is asked for")
    func upToDate() async throws {
        try await served(changing: false) { sandbox, server in
            let url = server.url("file.bin")
            try await sandbox.ferry("get", url).expect(0)
            let path = sandbox.path(of: "file.bin")
            var (before, after) = (stat(), stat())
            #expect(stat(path, &before) == 0)
            for _ in 0..<2 {
                let again = try await sandbox.ferry("get", "--update", url)
                again.expect(0)
                let lines = again.errors.split(separator: "\n")
                #expect(lines.count == 2, "\(again)")
                #expect(
                    lines.first?.hasPrefix("Checking file.bin against \(url) (transfer ") == true,
                    "\(again)"
                )
                #expect(lines.last?.hasPrefix("Up to date: ") == true, "\(again)")
            }
            #expect(stat(path, &after) == 0)
            #expect(before.st_ino == after.st_ino && before.st_mtim.tv_nsec == after.st_mtim.tv_nsec)
            let asked = server.requests.map { ($0["if-none-match"], $0["if-modified-since"]) }
            #expect(
                asked.map(\.0) == [nil, "\"a\"", "\"a\""] && asked.map(\.1) == [nil, Self.date, Self.date]
            )
            let shown = try await sandbox.ferry("show", "--json", "3")
            #expect(
                shown.output.contains(#""etag":"\"a\"""#) && shown.output.contains("1994-11-15T12:45:26"),
                "\(shown)"
            )
            #expect(shown.output.contains(#""noteCode":"upToDate""#), "\(shown)")
        }
    }

    @Test("several files that are up to date are told in one line, or each with -v")
    func severalUpToDate() async throws {
        try await ScriptedServer.run { request in
            let tag = ("ETag", "\"1\"")
            if request["if-none-match"] == tag.1 { return ScriptedReply(status: 304, fields: [tag]) }
            return ScriptedReply(fields: [tag], body: Array("of \(request.path)".utf8))
        } _: { sandbox, server in
            let urls = ["a", "b", "c"].map { server.url($0) }
            try await sandbox.launch(["get"] + urls).outcome().expect(0)
            let again = try await sandbox.launch(["get", "--update"] + urls).outcome()
            again.expect(0)
            #expect(again.errors.contains("no other version of 3 files, such as "), "\(again)")
            #expect(!again.errors.contains("Up to date"), "\(again)")
            let each = try await sandbox.launch(["get", "--update", "-v"] + urls).outcome()
            each.expect(0)
            #expect(each.errors.ranges(of: "Up to date: ").count == 3, "\(each)")
            #expect(each.errors.ranges(of: "< 304, the file is unchanged").count == 3, "\(each)")
            #expect(!each.errors.contains("before the end"), "\(each)")
        }
    }

    @Test("another version replaces the file when it is complete")
    func replaced() async throws {
        try await served(changing: true) { sandbox, server in
            let url = server.url("file.bin")
            try await sandbox.ferry("get", url).expect(0)
            try await sandbox.ferry("get", "--update", url).expect(0)
            let path = sandbox.path(of: "file.bin")
            #expect(FileManager.default.contents(atPath: path) == Self.second.bytes)
            #expect(try sandbox.fileNames() == ["file.bin"])
            let again = try await sandbox.ferry("get", "--update", url)
            again.expect(0)
            #expect(again.errors.contains("Up to date:"), "\(again)")
        }
    }

    @Test("the old file stays until the other version is complete, also over an interruption")
    func interrupted() async throws {
        try await ScriptedServer.run { request in
            guard request.ordinal > 1 else { return .serving(Self.first, tag: "\"a\"", to: request) }
            var reply = ScriptedReply.serving(Self.second, tag: "\"b\"", to: request)
            if request.ordinal == 2 { reply.cut = .init(bytes: 5_000, then: .hangUp) }
            return reply
        } _: { sandbox, server in
            let url = server.url("file.bin")
            let path = sandbox.path(of: "file.bin")
            try await sandbox.ferry("get", url).expect(0)
            try await sandbox.ferry("get", "--update", "--retries", "0", url).expect(6)
            #expect(FileManager.default.contents(atPath: path) == Self.first.bytes)
            try await sandbox.ferry("get", "--update", url).expect(0)
            #expect(FileManager.default.contents(atPath: path) == Self.second.bytes)
            #expect(server.requests.last?.rangeStart == 5_000)
        }
    }

    @Test("a file that was changed here is not replaced without --overwrite")
    func changedHere() async throws {
        try await served(changing: true) { sandbox, server in
            let url = server.url("file.bin")
            try await sandbox.ferry("get", url).expect(0)
            let path = sandbox.path(of: "file.bin")
            let mine = Data("mine".utf8)
            try mine.write(to: URL(fileURLWithPath: path))
            let refused = try await sandbox.ferry("get", "--update", url)
            refused.expect(13)
            #expect(refused.errors.contains("is not the file that was saved any more"), "\(refused)")
            #expect(refused.errors.contains("--overwrite"), "\(refused)")
            #expect(FileManager.default.contents(atPath: path) == mine)
            try await sandbox.ferry("get", "--update", "--overwrite", url).expect(0)
            #expect(FileManager.default.contents(atPath: path) == Self.second.bytes)
        }
    }

    @Test("without a complete file it downloads, and a file without a record is not replaced")
    func withoutRecord() async throws {
        try await served(changing: false) { sandbox, server in
            let url = server.url("file.bin")
            let path = sandbox.path(of: "file.bin")
            try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
            let refused = try await sandbox.ferry("get", "--update", url)
            refused.expect(13)
            #expect(refused.errors.contains("no completed transfer tells which version"), "\(refused)")
            #expect(unlink(path) == 0)
            try await sandbox.ferry("get", "--update", url).expect(0)
            #expect(FileManager.default.contents(atPath: path) == Self.first.bytes)
        }
    }
}
