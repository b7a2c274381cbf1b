import Foundation
import Testing

/// What `ferry mirror` never does: leave its directory, follow a link, or lose a file of the user.
@Suite("Safe mirrors", .limitedParallelism)
struct MirrorSafetyTests {
    private func names(in sandbox: Sandbox) throws -> [String] { try sandbox.copiedFiles().keys.sorted() }

    @Test("a hostile listing places nothing outside, ends, and is told of")
    func hostileListing() async throws {
        let links = [
            "../x.txt", "/etc/passwd", "http://127.0.0.1:1/y.txt", "//127.0.0.1:1/z.txt", "", "./", ".", "..",
            "?C=N;O=D", "..%2Fup.txt", "%2Fetc%2Fshadow", "a%00b.txt", "%2e%2e%2fdots.txt", "sub/below.txt",
            "CON", ".hidden", "-rf", "good.txt", "loop/", "above/", "a:b.txt", "a*b.txt", "%ff.txt",
        ]
        try await ScriptedServer.run { request in
            guard request.method == "GET" else { return ScriptedReply(status: 405) }
            if request.path.hasSuffix("/above/") {
                return ScriptedReply(status: 302, fields: [("Location", "/pub/")])
            }
            if request.path.hasSuffix("/") { return .page(links) }
            return ScriptedReply(fields: [("ETag", "\"x\"")], body: Array("good".utf8))
        } _: { sandbox, server in
            let outcome = try await sandbox.ferry("mirror", server.url("pub/"), sandbox.copy)
            outcome.expect(22)
            #expect(outcome.errors.contains("..%2Fup.txt in the source is left out"), "\(outcome)")
            #expect(outcome.errors.contains("a%00b.txt"), "\(outcome)")
            #expect(outcome.errors.contains("above could not be listed"), "\(outcome)")
            #expect(outcome.errors.contains("too deep"), "\(outcome)")
            let names = try names(in: sandbox).filter { !$0.hasPrefix("loop/") }
            #expect(names == ["_CON", "_rf", "a_b.txt", "good.txt", "hidden"])
            let asked = Set(server.requests.map(\.path))
            #expect(asked.allSatisfy { $0.hasPrefix("/pub/") }, "\(asked)")
            #expect(try sandbox.fileNames() == ["copy"])
            let levels = try self.names(in: sandbox).filter { $0.hasSuffix("good.txt") }.count
            #expect(levels == 65)
        }
    }

    @Test("of two entries with one path here only the first is copied, and the other is told of")
    func samePath() async throws {
        try await ScriptedServer.run { request in
            guard request.method == "GET" else { return ScriptedReply(status: 405) }
            if request.path == "/" { return .page(["a%3Ab.txt", "a*b.txt", "c", "c/"]) }
            if request.path == "/c/" { return .page(["d.txt"]) }
            return ScriptedReply(fields: [("ETag", "\"x\"")], body: Array(request.path.utf8))
        } _: { sandbox, server in
            for words in [[], ["-q"], ["--dry-run"]] {
                let outcome = try await sandbox.launch(
                    ["mirror", server.url(""), sandbox.copy] + words
                ).outcome()
                outcome.expect(22)
                #expect(outcome.errors.contains("a_b.txt in"), "\(outcome)")
                #expect(outcome.errors.contains("has the same path here"), "\(outcome)")
                let files = try sandbox.copiedFiles().mapValues { String(decoding: $0, as: UTF8.self) }
                #expect(files == ["a_b.txt": "/a%3Ab.txt", "c": "/c"])
            }
            #expect(!server.requests.contains { $0.path == "/c/" })
        }
    }

    @Test(
        "a server that answers 304 for a file that its listing calls changed is asked again by the next run"
    )
    func staleAnswer() async throws {
        let isChanged = Flag()
        try await ScriptedServer.run { request in
            guard request.method == "GET" else { return ScriptedReply(status: 405) }
            if request.path == "/" {
                let minute = isChanged.isSet ? "13" : "12"
                let text =
                    "<title>Index of</title><a href=\"f.txt\">f.txt</a> 15-Nov-1994 \(minute):45 4\n</html>"
                return ScriptedReply(fields: [("Content-Type", "text/html")], body: Array(text.utf8))
            }
            // The second answer is one from before the change.
            if request.ordinal == 2 { return ScriptedReply(status: 304, fields: [("ETag", "\"1\"")]) }
            let version = request.ordinal == 1 ? "1" : "2"
            return ScriptedReply(fields: [("ETag", "\"\(version)\"")], body: Array("of \(version)".utf8))
        } _: { sandbox, server in
            let mirror = ["mirror", "--json", server.url(""), sandbox.copy]
            try await sandbox.launch(mirror).outcome().expect(0)
            isChanged.set()
            let expected = [("unchanged", "of 1"), ("changed", "of 2"), ("unchanged", "of 2")]
            for (standing, text) in expected {
                let outcome = try await sandbox.launch(mirror).outcome()
                outcome.expect(0)
                #expect(try outcome.summary(standing) == 1, "\(outcome)")
                #expect(try sandbox.copiedFiles()["f.txt"] == Data(text.utf8))
            }
            #expect(server.requests.filter { $0.path == "/f.txt" }.count == 3)
        }
    }

    @Test("a password in the URL of the source is sent, and neither shown nor kept")
    func password() async throws {
        try await Sandbox.open { sandbox in
            try sandbox.publish(Content("inside"), at: "sub/file.txt")
            let server = try await sandbox.start(
                Nginx(),
                ServerOptions(listsDirectories: true, credentials: ("user", "hunter2hunter2"))
            )
            let source = server.url("", userinfo: "user:hunter2hunter2")
            for _ in 1...2 {
                let outcome = try await sandbox.ferry("mirror", source, sandbox.copy)
                outcome.expect(0)
                #expect(!(outcome.output + outcome.errors).contains("hunter2"), "\(outcome)")
            }
            #expect(try names(in: sandbox) == ["sub/file.txt"])
            for name in try FileManager.default.contentsOfDirectory(atPath: sandbox.data) {
                let bytes = FileManager.default.contents(atPath: "\(sandbox.data)/\(name)") ?? Data()
                #expect(bytes.firstRange(of: Data("hunter2".utf8)) == nil, "\(name)")
            }
            try await sandbox.ferry("mirror", server.url(""), sandbox.copy).expect(24)
        }
    }

    @Test("a directory that is a link is not entered")
    func link() async throws {
        try await Sandbox.open { sandbox in
            try sandbox.publish(Content("inside"), at: "sub/file.txt")
            try sandbox.publish(Content("beside"), at: "file.txt")
            let server = try await sandbox.start(Nginx(), ServerOptions(listsDirectories: true))
            let outside = sandbox.path(of: "outside")
            for path in [sandbox.copy, outside] {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            }
            try FileManager.default.createSymbolicLink(
                atPath: sandbox.copy + "/sub",
                withDestinationPath: outside
            )
            for words in [["--dry-run"], []] {
                let mirror = ["mirror", server.url(""), sandbox.copy]
                let outcome = try await sandbox.launch(mirror + words).outcome()
                outcome.expect(16)
                let told = "sub could not be made: A link or a file is in the place of a directory"
                #expect(outcome.errors.contains(told), "\(outcome)")
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: outside) == [])
            #expect(try names(in: sandbox) == ["file.txt"])
        }
    }

    @Test("a file of the user is replaced only with --overwrite")
    func ownFile() async throws {
        try await Sandbox.open { sandbox in
            try sandbox.publish(Content("theirs"), at: "file.txt")
            let server = try await sandbox.start(Nginx(), ServerOptions(listsDirectories: true))
            try FileManager.default.createDirectory(atPath: sandbox.copy, withIntermediateDirectories: false)
            let file = sandbox.copy + "/file.txt"
            try "mine".write(toFile: file, atomically: true, encoding: .utf8)
            for _ in 1...2 {
                let refused = try await sandbox.ferry("mirror", "--delete", server.url(""), sandbox.copy)
                refused.expect(13)
                #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
            }
            #expect(server.requests.allSatisfy { $0.path == "/" }, "\(server.requests)")
            try await sandbox.ferry("mirror", "--overwrite", server.url(""), sandbox.copy).expect(0)
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "theirs")
        }
    }

    @Test("a placed file that was changed here stays, also if the source has another version")
    func changedHere() async throws {
        try await Sandbox.open { sandbox in
            try sandbox.publish(Content("theirs"), at: "file.txt")
            let server = try await sandbox.start(Nginx(), ServerOptions(listsDirectories: true))
            try await sandbox.ferry("mirror", server.url(""), sandbox.copy).expect(0)
            let file = sandbox.copy + "/file.txt"
            try "mine".write(toFile: file, atomically: true, encoding: .utf8)
            let same = try await sandbox.ferry("mirror", server.url(""), sandbox.copy)
            same.expect(0)
            #expect(same.errors.contains("file.txt: changed here, left alone."), "\(same)")
            try sandbox.publish(Content("theirs, later"), at: "file.txt")
            try await sandbox.ferry("mirror", server.url(""), sandbox.copy).expect(13)
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
            try await sandbox.ferry("mirror", "--overwrite", server.url(""), sandbox.copy).expect(0)
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "theirs, later")
        }
    }

    @Test("a file of the user is named in every pass, and does not hold up the deletion of others")
    func conflict() async throws {
        try await Sandbox.open { sandbox in
            for path in ["changed.txt", "gone.txt"] { try sandbox.publish(Content("theirs"), at: path) }
            let server = try await sandbox.start(Nginx(), ServerOptions(listsDirectories: true))
            let mirror = ["mirror", "--delete", server.url(""), sandbox.copy]
            try await sandbox.launch(mirror).outcome().expect(0)
            for path in ["changed.txt", "foreign.txt"] {
                try "mine".write(toFile: "\(sandbox.copy)/\(path)", atomically: true, encoding: .utf8)
                try sandbox.publish(Content("theirs, later"), at: path)
            }
            try FileManager.default.removeItem(atPath: sandbox.site + "/gone.txt")
            let planned = try await sandbox.launch(mirror + ["--dry-run"]).outcome()
            planned.expect(13)
            let lines = Set(planned.output.split(separator: "\n"))
            #expect(lines == ["conflict\tchanged.txt", "conflict\tforeign.txt", "delete\tgone.txt"])
            for pass in 1...2 {
                let outcome = try await sandbox.launch(mirror).outcome()
                outcome.expect(13)
                #expect(outcome.errors.contains("changed.txt is not replaced: It was changed"), "\(outcome)")
                #expect(outcome.errors.contains("foreign.txt is not replaced: The mirror did"), "\(outcome)")
                #expect(outcome.errors.contains("Removed gone.txt") == (pass == 1), "\(outcome)")
                let files = try sandbox.copiedFiles().mapValues { String(decoding: $0, as: UTF8.self) }
                #expect(files == ["changed.txt": "mine", "foreign.txt": "mine"])
            }
            #expect(try await sandbox.launch(mirror + ["--json"]).outcome().summary("conflicts") == 2)
            try FileManager.default.removeItem(atPath: sandbox.copy + "/foreign.txt")
            let quiet = try await sandbox.launch(mirror + ["-q"]).outcome()
            quiet.expect(13)
            #expect(quiet.output.isEmpty && quiet.errors.contains("1 not replaced"), "\(quiet)")
            #expect(quiet.errors.contains("changed.txt is not replaced: It was changed"), "\(quiet)")
            try await sandbox.launch(mirror + ["--overwrite"]).outcome().expect(0)
            let files = try sandbox.copiedFiles().mapValues { String(decoding: $0, as: UTF8.self) }
            #expect(files == ["changed.txt": "theirs, later", "foreign.txt": "theirs, later"])
        }
    }

    @Test("--delete removes what the mirror placed, and nothing that was changed or that it did not place")
    func deletion() async throws {
        try await Sandbox.open { sandbox in
            for path in ["keep.txt", "gone.txt", "changed.txt", "sub/gone.txt", "old/deep/gone.txt"] {
                try sandbox.publish(Content("of \(path)"), at: path)
            }
            let server = try await sandbox.start(Nginx(), ServerOptions(listsDirectories: true))
            let mirror = ["mirror", server.url(""), sandbox.copy]
            try await sandbox.launch(mirror).outcome().expect(0)
            try "mine".write(toFile: sandbox.copy + "/sub/mine.txt", atomically: true, encoding: .utf8)
            try "mine".write(toFile: sandbox.copy + "/changed.txt", atomically: true, encoding: .utf8)
            for path in ["gone.txt", "changed.txt", "sub", "old"] {
                try FileManager.default.removeItem(atPath: "\(sandbox.site)/\(path)")
            }
            let all = try names(in: sandbox)
            let kept = try await sandbox.launch(mirror).outcome()
            kept.expect(0)
            #expect(kept.errors.contains("4 gone"), "\(kept)")
            #expect(kept.errors.contains(" and 1 more. Repeat the `ferry mirror` line"), "\(kept)")
            let planned = try await sandbox.launch(mirror + ["--delete", "--dry-run"]).outcome()
            planned.expect(0)
            #expect(planned.output.contains("delete\tsub/gone.txt"), "\(planned)")
            #expect(!planned.output.contains("changed.txt"), "\(planned)")
            #expect(try names(in: sandbox) == all)

            let deleted = try await sandbox.launch(mirror + ["--delete"]).outcome()
            deleted.expect(0)
            #expect(deleted.errors.contains("changed.txt is not removed"), "\(deleted)")
            #expect(try names(in: sandbox) == ["changed.txt", "keep.txt", "sub/mine.txt"])
            #expect(!FileManager.default.fileExists(atPath: sandbox.copy + "/old"))

            // The source has only files that the mirror does not know, and then only a directory that it knows.
            try sandbox.publish(Content("new"), at: "sub/new.txt")
            try FileManager.default.removeItem(atPath: sandbox.site + "/keep.txt")
            let replaced = try await sandbox.launch(mirror + ["--delete", "--dry-run"]).outcome()
            let lines = Set(replaced.output.split(separator: "\n"))
            #expect(lines == ["new\tsub/new.txt", "delete\tkeep.txt"], "\(replaced)")
            try await sandbox.launch(mirror + ["--delete"]).outcome().expect(0)
            #expect(try names(in: sandbox) == ["changed.txt", "sub/mine.txt", "sub/new.txt"])
            try FileManager.default.removeItem(atPath: sandbox.site + "/sub/new.txt")
            for words in [["--dry-run"], []] {
                let emptied = try await sandbox.launch(mirror + ["--delete"] + words).outcome()
                #expect(emptied.errors.contains("The source lists no file at all"), "\(emptied)")
                #expect(!emptied.errors.contains("with --delete"), "\(emptied)")
            }
            #expect(try names(in: sandbox).contains("sub/new.txt"))
        }
    }

    @Test("what could not be listed, or what a filter leaves out, is not gone")
    func incomplete() async throws {
        try await Sandbox.open { sandbox in
            for path in ["a.txt", "b.iso", "sub/c.txt", "sub/d.iso"] {
                try sandbox.publish(Content("of \(path)"), at: path)
            }
            let server = try await sandbox.start(Nginx(), ServerOptions(listsDirectories: true))
            let mirror = ["mirror", "--delete", server.url(""), sandbox.copy]
            try await sandbox.launch(mirror).outcome().expect(0)
            for filter in [["--include", "*.iso"], ["--exclude", "sub"], ["--exclude", "/sub/*"]] {
                try await sandbox.launch(mirror + filter).outcome().expect(0)
                #expect(try names(in: sandbox).count == 4, "\(filter)")
            }
            // A page that is no listing shows nothing about the directory.
            try sandbox.publish(Content("<html>Log in.</html>"), at: "sub/index.html")
            let outcome = try await sandbox.launch(mirror).outcome()
            outcome.expect(22)
            #expect(outcome.errors.contains("sub could not be listed"), "\(outcome)")
            #expect(try names(in: sandbox).count == 4)
            try FileManager.default.removeItem(atPath: sandbox.site + "/sub/index.html")
            let again = try await sandbox.launch(mirror + ["--json"]).outcome()
            again.expect(0)
            #expect(try again.summary("unchanged") == 4, "\(again)")
        }
    }

    @Test("a dry run writes nothing: no directory, no store, no file")
    func dryRun() async throws {
        try await Sandbox.open { sandbox in
            try sandbox.publish(Content("of it"), at: "sub/file.txt")
            let server = try await sandbox.start(Nginx(), ServerOptions(listsDirectories: true))
            let outcome = try await sandbox.ferry("mirror", "--dry-run", server.url(""), sandbox.copy)
            outcome.expect(0)
            #expect(outcome.output == "new\tsub/file.txt\n", "\(outcome)")
            #expect(try sandbox.fileNames() == [])
            #expect(!FileManager.default.fileExists(atPath: sandbox.data))
        }
    }
}
