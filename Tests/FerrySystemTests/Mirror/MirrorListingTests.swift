import Foundation
import Synchronization
import Testing

/// What `ferry mirror` makes of the answers to its questions about directories.
@Suite("Listings of mirrors", .limitedParallelism)
struct MirrorListingTests {
    private static func file(_ request: ScriptedRequest) -> ScriptedReply {
        ScriptedReply(fields: [("ETag", "\"x\"")], body: Array("of \(request.path)".utf8))
    }

    /// The answer to a `PROPFIND`, with directories that end with a slash.
    private static func properties(of paths: [String]) -> ScriptedReply {
        let responses = paths.map { path in
            let type = path.hasSuffix("/") ? "<D:collection/>" : ""
            return """
                <D:response><D:href>\(path)</D:href><D:propstat><D:prop><D:resourcetype>\(type)</D:resourcetype>\
                <D:getetag>"x"</D:getetag></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>
                """
        }
        let text = "<D:multistatus xmlns:D=\"DAV:\">\(responses.joined())</D:multistatus>"
        return ScriptedReply(
            status: 207,
            fields: [("Content-Type", "application/xml")],
            body: Array(text.utf8)
        )
    }

    @Test("a pattern is compared with the names at the source, also where they are changed here")
    func patternsAndNames() async throws {
        try await ScriptedServer.run { request in
            guard request.method == "GET" else { return ScriptedReply(status: 405) }
            if request.path == "/" { return .page([".git/", ".env", "a%3Ab.txt", "c.txt"]) }
            if request.path == "/.git/" { return .page(["config"]) }
            return Self.file(request)
        } _: { sandbox, server in
            let mirror = ["mirror", "--delete", server.url(""), sandbox.copy]
            let some = mirror + ["--exclude", ".*", "--exclude", "a:*"]
            try await sandbox.launch(some).outcome().expect(0)
            #expect(try sandbox.copiedFiles().keys.sorted() == ["c.txt"])
            #expect(!server.requests.contains { $0.path.hasPrefix("/.git") })
            try await sandbox.launch(mirror).outcome().expect(0)
            let all = ["a_b.txt", "c.txt", "env", "git/config"]
            let names = try sandbox.copiedFiles().keys.sorted()
            #expect(names == all)
            // What a filter leaves out is not gone.
            try await sandbox.launch(some).outcome().expect(0)
            #expect(try sandbox.copiedFiles().keys.sorted() == all)
        }
    }

    @Test("a WebDAV server whose answer does not even have the directory itself empties no mirror")
    func emptyProperties() async throws {
        let answers = Mutex([["/", "/f.txt", "/g.txt"], [], ["/", "/g.txt"]])
        try await ScriptedServer.run { request in
            guard request.method == "PROPFIND" else { return Self.file(request) }
            return Self.properties(of: answers.withLock { $0.isEmpty ? ["/"] : $0.removeFirst() })
        } _: { sandbox, server in
            let mirror = ["mirror", "--delete", server.url(""), sandbox.copy]
            try await sandbox.launch(mirror).outcome().expect(0)
            let refused = try await sandbox.launch(mirror).outcome()
            refused.expect(22)
            #expect(refused.errors.contains("is not a directory listing"), "\(refused)")
            #expect(try sandbox.copiedFiles().keys.sorted() == ["f.txt", "g.txt"])
            try await sandbox.launch(mirror).outcome().expect(0)
            #expect(try sandbox.copiedFiles().keys.sorted() == ["g.txt"])
            let emptied = try await sandbox.launch(mirror).outcome()
            emptied.expect(0)
            #expect(emptied.errors.contains("The source lists no file at all"), "\(emptied)")
            #expect(try sandbox.copiedFiles().keys.sorted() == ["g.txt"])
        }
    }

    @Test("a WebDAV server that is busy is asked again, and its directory is not left out")
    func busyServer() async throws {
        try await ScriptedServer.run { request in
            guard request.method == "PROPFIND" else { return Self.file(request) }
            if request.ordinal == 1 { return ScriptedReply(status: 503, fields: [("Retry-After", "0")]) }
            return Self.properties(of: request.path == "/" ? ["/", "/sub/"] : ["/sub/", "/sub/f.txt"])
        } _: { sandbox, server in
            try await sandbox.ferry("mirror", server.url(""), sandbox.copy).expect(0)
            #expect(try sandbox.copiedFiles().keys.sorted() == ["sub/f.txt"])
            #expect(server.requests.allSatisfy { $0.method == "PROPFIND" || $0.path == "/sub/f.txt" })
        }
    }

    @Test("a command removes nothing after another one has listed the source for other files")
    func twoCommands() async throws {
        let gate = Gate()
        try await ScriptedServer.run { request in
            guard request.method == "GET" else { return ScriptedReply(status: 405) }
            if request.path == "/" { return .page(["a.iso", "b.txt"]) }
            var reply = Self.file(request)
            if request.path == "/b.txt" { reply.gates = [(0, gate)] }
            return reply
        } _: { sandbox, server in
            let mirror = ["mirror", "--delete", server.url(""), sandbox.copy]
            let first = try sandbox.launch(mirror)
            try await Deadline.wait(for: "the request for the second file") {
                server.requests.contains { $0.path == "/b.txt" }
            }
            try await sandbox.launch(mirror + ["--include", "*.iso"]).outcome().expect(0)
            gate.open()
            let outcome = try await first.outcome()
            outcome.expect(1)
            #expect(outcome.errors.contains("Another process mirrors"), "\(outcome)")
            #expect(try sandbox.copiedFiles().keys.sorted() == ["a.iso", "b.txt"])
            try await sandbox.launch(mirror).outcome().expect(0)
        }
    }

    @Test(
        "a page that is no listing, or that is cut off, empties no mirror",
        arguments: [
            "<title>Sign in</title><a href=\"forgot\">x</a></html>",
            "<title>Sign in</title><!-- index of --></html>",
            "<title>Index of</title><a href=\"b.txt\">x</a> 15-Nov-1994 12:45 4\n",
        ]
    )
    func otherPage(_ text: String) async throws {
        let isOther = Flag()
        try await ScriptedServer.run { request in
            guard request.method == "GET" else { return ScriptedReply(status: 405) }
            guard request.path == "/" else { return Self.file(request) }
            guard isOther.isSet else { return .page(["a.txt", "b.txt"]) }
            var reply = ScriptedReply(fields: [("Content-Type", "text/html")], body: Array(text.utf8))
            reply.framing = .untilClose
            return reply
        } _: { sandbox, server in
            let mirror = ["mirror", "--delete", "--retries", "0", server.url(""), sandbox.copy]
            try await sandbox.launch(mirror).outcome().expect(0)
            isOther.set()
            let outcome = try await sandbox.launch(mirror).outcome()
            #expect(outcome.status != 0, "\(outcome)")
            #expect(try sandbox.copiedFiles().keys.sorted() == ["a.txt", "b.txt"])
        }
    }

    @Test("a source that is not there leaves no directory behind, and an empty one does")
    func missing() async throws {
        let isThere = Flag()
        try await ScriptedServer.run { _ in
            isThere.isSet ? .page([]) : ScriptedReply(status: 404)
        } _: { sandbox, server in
            for status in [3, 0] as [Int32] {
                try await sandbox.launch(["mirror", server.url(""), sandbox.copy]).outcome().expect(
                    status
                )
                #expect(FileManager.default.fileExists(atPath: sandbox.copy) == (status == 0))
                isThere.set()
            }
        }
    }

    @Test("the URL of a file is not a source, and the hint names the command that fetches it")
    func fileAsSource() async throws {
        try await ScriptedServer.run { request in
            request.path == "/sub/f2.txt" ? Self.file(request) : ScriptedReply(status: 404)
        } _: { sandbox, server in
            let outcome = try await sandbox.launch(["mirror", server.url("sub/f2.txt"), sandbox.copy])
                .outcome()
            outcome.expect(3)
            let hint = "If it is a file, `ferry get \(server.url("sub/f2.txt"))` fetches it."
            #expect(outcome.errors.contains(hint), "\(outcome)")
            // The top of a server is no file.
            let top = try await sandbox.launch(["mirror", server.url(""), sandbox.copy]).outcome()
            top.expect(3)
            #expect(!top.errors.contains("If it is a file"), "\(top)")
        }
    }

    @Test("nothing is removed when a file could not be downloaded")
    func failedDownload() async throws {
        let isRenamed = Flag()
        try await ScriptedServer.run { request in
            guard request.method == "GET" else { return ScriptedReply(status: 405) }
            if request.path == "/" { return .page([isRenamed.isSet ? "b.txt" : "a.txt", "c.txt"]) }
            return request.path == "/b.txt" ? ScriptedReply(status: 404) : Self.file(request)
        } _: { sandbox, server in
            let mirror = ["mirror", "--delete", server.url(""), sandbox.copy]
            try await sandbox.launch(mirror).outcome().expect(0)
            isRenamed.set()
            let outcome = try await sandbox.launch(mirror).outcome()
            outcome.expect(3)
            #expect(outcome.errors.contains("Not everything could be downloaded"), "\(outcome)")
            #expect(outcome.errors.contains("the `ferry mirror` line to try again"), "\(outcome)")
            #expect(try sandbox.copiedFiles().keys.sorted() == ["a.txt", "c.txt"])

            // A file of the user shows nothing about the source.
            try Data("mine".utf8).write(to: URL(fileURLWithPath: "\(sandbox.copy)/b.txt"))
            let own = try await sandbox.launch(mirror).outcome()
            own.expect(13)
            #expect(own.errors.contains("the `ferry mirror` line with --overwrite"), "\(own)")
            for text in [outcome.errors, own.errors] { #expect(!text.contains("ferry get"), "\(text)") }
            #expect(try sandbox.copiedFiles().keys.sorted() == ["b.txt", "c.txt"])
            #expect(try sandbox.copiedFiles()["b.txt"] == Data("mine".utf8))
        }
    }

    @Test("a file that was never downloaded is gone once, when the source no longer lists it")
    func goneBeforeItCame() async throws {
        let isGone = Flag()
        try await ScriptedServer.run { request in
            guard request.method == "GET" else { return ScriptedReply(status: 405) }
            if request.path == "/" { return .page(isGone.isSet ? ["a.txt"] : ["a.txt", "b.txt"]) }
            return request.path == "/b.txt" ? ScriptedReply(status: 404) : Self.file(request)
        } _: { sandbox, server in
            let mirror = ["mirror", "--json", server.url(""), sandbox.copy]
            try await sandbox.launch(mirror).outcome().expect(3)
            isGone.set()
            for count in [1, 0] {
                let outcome = try await sandbox.launch(mirror).outcome()
                outcome.expect(0)
                #expect(try outcome.summary("gone") == count, "\(outcome)")
            }
        }
    }

    @Test("names that only look alike are two files, and one that has another's path removes none")
    func alikeNames() async throws {
        let isLater = Flag()
        try await ScriptedServer.run { request in
            guard request.method == "GET" else { return ScriptedReply(status: 405) }
            guard request.path == "/" else {
                return ScriptedReply(
                    fields: [("ETag", "\"\(request.path)\"")],
                    body: Array(request.path.utf8)
                )
            }
            // An accented letter, composed and decomposed.
            let alike = ["e%CC%81.txt", "%C3%A9.txt"]
            return .page(isLater.isSet ? alike + ["a*b.txt", "a%3Ab.txt"] : [alike[0], "a%3Ab.txt"])
        } _: { sandbox, server in
            let mirror = ["mirror", "--delete", server.url(""), sandbox.copy]
            try await sandbox.launch(mirror).outcome().expect(0)
            isLater.set()
            for _ in 1...2 {
                let outcome = try await sandbox.launch(mirror).outcome()
                outcome.expect(22)
                #expect(outcome.errors.contains("has the same path here"), "\(outcome)")
                #expect(outcome.errors.contains("so nothing is removed"), "\(outcome)")
                // As keys of a dictionary, the names would be one.
                let files = try FileManager.default.contentsOfDirectory(atPath: sandbox.copy).map {
                    try String(contentsOfFile: "\(sandbox.copy)/\($0)", encoding: .utf8)
                }
                #expect(files.sorted() == ["/%C3%A9.txt", "/a*b.txt", "/e%CC%81.txt"])
            }
        }
    }

    @Test("a source that is listed in another way than before removes nothing in that pass")
    func otherLanguage() async throws {
        let isPage = Flag()
        try await ScriptedServer.run { request in
            if request.method == "PROPFIND" {
                return isPage.isSet
                    ? ScriptedReply(status: 405) : Self.properties(of: ["/", "/a.txt", "/b.txt"])
            }
            return request.path == "/" ? .page(["b.txt"]) : Self.file(request)
        } _: { sandbox, server in
            let mirror = ["mirror", "--delete", server.url(""), sandbox.copy]
            try await sandbox.launch(mirror).outcome().expect(0)
            isPage.set()
            let outcome = try await sandbox.launch(mirror).outcome()
            outcome.expect(22)
            #expect(outcome.errors.contains("in another way"), "\(outcome)")
            #expect(try sandbox.copiedFiles().keys.sorted() == ["a.txt", "b.txt"])
            try await sandbox.launch(mirror).outcome().expect(0)
            #expect(try sandbox.copiedFiles().keys.sorted() == ["b.txt"])
        }
    }

    @Test(
        "files that the server was asked about in vain are told in one line, or each with -v",
        arguments: [
            ("ETag", "\"1\"", "if-none-match"),
            ("Last-Modified", "Tue, 15 Nov 1994 12:45:26 GMT", "if-modified-since"),
        ]
    )
    func tellsUnchangedFilesAtOnce(_ field: String, _ value: String, _ condition: String) async throws {
        let names = ["a.txt", "b.txt", "c.txt"]
        // The listing tells no versions apart.
        let list = names.map { "<a href=\"\($0)\">\($0)</a>\n" }.joined()
        try await ScriptedServer.run { request in
            guard request.method == "GET" else { return ScriptedReply(status: 405) }
            if request.path == "/" {
                let text = "<title>Index of /</title><pre>\(list)</pre></html>"
                return ScriptedReply(fields: [("Content-Type", "text/html")], body: Array(text.utf8))
            }
            let validator = (field, value)
            if request[condition] == value { return ScriptedReply(status: 304, fields: [validator]) }
            return ScriptedReply(fields: [validator], body: Array("of 1".utf8))
        } _: { sandbox, server in
            let mirror = ["mirror", server.url(""), sandbox.copy]
            let first = try await sandbox.launch(mirror).outcome()
            first.expect(0)
            for name in names { #expect(first.errors.contains("/\(name) ("), "\(first)") }
            #expect(!first.errors.contains("no other version"), "\(first)")
            let second = try await sandbox.launch(mirror).outcome()
            second.expect(0)
            let lines = second.errors.split(separator: "\n")
            #expect(lines.count == 2, "\(second)")
            #expect(lines.first?.contains("no other version of 3 files, such as ") == true, "\(second)")
            #expect(lines.last?.contains("3 unchanged") == true, "\(second)")
            let each = try await sandbox.launch(mirror + ["-v"]).outcome()
            each.expect(0)
            for name in names {
                #expect(each.errors.contains("/copy/\(name).\n"), "\(each)")
            }
            #expect(!each.errors.contains("3 files, such as"), "\(each)")
        }
    }
}
