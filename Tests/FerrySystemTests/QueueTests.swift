import Foundation
import Testing

/// The settings of a queue hold for all processes at once.
@Suite(
    "Queues of several processes",
    .limitedParallelism,
    .enabled(if: Tool.nginx.isInstalled, "nginx is not installed")
)
struct QueueTests {
    @Test("two processes never run two transfers of a queue with one slot at once")
    func oneSlot() async throws {
        try await Sandbox.open { sandbox in
            for name in ["a", "b"] {
                try sandbox.publish(Content(count: 4 * .mebibyte, seed: 51), as: name)
            }
            let server = try await sandbox.start(Nginx())
            try await sandbox.ferry("queue", "set", "narrow", "--slots", "1").expect(0)
            try await Relay.run(to: server, holdingAfter: [2 * .mebibyte]) { relay in
                let first = try sandbox.launch(["get", "-x", "1", "--queue", "narrow", relay.url("a")])
                try await relay.holds()
                let second = try sandbox.launch(["get", "-x", "1", "--queue", "narrow", relay.url("b")])
                var most = 0
                try await Deadline.wait(for: "the second transfer to stand in line", said: { "" }) {
                    let all = try await sandbox.transfers()
                    most = max(most, all.count { $0.state == "active" })
                    return all.count == 2 && all[1].state == "queued"
                }
                let listed = try await sandbox.ferry("queue", "list", "--json")
                #expect(listed.output.contains(#""running":1,"waiting":1}"#), "\(listed.output)")
                try await sandbox.ferry("pause", "1").expect(0)
                try await first.outcome().expect(7)
                try await second.outcome().expect(0)
                #expect(most == 1)
            }
            try sandbox.expectWhole("b", Content(count: 4 * .mebibyte, seed: 51))
        }
    }

    @Test("pausing a queue stops the transfers of another process, and resuming it keeps their bytes")
    func pauseAndResume() async throws {
        try await Sandbox.open { sandbox in
            let content = Content(count: 4 * .mebibyte, seed: 52)
            try sandbox.publish(content, as: "file.bin")
            let server = try await sandbox.start(Nginx())
            try await Relay.run(to: server, holdingAfter: [2 * .mebibyte]) { relay in
                let runner = try sandbox.launch(["get", "-x", "1", "--queue", "q", relay.url("file.bin")])
                try await relay.holds()
                try await sandbox.transferBecomes("half done") { $0.received > .mebibyte }
                try await sandbox.ferry("queue", "pause", "q").expect(0)
                let stopped = try await sandbox.transferBecomes("queued") { $0.state == "queued" }
                let before = relay.passed
                try await sandbox.ferry("queue", "resume", "q").expect(0)
                try await runner.outcome().expect(0)
                #expect(relay.passed - before < content.count - stopped.received + 64 * .kibibyte)
            }
            try sandbox.expectOnly("file.bin", content)
        }
    }

    @Test("a command that runs a transfer of a paused queue is told that it waits for the queue")
    func tellsOfAPausedQueue() async throws {
        try await Sandbox.open { sandbox in
            let url = "http://127.0.0.1:9/file.bin"
            try await sandbox.ferry("add", "--queue", "q", url).expect(0)
            try await sandbox.ferry("queue", "pause", "q").expect(0)
            let told = "Queue q is paused; `ferry queue resume q` lets its transfers start."
            // The queue is the one that is recorded, not the one of this command line.
            for words in [["get", url], ["resume", "1"]] {
                let runner = try sandbox.launch(words)
                try await Deadline.wait(for: "the line of the transfer", said: { runner.errorsSoFar }) {
                    let errors = runner.errorsSoFar
                    return errors.contains(told) && errors.contains("file.bin: queued (transfer 1).")
                }
                runner.send(SIGINT)
                let outcome = try await runner.outcome()
                outcome.expect(7)
                #expect(!outcome.errors.contains("Downloading"), "\(outcome.errors)")
            }
            let detached = try await sandbox.ferry("resume", "--detach", "1")
            detached.expect(0)
            #expect(detached.errors.contains(told), "\(detached.errors)")
            let shown = try await sandbox.ferry("show", "1").output
            #expect(shown.contains("queued; its queue is paused") && shown.contains("`ferry queue resume q`"))
        }
    }

    @Test("a queue that does not exist is not removed")
    func removesNoUnknownQueue() async throws {
        try await Sandbox.open { sandbox in
            try await sandbox.ferry("add", "http://127.0.0.1:9/file.bin").expect(0)
            try await sandbox.ferry("queue", "remove", "nope").expect(1)
        }
    }

    @Test("a queue can be removed when it has no unfinished transfer, and is listed until then")
    func remove() async throws {
        try await Sandbox.open { sandbox in
            try await sandbox.ferry("queue", "set", "images", "--slots", "2").expect(0)
            for queue in ["images", "others"] {
                try await sandbox.ferry("add", "--queue", queue, "http://127.0.0.1:9/\(queue)").expect(0)
            }
            let listed = try await sandbox.ferry(
                "list",
                "--queue",
                "images",
                "--state",
                "QUEUED",
                "--state",
                "failed"
            )
            #expect(listed.output.contains("images") && !listed.output.contains("others"), "\(listed.output)")
            let refused = try await sandbox.ferry("queue", "remove", "images")
            #expect(refused.status != 0)
            #expect(refused.errors.contains("it has transfer 1, which is queued"), "\(refused.errors)")
            #expect(refused.errors.contains("`ferry list --queue images`"), "\(refused.errors)")
            try await sandbox.ferry("cancel", "1").expect(0)
            try await sandbox.ferry("queue", "remove", "images").expect(0)
            let queues = try await sandbox.ferry("queue", "list")
            #expect(!queues.output.contains("images") && queues.output.contains("others"), "\(queues.output)")
        }
    }

    @Test("the oldest transfer is cancelled for the newest, and a message says so with -q, too")
    func cancelsTheOldest() async throws {
        try await Sandbox.open { sandbox in
            let content = Content(count: 4 * .mebibyte, seed: 53)
            for name in ["old", "new"] { try sandbox.publish(content, as: name) }
            let server = try await sandbox.start(Nginx())
            try await sandbox.ferry(
                "queue",
                "set",
                "images",
                "--slots",
                "1",
                "--overflow",
                "cancel-oldest"
            ).expect(0)
            try await Relay.run(to: server, holdingAfter: [2 * .mebibyte]) { relay in
                let old = try sandbox.launch(["get", "-q", "-x", "1", "--queue", "images", relay.url("old")])
                try await relay.holds()
                try await sandbox.ferry("get", "--queue", "images", relay.url("new")).expect(0)
                let told = try await old.outcome()
                told.expect(1)
                #expect(told.errors.contains("gave way to transfer 2"), "\(told.errors)")
                let shown = try await sandbox.ferry("show", "1")
                #expect(shown.output.contains("gave way to transfer 2"), "\(shown.output)")
                // A new request for it downloads it.
                try await sandbox.ferry("add", "--queue", "images", relay.url("old")).expect(0)
                try await sandbox.ferry("run").expect(0)
            }
            for name in ["old", "new"] { try sandbox.expectWhole(name, content) }
        }
    }
}

/// Strict first-in, first-out queues, with servers that fail.
@Suite("Strict queues", .limitedParallelism)
struct StrictQueueTests {
    private static let content = Content(count: 1000, seed: 54)

    private func makeStrict(_ sandbox: Sandbox) async throws {
        try await sandbox.ferry("queue", "set", "q", "--slots", "1", "--order", "strict").expect(0)
    }

    @Test("a transfer that waits for a retry holds those behind it")
    func retries() async throws {
        try await ScriptedServer.run { request in
            guard request.ordinal > 1 else {
                return ScriptedReply(status: 503, fields: [("Retry-After", "1")])
            }
            return .serving(Self.content, tag: "\"a\"", to: request)
        } _: { sandbox, server in
            try await makeStrict(sandbox)
            for name in ["first", "second"] {
                try await sandbox.ferry("add", "--queue", "q", server.url(name)).expect(0)
            }
            try await sandbox.ferry("run").expect(0)
            #expect(server.requests.map(\.path) == ["/first", "/first", "/second", "/second"])
        }
    }

    @Test("a failed transfer holds those behind it until it is cancelled, or they fail with it")
    func failures() async throws {
        try await ScriptedServer.run { request in
            request.path == "/gone"
                ? ScriptedReply(status: 404) : .serving(Self.content, tag: "\"a\"", to: request)
        } _: { sandbox, server in
            try await makeStrict(sandbox)
            for name in ["gone", "second"] {
                try await sandbox.ferry("add", "--queue", "q", server.url(name)).expect(0)
            }
            let held = try await sandbox.ferry("run")
            #expect(held.status != 0 && held.errors.contains("strict, behind transfer 1;"), "\(held)")
            let listed = try await sandbox.ferry("queue", "list")
            #expect(listed.output.contains("strict, held by transfer 1"), "\(listed)")
            let way = "`ferry retry 1` or `ferry remove 1` lets the others start."
            let told = "Queue q waits behind transfer 1, which failed; \(way)"
            for words in [["get", "--queue", "q", server.url("second")], ["resume", "2"]] {
                let runner = try sandbox.launch(words)
                try await Deadline.wait(for: "the reason", said: { runner.errorsSoFar }) {
                    runner.errorsSoFar.contains(told)
                }
                runner.send(SIGINT)
                let outcome = try await runner.outcome()
                #expect(outcome.errors.components(separatedBy: told).count == 2, "\(outcome)")
            }
            let detached = try await sandbox.ferry("resume", "--detach", "2")
            detached.expect(0)
            #expect(detached.errors.contains(told), "\(detached)")
            let portrait = try await sandbox.ferry("show", "2").output
            #expect(portrait.contains("it waits behind transfer 1, which failed"), "\(portrait)")
            #expect(portrait.contains(way), "\(portrait)")
            try await sandbox.ferry("cancel", "1").expect(0)
            try await sandbox.ferry("run").expect(0)
            #expect(try await sandbox.transfers().map(\.state) == ["cancelled", "completed"])

            try await sandbox.ferry("queue", "set", "q", "--on-failure", "fail").expect(0)
            for name in ["gone", "third"] {
                try await sandbox.ferry("add", "--queue", "q", server.url(name)).expect(0)
            }
            #expect(try await sandbox.ferry("run").status != 0)
            let shown = try await sandbox.ferry("show", "--json", "4")
            #expect(shown.output.contains("headFailed"), "\(shown)")
            #expect(server.requests.filter { $0.path == "/third" }.isEmpty)
        }
    }
}

extension Sandbox {
    fileprivate func expectWhole(
        _ name: String,
        _ content: Content,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(content.isWhole(at: path(of: name)), "the bytes differ", sourceLocation: sourceLocation)
    }
}
