import Testing

/// Transfers that wait for other transfers, in several processes.
@Suite("After other transfers", .limitedParallelism)
struct DependencyTests {
    private let content = Content(count: 100_000, seed: 71)

    @Test("a command waits for the transfer of another process, says so, and starts when that is complete")
    func waitsForAnotherProcess() async throws {
        let gate = Gate()
        defer { gate.open() }
        try await serve(gate) { sandbox, server in
            let first = try sandbox.launch(["get", server.url("first")])
            try await sandbox.transferBecomes("active") { $0.state == "active" && $0.received > 0 }
            let last = try sandbox.launch(["get", "--after", "1", server.url("last")])
            try await Deadline.wait(
                for: "the second command to say what it waits for",
                said: { last.errorsSoFar }
            ) {
                last.errorsSoFar.contains("last: waiting for transfer 1")
            }
            let listed = try await sandbox.ferry("list", "--json")
            #expect(
                listed.output.contains(#""waitingFor":{"condition":"dependency","transfers":[1]}"#),
                "\(listed.output)"
            )
            #expect(try await sandbox.ferry("list").output.contains("after 1"))
            let shown = try await sandbox.ferry("show", "2")
            #expect(shown.output.contains("waiting for transfer 1"), "\(shown.output)")
            #expect(server.requests.count == 1)
            gate.open()
            try await first.outcome().expect(0)
            try await last.outcome().expect(0)
            #expect(server.requests.map(\.path) == ["/first", "/last"])
            for name in ["first", "last"] { #expect(content.isWhole(at: sandbox.path(of: name))) }
        }
    }

    @Test("the queue runs in the requested order")
    func runsInOrder() async throws {
        try await serve { sandbox, server in
            try await sandbox.ferry("add", server.url("first")).expect(0)
            let urls = (0..<20).map { server.url("last-\($0)") }
            try await sandbox.launch(["add", "--priority", "9", "--after", "1"] + urls).outcome().expect(0)
            try await sandbox.ferry("run").expect(0)
            #expect(server.requests.first?.path == "/first" && server.requests.count == 21)
            #expect(try await sandbox.transfers().allSatisfy { $0.state == "completed" })
        }
    }

    @Test("a transfer that failed with another one can come after a third one instead")
    func isAttachedAnew() async throws {
        try await serve { sandbox, server in
            try await sandbox.ferry("add", server.url("missing")).expect(0)
            try await sandbox.ferry("add", "--after", "1", server.url("last")).expect(0)
            try await sandbox.ferry("run").expect(3)
            try await sandbox.ferry("add", server.url("first")).expect(0)
            let edited = try await sandbox.ferry("edit", "2", "--after", "3")
            edited.expect(0)
            #expect(edited.errors.contains("`ferry retry 2` tries again"), "\(edited)")
            let circle = try await sandbox.ferry("edit", "3", "--after", "2")
            #expect(circle.status != 0, "\(circle)")
            try await sandbox.ferry("retry", "2", "--detach").expect(0)
            #expect(try await sandbox.ferry("list").output.contains("after 3"))
            try await sandbox.ferry("run").expect(0)
            #expect(server.requests.map(\.path).suffix(2) == ["/first", "/last"])
        }
    }

    @Test("a transfer can wait for no other one after all")
    func isDetached() async throws {
        try await serve { sandbox, server in
            try await sandbox.ferry("add", server.url("missing")).expect(0)
            try await sandbox.ferry("add", "--after", "1", server.url("free")).expect(0)
            try await sandbox.ferry("add", "--after", "1", server.url("last")).expect(0)
            try await sandbox.ferry("edit", "2", "--after", "none").expect(0)
            #expect(try await !sandbox.ferry("show", "2").output.contains("after 1"))
            try await sandbox.ferry("run").expect(3)
            #expect(Set(server.requests.map(\.path)) == ["/missing", "/free"])
            // The other one has failed with the first, and is tried again alone.
            let edited = try await sandbox.ferry("edit", "3", "--after", "none")
            edited.expect(0)
            #expect(edited.errors.contains("`ferry retry 3` tries again"), "\(edited)")
            try await sandbox.ferry("retry", "3").expect(0)
            #expect(server.requests.last?.path == "/last")
        }
    }

    @Test(
        "if a transfer fails or is cancelled, those that wait for it fail, and the message names it and the next command"
    )
    func failsAlong() async throws {
        try await serve { sandbox, server in
            try await sandbox.ferry("add", server.url("missing")).expect(0)
            try await sandbox.ferry("add", "--after", "1", server.url("second")).expect(0)
            try await sandbox.ferry("add", "--after", "2", server.url("third")).expect(0)
            let run = try await sandbox.ferry("run")
            run.expect(3)
            #expect(run.errors.contains("third: Transfer 1, which had to complete before it, has failed"))
            #expect(run.errors.contains("`ferry retry 1`"), "\(run.errors)")
            #expect(server.requests.count == 1)
            let early = try await sandbox.ferry("retry", "2")
            early.expect(1)
            #expect(early.errors.contains("first with `ferry retry 1`"), "\(early.errors)")
            try await sandbox.ferry("cancel", "1").expect(0)
            try await sandbox.ferry("add", "--after", "1", server.url("fourth")).expect(1)
            try await sandbox.ferry("add", "--after", "77", server.url("fourth")).expect(1)
            #expect(try await sandbox.transfers().count == 3)
        }
    }

    /// Serves the content under every name except one, and holds the first answer at a gate.
    private func serve(
        _ gate: Gate? = nil,
        _ body: (Sandbox, ScriptedServer) async throws -> Void
    ) async throws {
        let content = content
        try await ScriptedServer.run(with: body) { request in
            guard request.path != "/missing" else { return ScriptedReply(status: 404) }
            var reply = ScriptedReply.serving(content, tag: "\"a\"", to: request)
            if request.ordinal == 1, let gate { reply.gates = [(content.count / 2, gate)] }
            return reply
        }
    }
}
