import Foundation
import Glibc
import Synchronization
import Testing

/// `ferry put`: files that are uploaded by the real binary.
@Suite("Uploaded files", .limitedParallelism)
struct PutTests {
    private let content = Content(count: 3 * .mebibyte, seed: 23)

    private func write(_ content: Content, as name: String, in sandbox: Sandbox) throws {
        try Data(content.bytes).write(to: URL(fileURLWithPath: sandbox.path(of: name)))
    }

    @Test("a file is sent whole, under its own name after a URL that ends with /")
    func uploaded() async throws {
        try await RequestInbox.served { sandbox, server, inbox in
            try write(content, as: "a b.bin", in: sandbox)
            let put = try await sandbox.ferry("put", "a b.bin", server.url("in/"))
            put.expect(0)
            let only = try #require(inbox.all.first)
            #expect(inbox.all.count == 1 && only.bytes == Array(content.bytes))
            #expect(only.request.method == "PUT" && only.request.path == "/in/a%20b.bin")
            #expect(only.request["content-length"] == "\(content.bytes.count)")
            let shown = try await sandbox.ferry("show", "1")
            #expect(shown.output.contains("3.0 MiB, \(sandbox.path(of: "a b.bin"))"), "\(shown.output)")
            let json = try await sandbox.ferry("show", "1", "--json")
            #expect(json.output.contains(#""received":3145728,"total":3145728"#), "\(json.output)")
        }
    }

    @Test("--write-out prints a line for each uploaded file")
    func writesOut() async throws {
        try await RequestInbox.served { sandbox, server, _ in
            try write(content, as: "a", in: sandbox)
            let format = "%{http_code} %{size_upload} %{size_download} %{url}\\n"
            let put = try await sandbox.ferry("put", "-w", format, "a", server.url("x"))
            put.expect(0)
            #expect(put.output == "201 \(content.bytes.count) 0 \(server.url("x"))\n", "\(put)")
        }
    }

    @Test("an empty file is sent as an empty body")
    func empty() async throws {
        try await RequestInbox.served { sandbox, server, inbox in
            try Data().write(to: URL(fileURLWithPath: sandbox.path(of: "empty")))
            try await sandbox.ferry("put", "empty", server.url("x")).expect(0)
            #expect(inbox.all.map(\.bytes) == [[]] && inbox.all[0].request["content-length"] == "0")
        }
    }

    @Test("a connection that is lost in the middle is made again, and the file sent from its start")
    func lostConnection() async throws {
        try await RequestInbox.served({ $0.ordinal < 2 ? nil : ScriptedReply(status: 201) }) {
            sandbox,
            server,
            inbox in
            try write(content, as: "a", in: sandbox)
            try await sandbox.ferry("put", "a", server.url("x")).expect(0)
            #expect(inbox.all.map(\.bytes) == [Array(content.bytes), Array(content.bytes)])
        }
    }

    @Test("--no-wait records; the file is sent by `ferry run`, also after kill -9, from another directory")
    func recorded() async throws {
        try await RequestInbox.served { sandbox, server, inbox in
            try write(content, as: "a", in: sandbox)
            let put = try await sandbox.ferry("put", "--no-wait", "a", server.url("x"))
            put.expect(0)
            #expect(put.output == "1\n" && inbox.all.isEmpty)
            try await sandbox.shell("cd / && ferry run").expect(0)
            #expect(inbox.all.map(\.bytes) == [Array(content.bytes)])
        }
    }

    @Test("a file that was changed or removed before it was sent is not sent, and the message says so")
    func changedFile() async throws {
        try await RequestInbox.served { sandbox, server, inbox in
            for (id, name) in [(1, "changed"), (2, "removed")] {
                try write(content, as: name, in: sandbox)
                try await sandbox.ferry("put", "--no-wait", name, server.url(name)).expect(0)
                let url = URL(fileURLWithPath: sandbox.path(of: name))
                if id == 1 {
                    try Data(content.bytes.reversed()).write(to: url)
                } else {
                    try FileManager.default.removeItem(at: url)
                }
                let run = try await sandbox.ferry("run")
                run.expect(1)
                #expect(run.errors.contains(sandbox.path(of: name)), "\(run.errors)")
                let shown = try await sandbox.ferry("show", "\(id)", "--json")
                #expect(shown.output.contains(#""code":"bodyChanged""#), "\(shown.output)")
            }
            #expect(inbox.all.isEmpty)
        }
    }

    @Test(
        "kill -9 in the middle of a body: `ferry run` sends the file again, whole",
        arguments: [1, 40, 47].map { $0 * 65_536 }
    )
    func killed(after count: Int) async throws {
        let body = Mutex<[UInt8]>([])
        let hasArrived = Flag()
        let server = try ScriptedServer { connection, request in
            if request.ordinal == 1 {
                if connection.read(count) != nil { hasArrived.set() }
                connection.hold()
                return .closes
            }
            guard let bytes = connection.readBody(of: request) else { return .closes }
            body.withLock { $0 = bytes }
            return connection.write(ScriptedReply(status: 201), to: request) ? .stays : .closes
        }
        defer { server.stop() }
        try await Sandbox.open { sandbox in
            try write(content, as: "a", in: sandbox)
            let put = try sandbox.launch(["put", "a", server.url("x")])
            try await Deadline.wait(for: "the start of the file") { hasArrived.isSet }
            put.send(SIGKILL)
            #expect(try await put.outcome().exit == .signal(SIGKILL))
            try await sandbox.ferry("run").expect(0)
            #expect(body.withLock { $0 } == Array(content.bytes))
        }
    }

    @Test("conditions go along, and a refusal by one has its status", arguments: [412, 409, 413, 507])
    func refused(status: Int) async throws {
        try await RequestInbox.served({ ScriptedReply(status: $0.method == "HEAD" ? 404 : status) }) {
            sandbox,
            server,
            inbox in
            try write(content, as: "a", in: sandbox)
            let put = try await sandbox.ferry("put", "--no-clobber", "--retries", "0", "a", server.url("x"))
            #expect(put.status != 0 && put.errors.contains("\(status)"), "\(put.errors)")
            let puts = inbox.all.filter { $0.request.method == "PUT" }
            #expect(puts.allSatisfy { $0.request["if-none-match"] == "*" } && !puts.isEmpty)
        }
    }

    @Test("a redirect before the file has arrived is no success, whatever it leads to")
    func earlyRedirect() async throws {
        let server = try ScriptedServer { connection, request in
            guard request.path == "/in" else {
                return connection.write(ScriptedReply(), to: request) ? .stays : .closes
            }
            _ = connection.write(ScriptedReply(status: 303, fields: [("Location", "/ok")]), to: request)
            return .closes
        }
        defer { server.stop() }
        try await Sandbox.open { sandbox in
            try write(content, as: "a", in: sandbox)
            let put = try await sandbox.ferry("put", "a", server.url("in"))
            put.expect(22)
            #expect(put.errors.contains("before it had received"), "\(put.errors)")
            let words = ["send", "--wait", "--no-key", "POST", server.url("in"), "--data-file", "a"]
            let post = try await sandbox.launch(words).outcome()
            post.expect(33)
            #expect(post.errors.contains("ferry resolve 2"), "\(post.errors)")
        }
    }

    @Test("what would go wrong is refused before anything is sent")
    func refusedAtOnce() async throws {
        try await RequestInbox.served { sandbox, server, inbox in
            try write(content, as: "a", in: sandbox)
            for words in [
                ["a", sandbox.path(of: "a"), server.url("in/")], [server.url("in/"), "a"],
                ["", server.url("in/")],
            ] {
                try await sandbox.launch(["put"] + words).outcome().expect(64)
            }
            // Its length is 0, and its content is not.
            let sources = ["/proc/cpuinfo", "/proc/self/mem", "/dev/null", sandbox.site]
            for words in sources.map({ ["put", $0] }) {
                try await sandbox.launch(words + [server.url("x")]).outcome().expect(15)
            }
            #expect(inbox.all.isEmpty)
        }
    }

    @Test("with --json, the progress is told while the file is sent")
    func progress() async throws {
        try await RequestInbox.served { sandbox, server, _ in
            try write(content, as: "a", in: sandbox)
            let put = try await sandbox.ferry("put", "--json", "--limit-rate", "1M", "a", server.url("x"))
            put.expect(0)
            #expect(put.output.contains(#""event":"progress""#), "\(put.output)")
        }
    }

    @Test("a file whose name is not UTF-8 is named and counted as failed, and the others are sent")
    func nameWithoutText() async throws {
        try await RequestInbox.served { sandbox, server, inbox in
            try FileManager.default.createDirectory(
                atPath: sandbox.path(of: "tree"),
                withIntermediateDirectories: true
            )
            try write(content, as: "tree/a", in: sandbox)
            let start = Array(sandbox.path(of: "tree/b").utf8CString.dropLast())
            let name = start + [CChar(truncatingIfNeeded: 0xFF), 0]
            let file = open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
            try #require(file >= 0)
            close(file)
            let put = try await sandbox.ferry("put", "-q", "-r", "tree", server.url("in/"))
            put.expect(15)
            #expect(put.errors.contains("not UTF-8"), "\(put.errors)")
            #expect(inbox.all.map(\.request.path) == ["/in/a"])
            let words = ["put", "--json", "--overwrite", "-r", "tree", server.url("in/")]
            let json = try await sandbox.launch(words).outcome()
            json.expect(15)
            #expect(json.output.contains(#""failed":1"#), "\(json.output)")
        }
    }

    @Test("a real WebDAV server gets the files, byte for byte", arguments: [false, true])
    func webDAV(isNginx: Bool) async throws {
        try await Sandbox.open { sandbox in
            let kind: any ServerKind = isNginx ? Nginx() : Apache()
            let server = try await sandbox.start(kind, ServerOptions(takesFiles: true))
            let names = ["one.bin", "two b.bin", "empty"]
            for (index, name) in names.enumerated() {
                let count = index == 2 ? 0 : 3 * Int.mebibyte + index
                try write(Content(count: count, seed: UInt64(index + 1)), as: name, in: sandbox)
            }
            try await sandbox.launch(["put"] + names + [server.url("")]).outcome().expect(0)
            for (index, name) in names.enumerated() {
                let count = index == 2 ? 0 : 3 * Int.mebibyte + index
                let content = Content(count: count, seed: UInt64(index + 1))
                #expect(content.isWhole(at: "\(sandbox.site)/\(name)"))
            }
            // nginx ignores the conditions of a PUT.
            for option in ["--no-clobber", "--if-match=another"] {
                let again = try await sandbox.ferry("put", option, "two b.bin", server.url("one.bin"))
                again.expect(22)
                #expect(again.errors.contains("so nothing was sent"), "\(again.errors)")
            }
            #expect(Content(count: 3 * Int.mebibyte, seed: 1).isWhole(at: "\(sandbox.site)/one.bin"))
        }
    }

    /// It says so before the body, for which ferry waits (`Expect: 100-continue`).
    @Test("a real server that takes no body of this length refuses it, and the file is not sent")
    func refusedByNginx() async throws {
        try await Sandbox.open { sandbox in
            let server = try await sandbox.start(Nginx(), ServerOptions(takesFiles: true))
            try write(Content(count: 9 * .mebibyte, seed: 3), as: "a", in: sandbox)
            let put = try await sandbox.ferry("put", "a", server.url("a"))
            put.expect(22)
            #expect(put.errors.contains("too large (413)"), "\(put.errors)")
            #expect(!FileManager.default.fileExists(atPath: sandbox.site + "/a"))
        }
    }
}
