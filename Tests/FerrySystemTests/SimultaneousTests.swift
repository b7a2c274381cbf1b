import Glibc
import Testing

/// Several processes with one store.
@Suite("Several at once", .limitedParallelism, .enabled(if: Tool.nginx.isInstalled, "nginx is not installed"))
struct SimultaneousTests {
    @Test("two processes download different files at once")
    func differentFiles() async throws {
        try await Sandbox.open { sandbox in
            let contents = (0..<2).map { Content(count: 2 * .mebibyte, seed: 20 + $0) }
            for (index, content) in contents.enumerated() {
                try sandbox.publish(content, as: "file-\(index)")
            }
            let server = try await sandbox.start(Nginx(), ServerOptions(bytesPerSecond: 4 * .mebibyte))
            let processes = try (0..<2).map { try sandbox.launch(["get", server.url("file-\($0)")]) }
            for process in processes { try await process.outcome().expect(0) }
            for (index, content) in contents.enumerated() {
                #expect(content.isWhole(at: sandbox.path(of: "file-\(index)")))
            }
            #expect(try sandbox.fileNames() == ["file-0", "file-1"])
            #expect(try await sandbox.transfers().map(\.state) == ["completed", "completed"])
        }
    }

    @Test("a second process with the same file follows the first, and both succeed")
    func sameFile() async throws {
        let content = Content(count: 3 * .mebibyte, seed: 22)
        try await Self.serve(content) { sandbox, server, gate in
            let first = try sandbox.launch(["get", "-x", "1", server.url("file.bin")])
            try await sandbox.transferBecomes("active") { $0.state == "active" && $0.received > 0 }
            let second = try sandbox.launch(["get", "-x", "1", server.url("file.bin")])
            try await Self.follows(second, first)
            gate.open()
            let (one, other) = (try await first.outcome(), try await second.outcome())
            one.expect(0)
            other.expect(0)
            try sandbox.expectOnly("file.bin", content)
            #expect(server.requests.count == 1, "the file was fetched more than once")
            #expect(try await sandbox.transfers().count == 1)
        }
    }

    @Test("a request with a digest for a download that runs without it gets a message, and loses nothing")
    func sameFileWithDigest() async throws {
        let content = Content(count: 3 * .mebibyte, seed: 24)
        try await Self.serve(content) { sandbox, server, gate in
            let first = try sandbox.launch(["get", "-x", "1", server.url("file.bin")])
            try await sandbox.transferBecomes("active") { $0.state == "active" && $0.received > 0 }
            let digest = "sha256=" + String(repeating: "0", count: 64)
            for command in ["get", "add"] {
                let second = try await sandbox.ferry(command, "--checksum", digest, server.url("file.bin"))
                second.expect(1)
                #expect(second.errors.contains("without the digest"))
            }
            gate.open()
            try await first.outcome().expect(0)
            try sandbox.expectOnly("file.bin", content)
            // Now it checks the existing file, which has another digest.
            try await sandbox.ferry("get", "--checksum", digest, server.url("file.bin")).expect(32)
        }
    }

    @Test("a download to the standard output of one process cannot be shared")
    func sameStandardOutput() async throws {
        let content = Content(count: 3 * .mebibyte, seed: 25)
        try await Self.serve(content) { sandbox, server, gate in
            let first = try sandbox.launch(["get", "-x", "1", "-o", "-", server.url("file.bin")])
            try await sandbox.transferBecomes("active") { $0.state == "active" && $0.received > 0 }
            let second = try await sandbox.ferry("get", "-o", "-", server.url("file.bin"))
            second.expect(1)
            #expect(second.errors.contains("standard output of another process"))
            gate.open()
            try await first.outcome().expect(0)
        }
    }

    @Test("two processes that request the same file at the same moment make one transfer")
    func sameInstant() async throws {
        try await Sandbox.open { sandbox in
            let content = Content(count: 1 * .mebibyte, seed: 23)
            try sandbox.publish(content, as: "file.bin")
            let server = try await sandbox.start(Nginx(), ServerOptions(bytesPerSecond: 1 * .mebibyte))
            let processes = try (0..<4).map { _ in try sandbox.launch(["get", server.url("file.bin")]) }
            for process in processes { try await process.outcome().expect(0) }
            try sandbox.expectOnly("file.bin", content)
            #expect(try await sandbox.transfers().count == 1)
        }
    }

    @Test(
        "a follower takes over at the same byte when the process that it follows is killed or stopped",
        arguments: [SIGKILL, SIGINT, SIGTERM, SIGHUP]
    )
    func followerOutlivesLeader(_ signal: Int32) async throws {
        let content = Content(count: 3 * .mebibyte, seed: 24)
        try await Self.serve(content) { sandbox, server, _ in
            let (leader, follower) = try await Self.pair(sandbox, server)
            leader.send(signal)
            let stopped = try await leader.outcome()
            if signal != SIGKILL { stopped.expect(7) }
            try await follower.outcome().expect(0)
            try sandbox.expectOnly("file.bin", content)
            #expect(try await sandbox.transfers().map(\.state) == ["completed"])
            let again = try #require(server.requests.last)
            #expect(try #require(again.rangeStart) > 0)
        }
    }

    @Test("a pause ends the follower as well, and no process resumes")
    func aPauseIsForAll() async throws {
        let content = Content(count: 3 * .mebibyte, seed: 26)
        try await Self.serve(content) { sandbox, server, _ in
            let (leader, follower) = try await Self.pair(sandbox, server)
            try await sandbox.ferry("pause", "1").expect(0)
            try await leader.outcome().expect(7)
            try await follower.outcome().expect(7)
            #expect(try await sandbox.transfers().map(\.state) == ["paused"])
        }
    }

    /// Runs two processes with the same file. The second follows the first.
    private static func pair(
        _ sandbox: Sandbox,
        _ server: ScriptedServer
    ) async throws -> (leader: ChildProcess, follower: ChildProcess) {
        let leader = try sandbox.launch(["get", "-x", "1", server.url("file.bin")])
        try await sandbox.transferBecomes("active") { $0.state == "active" && $0.received > 0 }
        let follower = try sandbox.launch(["get", "-x", "1", server.url("file.bin")])
        try await follows(follower, leader)
        return (leader, follower)
    }

    /// Serves the content, and holds the first answer in the middle. So that download cannot end before the gate is open,
    /// even if another process takes long to start.
    private static func serve(
        _ content: Content,
        _ body: (Sandbox, ScriptedServer, Gate) async throws -> Void
    ) async throws {
        let gate = Gate()
        defer { gate.open() }
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(content, tag: "\"a\"", to: request)
            if request.ordinal == 1 { reply.gates = [(content.count / 2, gate)] }
            return reply
        } _: { server in
            try await Sandbox.open { try await body($0, server, gate) }
        }
    }

    private static func follows(_ follower: ChildProcess, _ leader: ChildProcess) async throws {
        try await Deadline.wait(
            for: "the follower to say whom it follows",
            said: { follower.errorsSoFar }
        ) {
            follower.errorsSoFar.contains("\(leader.pid)")
        }
    }
}
