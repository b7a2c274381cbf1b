import Foundation
import Glibc
import Testing

/// Cookies that servers set: along redirects, into a file and out of it.
@Suite("Cookies", .limitedParallelism)
struct CookieTests {
    private static let content = Content(count: 40_000, seed: 97)

    /// A server that redirects to the same URL until it gets its cookie back.
    private func walled(_ body: (Sandbox, ScriptedServer) async throws -> Void) async throws {
        try await ScriptedServer.run(with: body) { request in
            let cookies = [
                ("Set-Cookie", "wall=geheim; Path=/; HttpOnly"), ("Set-Cookie", "long=geheim; Max-Age=86400"),
            ]
            if request.path == "/login" { return ScriptedReply(fields: cookies, body: Array("welcome".utf8)) }
            if request.path == "/gone" { return ScriptedReply(status: 404, fields: cookies) }
            guard request["cookie"]?.contains("wall=geheim") == true else {
                return ScriptedReply(status: 302, fields: cookies + [("Location", request.path)])
            }
            return ScriptedReply.serving(Self.content, tag: "\"a\"", to: request)
        }
    }

    private func text(_ name: String, in sandbox: Sandbox) throws -> String {
        try String(contentsOfFile: sandbox.path(of: name), encoding: .utf8)
    }

    private func mode(of name: String, in sandbox: Sandbox) throws -> mode_t {
        var status = stat()
        try #require(stat(sandbox.path(of: name), &status) == 0)
        return status.st_mode & 0o7777
    }

    /// Whether any file of the data directory has a text.
    private func storeHas(_ text: String, in sandbox: Sandbox) throws -> Bool {
        let names = try FileManager.default.subpathsOfDirectory(atPath: sandbox.data)
        #expect(!names.isEmpty)
        return names.contains { name in
            FileManager.default.contents(atPath: "\(sandbox.data)/\(name)")?.range(of: Data(text.utf8)) != nil
        }
    }

    @Test("a cookie wall is passed without an option, by any command, and no cookie is shown or stored")
    func wall() async throws {
        try await walled { sandbox, server in
            let got = try await sandbox.ferry("get", "-vv", server.url("a.bin"))
            got.expect(0)
            #expect(Self.content.isWhole(at: sandbox.path(of: "a.bin")))
            #expect(server.requests.map { $0["cookie"] } == [nil, "wall=geheim; long=geheim"])
            #expect(got.errors.contains("> Cookie: …") && got.errors.contains("< Set-Cookie: …"), "\(got)")
            #expect(!got.errors.contains("geheim"), "\(got)")
            try await sandbox.ferry("add", server.url("b.bin")).expect(0)
            try await sandbox.ferry("run").expect(0)
            #expect(Self.content.isWhole(at: sandbox.path(of: "b.bin")))
            #expect(try sandbox.fileNames() == ["a.bin", "b.bin"])
            #expect(try !storeHas("geheim", in: sandbox))
        }
    }

    @Test("--save-cookies writes a private file, which --load-cookies reads")
    func file() async throws {
        try await walled { sandbox, server in
            try Data("former".utf8).write(to: URL(fileURLWithPath: sandbox.path(of: "jar")))
            try #require(chmod(sandbox.path(of: "jar"), 0o644) == 0)
            try await sandbox.ferry("get", "--save-cookies", "jar", server.url("a.bin")).expect(0)
            #expect(try mode(of: "jar", in: sandbox) == 0o600)
            let saved = try text("jar", in: sandbox)
            #expect(saved.hasPrefix("# Netscape HTTP Cookie File\n"))
            #expect(saved.contains("\n#HttpOnly_127.0.0.1\tFALSE\t/\tFALSE\t0\twall\tgeheim\n"), "\(saved)")
            let long = try #require(saved.split(separator: "\n").first { $0.contains("\tlong\t") })
            let expiry = try #require(Double(long.split(separator: "\t")[4]))
            #expect(abs(expiry - Date().timeIntervalSince1970 - 86_400) < 3_600)

            try await sandbox.ferry("get", "--load-cookies", "jar", server.url("b.bin")).expect(0)
            let requests = server.requests.filter { $0.path == "/b.bin" }
            #expect(requests.map { $0["cookie"] } == ["wall=geheim; long=geheim"])
            #expect(try text("jar", in: sandbox) == saved, "it is only read")
            #expect(try sandbox.fileNames() == ["a.bin", "b.bin", "jar"])
        }
    }

    @Test("one file is loaded and saved, and need not exist at first; failures save it too")
    func sameFile() async throws {
        try await walled { sandbox, server in
            let both = ["--load-cookies", "jar", "--cookie-jar", "./jar", "--retries", "0"]
            let failed = try await sandbox.launch(["get"] + both + [server.url("gone")]).outcome()
            failed.expect(3)
            #expect(try text("jar", in: sandbox).contains("\twall\tgeheim\n"))
            #expect(try mode(of: "jar", in: sandbox) == 0o600)
            let again = "127.0.0.1\tFALSE\t/\tFALSE\t0\town\t1\n"
            let grown = try text("jar", in: sandbox) + again
            try Data(grown.utf8).write(to: URL(fileURLWithPath: sandbox.path(of: "jar")))
            try await sandbox.launch(["get"] + both + [server.url("a.bin")]).outcome().expect(0)
            #expect(server.requests.last?["cookie"] == "wall=geheim; long=geheim; own=1")
            #expect(try text("jar", in: sandbox).hasSuffix(again))
        }
    }

    @Test("the cookies of a login by a request are for the downloads after it")
    func login() async throws {
        try await walled { sandbox, server in
            let login = ["send", "--wait", "--save-cookies", "jar", "POST", server.url("login"), "-d", "x"]
            let sent = try await sandbox.launch(login).outcome()
            sent.expect(0)
            #expect(sent.output == "welcome")
            try await sandbox.ferry("get", "--load-cookies", "jar", server.url("a.bin")).expect(0)
            #expect(server.requests.last?["cookie"] == "wall=geheim; long=geheim")
            #expect(server.requests.count == 2)
            let without = ["send", "--save-cookies", "jar", "POST", server.url("login"), "-d", "x"]
            try await sandbox.launch(without).outcome().expect(64)
        }
    }

    @Test("Ctrl-C saves the cookies")
    func interrupted() async throws {
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(Self.content, tag: "\"a\"", to: request)
            reply.fields.append(("Set-Cookie", "a=1"))
            reply.cut = .init(bytes: 20_000, then: .stall)
            return reply
        } _: { sandbox, server in
            let process = try sandbox.launch(["get", "--save-cookies", "jar", server.url("a.bin")])
            try await sandbox.transferBecomes("under way") { $0.received > 0 }
            process.send(SIGINT)
            try await process.outcome().expect(7)
            #expect(try text("jar", in: sandbox).hasSuffix("127.0.0.1\tFALSE\t/\tFALSE\t0\ta\t1\n"))
        }
    }

    @Test("a file that cannot be written or read is told before anything is requested")
    func refusals() async throws {
        try await walled { sandbox, server in
            try Data("# ok\n127.0.0.1 geheim\n".utf8).write(to: URL(fileURLWithPath: sandbox.path(of: "bad")))
            for (words, status, text) in [
                (["--save-cookies", "missing/jar"], 16, "missing/jar"),
                (["--save-cookies", "."], 16, "directory"),
                (["--save-cookies", "/dev/null"], 16, "/dev/null"),
                (["--save-cookies", "-"], 64, "file name"),
                (["--load-cookies", "bad"], 15, "line 2"), (["--load-cookies", "none"], 15, "none"),
                (["--load-cookies", "none", "--save-cookies", "jar"], 15, "none"),
                (["--load-cookies", "bad", "--save-cookies", "bad"], 15, "line 2"),
            ] as [([String], Int32, String)] {
                let refused = try await sandbox.launch(["get"] + words + [server.url("a.bin")]).outcome()
                refused.expect(status)
                #expect(refused.errors.contains(text), "\(refused)")
                #expect(!refused.errors.contains("geheim"), "\(refused)")
            }
            #expect(server.requests.isEmpty)
            #expect(try sandbox.fileNames() == ["bad"])
        }
    }
}
