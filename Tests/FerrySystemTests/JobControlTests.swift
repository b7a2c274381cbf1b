import Foundation
import Glibc
import Testing

/// Job control by a shell, and its effect on the downloads.
@Suite("Ctrl-Z and fg", .limitedParallelism, .enabled(if: Tool.nginx.isInstalled, "nginx is not installed"))
struct JobControlTests {
    @Test("Ctrl-Z records and releases the transfer, and fg resumes it at once")
    func stopsAndGoesOn() async throws {
        try await withStopped(seed: 81) { sandbox, process, content in
            // No process holds it meanwhile, so another process could resume it.
            let left = try #require(try await sandbox.transfers().first)
            #expect(left.state == "queued" && left.process == nil && left.attempts == 0)
            #expect(left.received >= 2 * .mebibyte)
            process.send(SIGCONT)
            try await process.outcome().expect(0)
            try sandbox.expectOnly("file.bin", content)
        }
    }

    @Test(
        "a released transfer is not claimed again before the process is stopped",
        .enabled(if: Tool.taskset.isInstalled && Tool.chrt.isInstalled, "util-linux is not installed")
    )
    func standsStillAtOnce() async throws {
        try await Sandbox.open { sandbox in
            let content = Content(count: 4 * .mebibyte, seed: 83)
            let (rounds, share) = (8, 256 * .kibibyte)
            try await ScriptedServer.run { request in
                var reply = ScriptedReply.serving(content, tag: "\"a\"", to: request)
                if request.ordinal <= rounds { reply.cut = .init(bytes: share, then: .stall) }
                return reply
            } _: { server in
                let process = try sandbox.launch(["get", "-x", "1", server.url("file.bin")])
                try await sandbox.transferBecomes("under way") { $0.received >= share }
                // The kernel stops a process when one of its threads handles the signal. The first thread is slow here,
                // and it is also the one that gets signals to the whole process.
                try await holdFirstThreadBack(sandbox, process)
                for round in 1...rounds {
                    try await sandbox.transferBecomes("under way") { transfer in
                        transfer.process == Int(process.pid) && transfer.received >= round * share
                    }
                    process.send(SIGTSTP)
                    try await Deadline.wait(for: "the process to stand still") { process.isStopped }
                    let left = try #require(try await sandbox.transfers().first)
                    #expect(left.state == "queued" && left.process == nil, "round \(round)")
                    process.send(SIGCONT)
                }
                try await process.outcome().expect(0)
                try sandbox.expectOnly("file.bin", content)
            }
        }
    }

    @Test("a process stopped by SIGSTOP resumes, and no message mentions the network")
    func stoppedByForce() async throws {
        try await withStopped(by: SIGSTOP, seed: 84) { sandbox, process, content in
            process.send(SIGCONT)
            let outcome = try await process.outcome()
            outcome.expect(0)
            #expect(!outcome.errors.lowercased().contains("network"), "\(outcome.errors)")
            try sandbox.expectOnly("file.bin", content)
            let history = try await sandbox.ferry("show", "1")
            #expect(!history.output.contains("route"), "\(history.output)")
        }
    }

    /// `timeout` continues the command that it ends.
    @Test("a stop that comes with SIGCONT is recorded as no failure", arguments: [SIGINT, SIGTERM])
    func endedWhileStopped(_ signal: Int32) async throws {
        try await withStopped(by: SIGSTOP, everyAnswerStalls: true, seed: 85) { sandbox, process, _ in
            // The kernel keeps it until the process continues, so both are there at once.
            process.send(signal)
            process.send(SIGCONT)
            try await process.outcome().expect(7)
            let history = try await sandbox.ferry("show", "1")
            #expect(!history.output.contains("Failed attempts"), "\(history.output)")
        }
    }

    @Test("another process completes the transfer that a stopped one released")
    func anotherProcessGoesOn() async throws {
        try await withStopped(seed: 82) { sandbox, process, content in
            try await sandbox.ferry("run").expect(0)
            try sandbox.expectOnly("file.bin", content)
            process.send(SIGCONT)
            try await process.outcome().expect(0)
        }
    }

    /// Puts all threads of a process on one processor. The first thread runs there only while the others are idle.
    private func holdFirstThreadBack(_ sandbox: Sandbox, _ process: ChildProcess) async throws {
        let line = """
            cpu=$(taskset -c -p $$ | sed 's/.*: //; s/[-,].*//')
            taskset -a -c -p "$cpu" \(process.pid)
            chrt --idle -p 0 \(process.pid)
            """
        try await sandbox.shell(line).expect(0)
    }

    /// A download whose first answer stalls half-way, in a process that a signal has stopped (Ctrl-Z sends SIGTSTP).
    private func withStopped(
        by signal: Int32 = SIGTSTP,
        everyAnswerStalls: Bool = false,
        seed: UInt64,
        _ body: @escaping @Sendable (Sandbox, ChildProcess, Content) async throws -> Void
    ) async throws {
        try await Sandbox.open { sandbox in
            let content = Content(count: 4 * .mebibyte, seed: seed)
            try await ScriptedServer.run { request in
                var reply = ScriptedReply.serving(content, tag: "\"a\"", to: request)
                if request.ordinal == 1 || everyAnswerStalls {
                    reply.cut = .init(bytes: 2 * .mebibyte, then: .stall)
                }
                return reply
            } _: { server in
                let process = try sandbox.launch(["get", "-x", "1", server.url("file.bin")])
                try await sandbox.transferBecomes("under way") { $0.received >= 2 * .mebibyte }
                process.send(signal)
                try await Deadline.wait(for: "the process to stand still") { process.isStopped }
                try await body(sandbox, process, content)
            }
        }
    }
}

extension ChildProcess {
    /// Whether it is stopped (`T` in its status).
    fileprivate var isStopped: Bool {
        let status = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
        return status?.split(separator: ")").last?.hasPrefix(" T") == true
    }
}
