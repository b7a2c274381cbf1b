import Testing

/// The list shows what a person looks for first, and nothing that is of no use any more.
@Suite("Listing", .limitedParallelism)
struct ListTests {
    /// The IDs in the order in which `ferry list --json` prints them.
    private func ids(_ sandbox: Sandbox, _ words: [String]) async throws -> [Int] {
        let listed = try await sandbox.launch(["list", "--json"] + words).outcome()
        listed.expect(0)
        return try listed.output.split(separator: "\n").flatMap { try ListedTransfer.all(in: String($0)) }
            .map(\.id)
    }

    @Test(
        "all transfers are listed from the newest to the oldest, the unfinished ones in the order of adding"
    )
    func order() async throws {
        try await Sandbox.open { sandbox in
            for name in ["a", "b", "c", "d"] {
                try await sandbox.ferry("add", "http://127.0.0.1:9/\(name)").expect(0)
            }
            try await sandbox.ferry("cancel", "2").expect(0)
            #expect(try await ids(sandbox, []) == [1, 3, 4])
            #expect(try await ids(sandbox, ["--all"]) == [4, 3, 2, 1])
            #expect(try await ids(sandbox, ["--all", "--before", "4", "--limit", "2"]) == [3, 2])
            #expect(try await ids(sandbox, ["--before", "4"]) == [3, 1])
            #expect(try await ids(sandbox, ["--all", "--after", "0", "--limit", "2"]) == [1, 2])
            #expect(try await ids(sandbox, ["--all", "--after", "2"]) == [3, 4])
            let page = try await sandbox.ferry("list", "--all", "--limit", "2")
            #expect(page.errors.contains("`ferry list --all --limit 2 --before 3`"), "\(page.errors)")
            try await sandbox.ferry("list", "--after", "1", "--before", "3").expect(64)
        }
    }

    @Test("up to ten paused or removed transfers are named, and more are counted", arguments: [10, 11])
    func manyAtOnce(count: Int) async throws {
        try await Sandbox.open { sandbox in
            let urls = (1...count).map { "http://127.0.0.1:9/\($0)" }
            try await sandbox.launch(["add"] + urls).outcome().expect(0)
            let paused = try await sandbox.ferry("pause", "--all")
            paused.expect(0)
            #expect(paused.errors.split(separator: "\n").count == (count == 10 ? 10 : 1), "\(paused)")
            #expect(paused.errors.hasPrefix("Transfers: 11 paused. ") || count == 10, "\(paused)")
            try await sandbox.launch(["cancel"] + (1...count).map { "\($0)" }).outcome().expect(0)
            let removed = try await sandbox.ferry("remove", "--all")
            removed.expect(0)
            let lines = removed.errors.split(separator: "\n")
            #expect(lines.count == (count == 10 ? 10 : 1), "\(removed)")
            #expect(lines.last == "11 transfers removed from the list." || count == 10, "\(removed)")
            #expect(try await ids(sandbox, ["--all"]).isEmpty)
        }
    }

    @Test("what runs a queue is named if no process does, but not for a queue that is paused")
    func pausedQueue() async throws {
        try await Sandbox.open { sandbox in
            try await sandbox.ferry("add", "--queue", "later", "http://127.0.0.1:9/a").expect(0)
            try await sandbox.ferry("queue", "pause", "later").expect(0)
            let paused = try await sandbox.ferry("list")
            #expect(paused.output.contains("[later, paused]") && !paused.errors.contains("`ferry run`"))
            try await sandbox.ferry("add", "http://127.0.0.1:9/b").expect(0)
            let waiting = try await sandbox.ferry("list")
            #expect(waiting.errors.contains("No process runs the queue. `ferry run`"), "\(waiting)")
        }
    }

    @Test("what resumes paused transfers is named if all are paused")
    func allPaused() async throws {
        try await Sandbox.open { sandbox in
            let line = "`ferry resume ID` resumes a paused transfer, `ferry resume --all` all of them."
            try await sandbox.ferry("add", "http://127.0.0.1:9/a", "http://127.0.0.1:9/b").expect(0)
            try await sandbox.ferry("pause", "1").expect(0)
            #expect(try await !sandbox.ferry("list").errors.contains(line))
            try await sandbox.ferry("pause", "2").expect(0)
            let paused = try await sandbox.ferry("list")
            #expect(paused.errors.contains(line), "\(paused)")
        }
    }

    @Test("what has failed comes last, and the latest ten of it are listed")
    func failures() async throws {
        try await ScriptedServer.run { _ in
            ScriptedReply(status: 404)
        } _: { sandbox, server in
            let urls = (1...12).map { server.url("f\($0)") }
            #expect(try await sandbox.launch(["get"] + urls).outcome().status != 0)
            try await sandbox.ferry("add", server.url("new")).expect(0)
            func rows(_ words: [String]) async throws -> (ids: [Int], errors: String) {
                let list = try await sandbox.launch(["list"] + words).outcome()
                list.expect(0)
                let ids = list.output.split(separator: "\n").compactMap { $0.split(separator: " ").first }
                return (ids.compactMap { Int($0) }, list.errors)
            }
            let list = try await rows([])
            let expected = [13] + Array((3...12).reversed())
            #expect(list.ids == expected)
            let said = "Not shown: 2 earlier failures. `ferry list --state failed` shows all of them."
            #expect(list.errors.contains(said), "\(list.errors)")
            let failed = try await rows(["--state", "failed"])
            #expect(failed.ids == Array((1...12).reversed()))
            #expect(!failed.errors.contains("earlier failures"), "\(failed.errors)")
            let page = try await rows(["--limit", "3"])
            #expect(page.ids == Array(expected.prefix(3)))
            let next = "`ferry list --state failed --limit 3 --before 11`"
            #expect(page.errors.contains("More transfers: \(next) lists them."), "\(page.errors)")
            let whole = try await rows(["--limit", "20"])
            #expect(whole.ids == [13] + Array((1...12).reversed()))
            #expect(try await ids(sandbox, []) == Array(1...13))
            try await sandbox.ferry("remove", "1").expect(0)
            let fewer = try await rows([])
            #expect(fewer.errors.contains("Not shown: 1 earlier failure. `ferry list"), "\(fewer.errors)")
        }
    }

    @Test("a download to standard output that has failed is listed only on request")
    func streams() async throws {
        try await ScriptedServer.run { _ in
            ScriptedReply(status: 404)
        } _: { sandbox, server in
            let get = try await sandbox.ferry("get", "-o", "-", server.url("a"))
            #expect(get.status != 0)
            let list = try await sandbox.ferry("list")
            list.expect(0)
            #expect(list.output.isEmpty, "\(list.output)")
            let said = "Not shown: 1 failed stream. `ferry list --all` shows them."
            #expect(
                list.errors.contains("No unfinished transfers.") && list.errors.contains(said),
                "\(list.errors)"
            )
            for words in [["--all"], ["--state", "failed"]] {
                #expect(try await ids(sandbox, words) == [1])
            }
            // A file can be fetched again, and stays in the list.
            #expect(try await sandbox.ferry("get", server.url("b")).status != 0)
            #expect(try await ids(sandbox, []) == [2])
        }
    }
}
