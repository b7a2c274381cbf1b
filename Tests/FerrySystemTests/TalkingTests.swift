import Foundation
import Testing

/// What `ferry get` tells of requests, of files that it does not fetch, and of transfers that have ended.
@Suite("Telling what happens", .limitedParallelism)
struct TalkingTests {
    private static let content = Content(count: 40_000, seed: 91)

    private func served(_ body: (Sandbox, ScriptedServer) async throws -> Void) async throws {
        try await ScriptedServer.run(with: body) { request in
            if request.path.hasSuffix("moved") {
                return ScriptedReply(status: 302, fields: [("Location", "/file.bin?token=geheim")])
            }
            if request.path.hasSuffix("gone") { return ScriptedReply(status: 404) }
            var reply = ScriptedReply.serving(Self.content, tag: "\"a\"", to: request)
            reply.fields += [("Content-Type", "application/x-test"), ("Set-Cookie", "s=geheim")]
            return reply
        }
    }

    @Test("-v tells requests, redirects and answers; -vv their fields; neither tells a secret")
    func verbose() async throws {
        try await served { sandbox, server in
            let words = ["get", server.url("moved"), "-o", "x.bin", "-H", "X-Key: geheim"]
            let plain = try await sandbox.launch(words + ["-v"]).outcome()
            plain.expect(0)
            #expect(plain.errors.contains("[1] > GET \(server.url("moved"))"), "\(plain)")
            #expect(plain.errors.contains("[1] < 302, "), "\(plain)")
            #expect(plain.errors.contains("leads to \(server.url("file.bin"))?token=…"), "\(plain)")
            #expect(plain.errors.contains("[2] < 200, 40000 bytes follow"), "\(plain)")
            #expect(plain.errors.contains("* Connected to 127.0.0.1:"), "\(plain)")
            #expect(plain.errors.contains(" (connection 1)."), "\(plain)")
            #expect(!plain.errors.contains("X-Key") && plain.output.isEmpty, "\(plain)")

            let whole = try await sandbox.launch(words + ["-vv", "--overwrite"]).outcome()
            whole.expect(0)
            #expect(whole.errors.contains("> X-Key: …"), "\(whole)")
            #expect(whole.errors.contains("< Content-Type: application/x-test"), "\(whole)")
            #expect(whole.errors.contains("< Set-Cookie: …"), "\(whole)")
            #expect(!(plain.errors + whole.errors).contains("geheim"))
        }
    }

    @Test("--dry-run tells what a server has, and leaves neither a file nor a store")
    func dryRun() async throws {
        try await served { sandbox, server in
            let told = try await sandbox.ferry("get", "--dry-run", server.url("file.bin"))
            told.expect(0)
            for text in [
                sandbox.path(of: "file.bin"), "40000 bytes", "application/x-test", "Ranges", "yes", "\"a\"",
            ] {
                #expect(told.output.contains(text), "\(text): \(told)")
            }
            #expect(try sandbox.fileNames().isEmpty)
            #expect(told.errors.isEmpty, "\(told)")
            #expect(!FileManager.default.fileExists(atPath: sandbox.data))

            let json = try await sandbox.ferry("get", "-I", "--json", server.url("moved"), "-o", "y.bin")
            json.expect(0)
            #expect(
                json.output.contains(#""length":40000"#) && json.output.contains(#""ranges":true"#),
                "\(json)"
            )
            #expect(!json.output.contains("geheim"), "\(json)")

            let free = try await sandbox.ferry("get", "-I", "--json", server.url("file.bin"))
            let nothing = #""exists":false,"existingKind":null,"action":"create","transfer":null"#
            #expect(free.output.contains(nothing), "\(free)")
            try Data("mine".utf8).write(to: URL(fileURLWithPath: sandbox.path(of: "file.bin")))
            for (options, action) in [
                ([], "fail"), (["--overwrite"], "replace"), (["--no-clobber"], "skip"), (["-N"], "fail"),
                (["--auto-rename"], "number"), (["-N", "--overwrite"], "replace"),
            ] as [([String], String)] {
                let taken = try await sandbox.launch(
                    ["get", "-I", "--json", server.url("file.bin")] + options
                ).outcome()
                let expected = #""exists":true,"existingKind":"file","action":""# + action + "\""
                #expect(taken.output.contains(expected), "\(taken)")
                taken.expect(action == "fail" ? 13 : 0)
            }
            let refused = try await sandbox.ferry("get", "-I", server.url("file.bin"))
            refused.expect(13)
            #expect(refused.output.contains("Exists") && refused.output.contains("--overwrite"), "\(refused)")
            #expect(try sandbox.fileNames() == ["file.bin"])

            let nowhere = try await sandbox.ferry("get", "-I", "-d", "nodir", server.url("file.bin"))
            nowhere.expect(16)
            #expect(nowhere.output.contains("fails: the directory "), "\(nowhere)")
            let absent = try await sandbox.ferry("get", "-I", server.url("gone"))
            absent.expect(3)
            #expect(try await sandbox.transfers().isEmpty)
        }
    }

    @Test("--dry-run says why it waits, and does not wait for a server that cannot be reached")
    func waitingDryRun() async throws {
        try await ScriptedServer.run { _ in
            ScriptedReply(status: 503)
        } _: { sandbox, server in
            let line = ["get", "-I", "--retries", "1", server.url("file.bin")]
            let busy = try await sandbox.launch(line).outcome()
            busy.expect(29)
            #expect(
                busy.errors.contains("file.bin: waiting ") && busy.errors.contains("(attempt 2 of 2)"),
                "\(busy)"
            )
            #expect(server.requests.count == 2)
            let closed = try await sandbox.ferry("get", "-I", "http://127.0.0.1:\(try FreePort.find())/x")
            closed.expect(6)
            #expect(!closed.errors.contains("waiting"), "\(closed)")
            let unknown = try await sandbox.ferry("get", "-I", "http://-x.invalid/x")
            unknown.expect(19)
            #expect(!unknown.errors.contains("waiting"), "\(unknown)")
        }
    }

    @Test("--write-out, --on-complete and --on-fail get each ended transfer")
    func ends() async throws {
        try await served { sandbox, server in
            let ended = try await sandbox.ferry(
                "get",
                server.url("file.bin"),
                server.url("gone"),
                "-w",
                "%{state} %{size_download} %{exitcode} %{http_code}\\n",
                "--on-complete",
                "cat > done.json; echo \"path $FERRY_PATH\"",
                "--on-fail",
                "cat > failed.json; echo sorry; exit 3"
            )
            ended.expect(3)
            #expect(
                Set(ended.output.split(separator: "\n")) == ["completed 40000 0 200", "failed 0 3 404"],
                "\(ended)"
            )
            let done = try String(contentsOfFile: sandbox.path(of: "done.json"), encoding: .utf8)
            #expect(done.contains(#""state":"completed""#) && done.hasSuffix("}\n"), "\(done)")
            let failed = try String(contentsOfFile: sandbox.path(of: "failed.json"), encoding: .utf8)
            #expect(failed.contains(#""state":"failed""#), "\(failed)")
            #expect(failed.contains(#""status":404"#), "\(failed)")
            #expect(ended.errors.contains("path \(sandbox.path(of: "file.bin"))"), "\(ended)")
            #expect(
                ended.errors.contains(
                    "sorry\nferry: warning: The command of --on-fail for gone did not succeed: it failed with status 3."
                ),
                "\(ended)"
            )

            // The second time it is complete already, and that is an end as well.
            // No server is asked for it.
            let format = "%{state} %{http_code} %{size_download}\\n"
            let again = try await sandbox.ferry("get", server.url("file.bin"), "-w", format)
            again.expect(0)
            #expect(again.output == "completed 000 0\n", "\(again)")
        }
    }

    @Test("a command may ignore its input and print much, and Ctrl-C ends it")
    func commands() async throws {
        try await served { sandbox, server in
            let many = try await sandbox.ferry("get", server.url("f[1-9].bin"), "--on-complete", "true")
            many.expect(0)
            #expect(!many.errors.contains("did not succeed"), "\(many)")
            let long = try await sandbox.ferry(
                "get",
                server.url("long.bin"),
                "--on-complete",
                "seq 1 40000; echo > over"
            )
            long.expect(0)
            #expect(
                long.errors.contains("\n5000\n")
                    && FileManager.default.fileExists(atPath: sandbox.path(of: "over"))
            )

            let words = [
                "get", server.url("a.bin"), server.url("b.bin"), "-j", "1", "--on-complete",
                "echo $$ > pid; sleep 600",
            ]
            let waiting = try sandbox.launch(words)
            let file = sandbox.path(of: "pid")
            try await Deadline.wait(for: "the command to begin", said: { waiting.errorsSoFar }) {
                FileManager.default.contents(atPath: file)?.isEmpty == false
                    && waiting.errorsSoFar.contains("Done: ")
            }
            waiting.send(SIGINT)
            let stopped = try await waiting.outcome()
            #expect(stopped.errors.contains("did not succeed: it was cancelled"), "\(stopped)")
            let text = try String(contentsOfFile: file, encoding: .utf8)
            let process = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
            #expect(kill(process, 0) != 0)
        }
    }

    @Test("several downloads are named by a template")
    func template() async throws {
        try await served { sandbox, server in
            let got = try await sandbox.ferry("get", server.url("f[1-3].bin"), "-o", "{n:02}-{name}")
            got.expect(0)
            #expect(try sandbox.fileNames() == ["01-f1.bin", "02-f2.bin", "03-f3.bin"])
        }
    }

    @Test("other users of the machine do not see the secrets of a command line")
    func processList() async throws {
        try await served { sandbox, server in
            let got = try await sandbox.ferry(
                "get",
                server.url("file.bin"),
                "--user",
                "name:geheim",
                "-H",
                "X-Key: geheim",
                "--on-complete",
                "tr '\\0' ' ' < /proc/$PPID/cmdline"
            )
            got.expect(0)
            #expect(
                got.errors.contains("get \(server.url("file.bin")) --user xxxxxxxxxxx -H xxxxx"),
                "\(got)"
            )
            #expect(!got.errors.contains("geheim"), "\(got)")
        }
    }

    @Test("cookies of a file go to their host, and not along with a redirect to another one")
    func cookies() async throws {
        try await ScriptedServer.run { request in
            ScriptedReply.serving(Self.content, tag: "\"a\"", to: request)
        } _: { other in
            try await ScriptedServer.run { request in
                guard request.path == "/away" else {
                    return ScriptedReply.serving(Self.content, tag: "\"a\"", to: request)
                }
                // Another port of the same host would get them (RFC 6265 §8.5).
                let elsewhere = other.url("file.bin").replacing("127.0.0.1", with: "localhost")
                return ScriptedReply(status: 302, fields: [("Location", elsewhere)])
            } _: { sandbox, server in
                try Data("127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\tgeheim\n".utf8)
                    .write(to: URL(fileURLWithPath: sandbox.path(of: "jar")))
                let urls = [server.url("one.bin"), server.url("away")]
                let got = try await sandbox.launch(["get", "--load-cookies", "jar", "-vv"] + urls)
                    .outcome()
                got.expect(0)
                #expect(server.requests.allSatisfy { $0["cookie"] == "sid=geheim" })
                #expect(other.requests.allSatisfy { $0["cookie"] == nil })
                #expect(!got.errors.contains("geheim"), "\(got)")
                let wrong = try await sandbox.ferry(
                    "get",
                    "--load-cookies",
                    "absent",
                    server.url("two.bin")
                )
                wrong.expect(15)
            }
        }
    }

    @Test("--max-time stops a command, and leaves its transfers to the queue")
    func maxTime() async throws {
        let gate = Gate()
        defer { gate.open() }
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(Self.content, tag: "\"a\"", to: request)
            if request.ordinal == 1 { reply.gates = [(Self.content.count / 2, gate)] }
            return reply
        } _: { sandbox, server in
            let words = ["get", "-sS", "--max-time", "0.5", server.url("file.bin")]
            let stopped = try await sandbox.launch(words).outcome()
            stopped.expect(7)
            #expect(stopped.errors.contains("the time of --max-time is over"), "\(stopped)")
            let transfer = try #require(try await sandbox.transfers().first)
            #expect(transfer.state == "queued" && transfer.process == nil)
            gate.open()
            try await sandbox.ferry("run", "--max-time", "600").expect(0)
            #expect(Self.content.isWhole(at: sandbox.path(of: "file.bin")))
        }
    }
}
