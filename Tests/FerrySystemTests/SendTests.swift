import Foundation
import Glibc
import Testing

/// `ferry send`: requests that must arrive, sent by the real binary to a server that records them.
@Suite("Sent requests", .limitedParallelism)
struct SendTests {
    /// What `ferry show --json` says of a transfer.
    private func shown(_ id: Int, _ options: String..., in sandbox: Sandbox) async throws -> [String: Any] {
        let outcome = try await sandbox.launch(["show", "--json", "\(id)"] + options).outcome()
        outcome.expect(0)
        return try #require(
            try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
        )
    }

    @Test(
        "a request is recorded and its ID printed; `ferry run` sends it once, with its fields, body and key"
    )
    func recordedThenSent() async throws {
        try await RequestInbox.served { sandbox, server, inbox in
            let line = [
                "send", "POST", server.url("orders"), "--data-json", #"{"item": 17}"#, "-H", "X-Shop: a",
            ]
            let sent = try await sandbox.launch(line).outcome()
            sent.expect(0)
            #expect(sent.output == "1\n" && inbox.all.isEmpty)
            try await sandbox.ferry("run").expect(0)
            try await sandbox.ferry("run").expect(0)
            let only = try #require(inbox.all.first)
            #expect(inbox.all.count == 1 && only.request.method == "POST" && only.body == #"{"item": 17}"#)
            #expect(only.request["content-type"] == "application/json" && only.request["x-shop"] == "a")
            let uuid = try #require(try await shown(1, in: sandbox)["uuid"] as? String)
            #expect(only.request["idempotency-key"] == "\"\(uuid)\"")
            // The same line again is another request.
            #expect(try await sandbox.launch(line).outcome().output == "2\n")
        }
    }

    @Test("with --json, an event is printed when it is recorded")
    func recordedAsJSON() async throws {
        try await RequestInbox.served { sandbox, server, _ in
            let sent = try await sandbox.ferry("--json", "send", "POST", server.url("a"), "--data", "x")
            sent.expect(0)
            let event = try JSONSerialization.jsonObject(with: Data(sent.output.utf8)) as? [String: Any]
            #expect(event?["event"] as? String == "added" && event?["kind"] as? String == "request")
            #expect(event?["bodyLength"] as? Int == 1)
        }
    }

    @Test("--write-out follows the body of the response, also of a refusal")
    func writesOutAfterTheBody() async throws {
        try await RequestInbox.served {
            ScriptedReply(status: $0.ordinal == 1 ? 200 : 404, body: Array("done".utf8))
        } _: { sandbox, server, _ in
            let line = [
                "send", "--wait", "POST", server.url("a"), "-d", "1234567",
                "-w", "\\n%{http_code} %{exitcode} %{state} %{size_download} %{size_upload}\\n",
            ]
            let sent = try await sandbox.launch(line).outcome()
            sent.expect(0)
            #expect(sent.output == "done\n200 0 completed 4 7\n")
            let refused = try await sandbox.launch(line).outcome()
            refused.expect(3)
            #expect(refused.output == "done\n404 3 failed 4 7\n")
        }
    }

    @Test("a lost connection is retried with the same key")
    func sameKeyOverARetry() async throws {
        try await RequestInbox.served {
            $0.ordinal < 3 ? nil : ScriptedReply(body: Array("done".utf8))
        } _: { sandbox, server, inbox in
            let sent = try await sandbox.ferry("send", "--wait", "POST", server.url("pay"), "--data", "5")
            sent.expect(0)
            #expect(sent.output == "done")
            let keys = inbox.all.map { $0.request["idempotency-key"] }
            #expect(keys.count == 3 && Set(keys).count == 1 && keys[0] != nil)
            #expect(inbox.all.allSatisfy { $0.body == "5" })
        }
    }

    @Test("without a key, a request that may have arrived is not sent again")
    func noKey() async throws {
        try await RequestInbox.served({ _ in nil }) { sandbox, server, inbox in
            let sent = try await sandbox.ferry("send", "--wait", "--no-key", "POST", server.url("pay"))
            sent.expect(33)
            #expect(sent.output.isEmpty && sent.errors.contains("may have arrived"), "\(sent.errors)")
            try await sandbox.ferry("run").expect(0)
            #expect(try await sandbox.ferry("retry", "1").status != 0)
            #expect(inbox.all.count == 1 && inbox.all[0].request["idempotency-key"] == nil)
            #expect(try await shown(1, in: sandbox)["state"] as? String == "failed")
        }
    }

    @Test("a request that does not arrive until its deadline fails, and says whether it may have arrived")
    func deadline() async throws {
        try await RequestInbox.served({ _ in nil }) { sandbox, server, inbox in
            // A server that closes each connection unanswered, and one that is not there.
            let lines = [server.url("pay"), "http://127.0.0.1:1/"]
            for (index, url) in lines.enumerated() {
                let line = [
                    "send", "--wait", "--type", "payment", "--not-after", "1s", "POST", url, "--data", "5",
                ]
                let sent = try await sandbox.launch(line).outcome()
                sent.expect(2)
                #expect(sent.errors.contains("deadline"), "\(sent.errors)")
                let hasArrived = index == 0 && !inbox.all.isEmpty
                #expect(sent.errors.contains("may have arrived") == hasArrived, "\(sent.errors)")
                let record = try await shown(index + 1, in: sandbox)
                let failure = record["failure"] as? [String: Any]
                #expect(failure?["code"] as? String == "deadlinePassed" && record["notAfter"] is String)
                #expect(record["type"] as? String == "payment")
            }
            for words in ["0s", "yesterday", "2020-01-01T00:00:00Z"] {
                try await sandbox.ferry("send", "--not-after", words, "GET", server.url("a")).expect(64)
            }
            let refused = try await sandbox.ferry("retry", "1")
            #expect(refused.status == 1 && refused.errors.contains("--not-after"), "\(refused.errors)")
            try await sandbox.ferry("edit", "1", "--not-after", "1h").expect(0)
            try await sandbox.ferry("retry", "--detach", "1").expect(0)
        }
    }

    @Test("what is in a paused queue fails at its deadline, too")
    func deadlineInAPausedQueue() async throws {
        try await RequestInbox.served { sandbox, server, inbox in
            try await sandbox.ferry("queue", "set", "later", "--slots", "4").expect(0)
            try await sandbox.ferry("queue", "pause", "later").expect(0)
            let line = ["add", "--queue", "later", "--not-after", "1s", server.url("a")]
            try await sandbox.launch(line).outcome().expect(0)
            let (service, manager) = try await sandbox.serve()
            defer { manager.stop() }
            try await sandbox.transfersBecome("failed") { $0.first?.state == "failed" }
            service.send(SIGTERM)
            try await service.outcome().expect(0)
            #expect(inbox.all.isEmpty)
        }
    }

    @Test("`ferry resolve` ends what is unknown: the request is completed, or sent again")
    func resolved() async throws {
        try await RequestInbox.served({ $0.ordinal < 2 ? nil : ScriptedReply(status: 201) }) {
            sandbox,
            server,
            inbox in
            for name in ["first", "second"] {
                let sent = try await sandbox.ferry("send", "--wait", "--no-key", "POST", server.url(name))
                sent.expect(33)
                #expect(sent.errors.contains("ferry resolve"), "\(sent.errors)")
            }
            for words in [
                ["resolve", "1"], ["resolve", "1", "--sent", "--not-sent"], ["resolve", "--sent"],
            ] {
                #expect(try await sandbox.launch(words).outcome().status == 64)
            }
            for words in [["retry", "1"], ["resume", "1"], ["retry", "--detach", "1"]] {
                let refused = try await sandbox.launch(words).outcome()
                refused.expect(33)
                #expect(refused.errors.contains("ferry resolve 1"), "\(refused.errors)")
            }
            let late = try await sandbox.ferry("send", "--after", "1", "POST", server.url("late"))
            late.expect(1)
            #expect(late.errors.contains("`ferry resolve 1 --sent`"), "\(late.errors)")
            #expect(!late.errors.contains("ferry retry"), "\(late.errors)")
            try await sandbox.ferry("resolve", "1", "--sent").expect(0)
            let resolved = try await shown(1, in: sandbox)
            #expect(resolved["state"] as? String == "completed")
            #expect(resolved["noteCode"] as? String == "countedAsArrived")
            #expect(try await sandbox.ferry("show", "1").output.contains("it was resolved as arrived"))
            try await sandbox.ferry("resolve", "2", "--not-sent").expect(0)
            try await sandbox.ferry("run").expect(0)
            #expect(try await shown(2, in: sandbox)["status"] as? Int == 201)
            #expect(inbox.all.map(\.request.path) == ["/first", "/second", "/second"])
            #expect(try await sandbox.ferry("resolve", "2", "--not-sent").status != 0)
            #expect(try await sandbox.ferry("resolve", "9", "--sent").status != 0)
        }
    }

    @Test("a request with a key that has failed may have arrived: it is retried, or counted as completed")
    func resolvedWithAKey() async throws {
        try await RequestInbox.served({ _ in nil }) { sandbox, server, inbox in
            let line = ["send", "--wait", "--retries", "0", "POST", server.url("pay"), "--data", "5"]
            let sent = try await sandbox.launch(line).outcome()
            sent.expect(6)
            for command in ["`ferry retry 1`", "`ferry resolve 1 --sent`"] {
                #expect(sent.errors.contains(command), "\(sent.errors)")
            }
            try await sandbox.ferry("retry", "1").expect(6)
            try await sandbox.ferry("resolve", "1", "--sent").expect(0)
            #expect(try await shown(1, in: sandbox)["state"] as? String == "completed")
            let keys = inbox.all.map { $0.request["idempotency-key"] }
            #expect(keys.count == 2 && Set(keys).count == 1)
        }
    }

    @Test("a redirect to a server that does not know the key is refused, and the hint names its URL")
    func refusedRedirect() async throws {
        let target = "http://127.0.0.2:1/there"
        try await RequestInbox.served({ _ in ScriptedReply(status: 307, fields: [("Location", target)]) }) {
            sandbox,
            server,
            inbox in
            let sent = try await sandbox.ferry("send", "--wait", "POST", server.url("a"), "--data", "x")
            sent.expect(22)
            #expect(sent.errors.contains(target) && sent.errors.contains("--no-key"), "\(sent.errors)")
            #expect(!sent.errors.contains("ferry retry"), "\(sent.errors)")
            #expect(inbox.all.count == 1)
        }
    }

    @Test("a status that counts as success completes the request")
    func alsoASuccess() async throws {
        try await RequestInbox.served({ _ in ScriptedReply(status: 404) }) { sandbox, server, _ in
            try await sandbox.ferry("send", "--wait", "DELETE", server.url("a")).expect(3)
            try await sandbox.ferry("send", "--wait", "--success", "404", "DELETE", server.url("a")).expect(0)
        }
    }

    @Test("a list is recorded whole or not at all, and sent; a UUID makes a repetition harmless")
    func list() async throws {
        try await RequestInbox.served { sandbox, server, inbox in
            let path = sandbox.path(of: "list")
            func line(_ number: Int) -> String {
                let uuid = String(format: "01890a5d-ac96-774b-bcce-%012d", number)
                return
                    #"{"method":"POST","url":"\#(server.url("a"))","json":{"n":\#(number)},"uuid":"\#(uuid)"}"#
            }
            let lines = (1...1_500).map(line)
            try (lines + ["{"]).joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
            let refused = try await sandbox.ferry("send", "-i", "list")
            refused.expect(64)
            #expect(refused.errors.contains("line 1501"), "\(refused.errors)")
            #expect(try await sandbox.transfers().isEmpty)
            try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
            for _ in 0..<2 {
                let sent = try await sandbox.ferry("send", "-i", "-", input: path)
                sent.expect(0)
                #expect(sent.output == (1...1_500).map { "\($0)\n" }.joined())
            }
            try await sandbox.ferry("run").expect(0)
            let bodies = inbox.all.map(\.body)
            #expect(bodies.count == 1_500 && Set(bodies) == Set((1...1_500).map { #"{"n":\#($0)}"# }))
        }
    }

    @Test("a line that names no transfer is named, and so is what was added before it")
    func listWithAnUnknownTransfer() async throws {
        try await RequestInbox.served { sandbox, server, _ in
            let line = #"{"method":"POST","url":"\#(server.url("a"))""#
            let lines = Array(repeating: line + "}", count: 1_200)
            let last = line + #","after":["01890a5d-ac96-774b-bcce-000000000001"]}"#
            let text = (lines + [last]).joined(separator: "\n")
            try text.write(toFile: sandbox.path(of: "list"), atomically: true, encoding: .utf8)
            let refused = try await sandbox.ferry("send", "-i", "list")
            refused.expect(1)
            #expect(refused.errors.contains("line 1201"), "\(refused.errors)")
            #expect(refused.errors.contains("first 1000 requests"), "\(refused.errors)")
            #expect(refused.output.split(separator: "\n").count == 1_000)
        }
    }

    @Test("a request that waits for one that no process runs says so")
    func waitsForAnother() async throws {
        try await RequestInbox.served { sandbox, server, inbox in
            try await sandbox.ferry("send", "POST", server.url("a")).expect(0)
            let waiting = try sandbox.launch(["send", "--wait", "POST", server.url("b"), "--after", "1"])
            try await Deadline.wait(for: "word of the other", said: { waiting.errorsSoFar }) {
                waiting.errorsSoFar.contains("`ferry resume 1`")
            }
            try await sandbox.ferry("resume", "1").expect(0)
            try await waiting.outcome().expect(0)
            #expect(inbox.all.map(\.request.path) == ["/a", "/b"])
        }
    }

    @Test("a form with a file is sent as multipart/form-data, with the bytes of the file")
    func formWithFile() async throws {
        try await RequestInbox.served { sandbox, server, inbox in
            let content = Content(count: 3 * .mebibyte, seed: 11)
            let path = sandbox.path(of: "photo.jpg")
            try Data(content.bytes).write(to: URL(fileURLWithPath: path))
            try await sandbox.ferry(
                "send",
                "--wait",
                "POST",
                server.url("photos"),
                "--form",
                "title=A B",
                "--form",
                "photo=@photo.jpg;type=image/jpeg"
            ).expect(0)
            let only = try #require(inbox.all.first)
            let type = try #require(only.request["content-type"])
            let boundary = try #require(type.split(separator: "boundary=").last)
            #expect(type.hasPrefix("multipart/form-data; boundary="))
            let head = """
                --\(boundary)\r\nContent-Disposition: form-data; name="title"\r\n\r\nA B\r\n\
                --\(boundary)\r\nContent-Disposition: form-data; name="photo"; filename="photo.jpg"\r\n\
                Content-Type: image/jpeg\r\n\r\n
                """
            #expect(only.bytes == Array(head.utf8) + content.bytes + Array("\r\n--\(boundary)--\r\n".utf8))
        }
    }

    @Test(
        "--wait prints the response of a refusal, and the status says why",
        arguments: [
            (401, 24), (403, 24), (404, 3), (410, 3), (400, 22), (409, 22), (422, 22),
        ]
    )
    func refused(status: Int, exit: Int32) async throws {
        try await RequestInbox.served({ _ in ScriptedReply(status: status, body: Array("why\n".utf8)) }) {
            sandbox,
            server,
            inbox in
            let sent = try await sandbox.ferry("send", "--wait", "POST", server.url("a"), "--data", "x")
            sent.expect(exit)
            #expect(sent.output == "why\n" && sent.errors.contains("\(status)") && inbox.all.count == 1)
        }
    }

    @Test("an overloaded server is asked again within --retries; then the status is 29")
    func overloaded() async throws {
        try await RequestInbox.served({ _ in ScriptedReply(status: 503, fields: [("Retry-After", "0")]) }) {
            sandbox,
            server,
            inbox in
            try await sandbox.ferry("send", "--wait", "--retries", "1", "POST", server.url("a")).expect(29)
            #expect(inbox.all.count == 2)
        }
    }

    @Test("a request that its process could not send before kill -9 is sent by `ferry run`")
    func killedBeforeSending() async throws {
        try await RequestInbox.served { sandbox, server, inbox in
            try await sandbox.ferry("send", "GET", server.url("first")).expect(0)
            let waiting = try sandbox.launch(
                ["send", "--wait", "--after", "1", "POST", server.url("second"), "--data", "x"]
            )
            try await sandbox.transfersBecome("recorded") { $0.count == 2 && $0[1].state == "waiting" }
            waiting.send(SIGKILL)
            #expect(try await waiting.outcome().exit == .signal(SIGKILL))
            #expect(inbox.all.isEmpty)
            try await sandbox.ferry("run").expect(0)
            #expect(inbox.all.map(\.request.path) == ["/first", "/second"])
        }
    }

    @Test("Ctrl-C while it waits ends with 7, and `ferry resume` sends it")
    func interrupted() async throws {
        try await RequestInbox.served { sandbox, server, inbox in
            try await sandbox.ferry("send", "GET", server.url("first")).expect(0)
            let waiting = try sandbox.launch(["send", "--wait", "--after", "1", "POST", server.url("second")])
            try await sandbox.transfersBecome("recorded") { $0.count == 2 && $0[1].state == "waiting" }
            waiting.send(SIGINT)
            let outcome = try await waiting.outcome()
            outcome.expect(7)
            #expect(outcome.errors.contains("`ferry resume 2`"), "\(outcome.errors)")
            #expect(outcome.errors.contains("`ferry run` leaves it paused"), "\(outcome.errors)")
            #expect(!outcome.errors.contains("the command") && !outcome.errors.contains("same command"))
            try await sandbox.ferry("run").expect(7)
            try await sandbox.ferry("resume", "2").expect(0)
            #expect(inbox.all.map(\.request.path) == ["/first", "/second"])
        }
    }

    @Test("Ctrl-C of a list names no command that would send other requests")
    func interruptedList() async throws {
        try await RequestInbox.served { sandbox, server, inbox in
            try await sandbox.ferry("send", "GET", server.url("first")).expect(0)
            let line = #"{"method": "POST", "url": "\#(server.url("next"))"}"# + "\n"
            let path = sandbox.path(of: "list")
            try Data(String(repeating: line, count: 7).utf8).write(to: URL(fileURLWithPath: path))
            let waiting = try sandbox.launch(["send", "--wait", "--after", "1", "-i", path])
            try await sandbox.transfersBecome("recorded") {
                $0.count == 8 && $0.count { $0.state == "waiting" } == 7
            }
            waiting.send(SIGINT)
            let outcome = try await waiting.outcome()
            outcome.expect(7)
            #expect(outcome.errors.contains("7 transfers are unfinished"), "\(outcome.errors)")
            #expect(outcome.errors.contains("Resume with `ferry resume`."), "\(outcome.errors)")
            #expect(inbox.all.isEmpty)
        }
    }

    @Test("the body of a response goes to a pipe byte by byte, whatever bytes it has")
    func piped() async throws {
        let content = Content(count: 2 * .mebibyte, seed: 61)
        try await RequestInbox.served({ _ in ScriptedReply(body: Array(content.bytes)) }) {
            sandbox,
            server,
            _ in
            let whole = try await sandbox.shell(
                "ferry send --wait --response-limit 2M GET \"$URL\" | cat >whole",
                environment: ["URL": server.url("a")]
            )
            whole.expect(0)
            #expect(content.isWhole(at: sandbox.path(of: "whole")))
            let shown = try await sandbox.shell("ferry show --body 1 >shown")
            shown.expect(0)
            #expect(content.isWhole(at: sandbox.path(of: "shown")))
            let cut = try await sandbox.shell(
                "ferry send --wait GET \"$URL\" >cut || echo \"status $?\"",
                environment: ["URL": server.url("a")]
            )
            #expect(cut.output == "status 1\n" && cut.errors.contains("--response-limit"), "\(cut.errors)")
            let kept = try Data(contentsOf: URL(fileURLWithPath: sandbox.path(of: "cut")))
            #expect(kept == content.bytes.prefix(.mebibyte))
        }
    }

    @Test("a body comes from standard input")
    func standardInput() async throws {
        try await RequestInbox.served { sandbox, server, inbox in
            let path = sandbox.path(of: "body")
            try Data("a=1".utf8).write(to: URL(fileURLWithPath: path))
            try await sandbox.ferry("send", "PUT", server.url("a"), "--data-file", "-", input: path).expect(0)
            try FileManager.default.removeItem(atPath: path)
            try await sandbox.ferry("run").expect(0)
            #expect(inbox.all.map(\.body) == ["a=1"] && inbox.all[0].request["idempotency-key"] == nil)
        }
    }

    @Test("with --json, --wait prints events only")
    func waitedAsJSON() async throws {
        try await RequestInbox.served({ _ in ScriptedReply(body: Array("s3cret".utf8)) }) {
            sandbox,
            server,
            _ in
            let sent = try await sandbox.ferry("send", "--wait", "--json", "GET", server.url("a"))
            sent.expect(0)
            #expect(sent.output.contains(#""event":"summary""#) && !sent.output.contains("s3cret"))
        }
    }

    @Test("show prints sizes, media types and names of fields; contents only when asked")
    func shownWithoutSecrets() async throws {
        let fields = [("Content-Type", "text/plain"), ("Set-Cookie", "id=s3cret")]
        try await RequestInbox.served({ _ in ScriptedReply(fields: fields, body: Array("s3cret".utf8)) }) {
            sandbox,
            server,
            _ in
            let url = server.url("a?token=s3cret")
            try await sandbox.ferry(
                "send",
                "POST",
                url,
                "--data-json",
                #""s3cret""#,
                "-H",
                "X-Key: s3cret"
            ).expect(0)
            let before = try await sandbox.ferry("show", "1")
            for text in ["Method        POST", "8 B, application/json", "X-Key", "Idempotency-Key"] {
                #expect(before.output.contains(text), "\(text): \(before.output)")
            }
            let uuid = try #require(try await shown(1, in: sandbox)["uuid"] as? String)
            let revealed = try await sandbox.ferry("show", "--reveal", "1").output
            #expect(revealed.contains("Key value     \"\(uuid)\"") && !before.output.contains(uuid))
            #expect(try await sandbox.ferry("show", "--body", "1").status == 1)
            try await sandbox.ferry("run").expect(0)
            let after = try await sandbox.ferry("show", "1")
            for text in ["200, 6 B, text/plain", "Set-Cookie"] {
                #expect(after.output.contains(text), "\(text): \(after.output)")
            }
            let json = try await sandbox.ferry("show", "1", "--json")
            for outcome in [before, after, json] { #expect(!outcome.output.contains("s3cret")) }
            #expect(try await sandbox.ferry("show", "--body", "1").output == "s3cret")
            #expect(try await sandbox.ferry("show", "--reveal", "1").output.contains("Set-Cookie: id=s3cret"))
            let members = try await shown(1, "--body", in: sandbox)
            #expect(members["responseBody"] as? [String: String] == ["text": "s3cret"])
            #expect(members["responseType"] as? String == "text/plain" && members["status"] as? Int == 200)
        }
    }

    @Test("a wrong line ends with 64 and records nothing")
    func wrongLines() async throws {
        try await RequestInbox.served { sandbox, server, inbox in
            let url = server.url("a")
            for words in [
                ["POST"], [url], ["POST", url, "--data", "a", "--form", "b=c"],
                ["POST", url, "--key", "k", "--no-key"],
                ["POST", url, "--data-json", "{"], ["POST", url, "-H", "X: a\r\nY: b"],
                ["POST", url, "--json", "{}"],
                ["-X", "POST", url], ["POST", url, "--overwrite"],
            ] {
                let outcome = try await sandbox.launch(["send", "--wait"] + words).outcome()
                outcome.expect(64)
                #expect(outcome.output.isEmpty, "\(words)")
            }
            let json = try await sandbox.ferry("send", "POST", url, "--json", #"{"a":1}"#)
            #expect(json.errors.contains("--data-json"), "\(json.errors)")
            #expect(!FileManager.default.fileExists(atPath: sandbox.data + "/ferry.db") && inbox.all.isEmpty)
            #expect(try await sandbox.transfers().isEmpty)
        }
    }
}
