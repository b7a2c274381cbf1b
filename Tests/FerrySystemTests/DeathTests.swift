import Glibc
import Synchronization
import Testing

/// Transfers that kill the process that runs them.
@Suite("A transfer that kills its process", .limitedParallelism)
struct DeathTests {
    private static let content = Content(count: 200_000, seed: 611)

    /// Runs `body` with a server that kills the process under test at each request for a deadly path.
    private func deadly(_ body: (Sandbox, ScriptedServer, Victim) async throws -> Void) async throws {
        let victim = Victim()
        let reply = ScriptedReply(body: Array(Self.content.bytes))
        try await ScriptedServer.run { request in
            if request.path.contains("deadly") { victim.kill() }
            return reply
        } _: { server in
            try await Sandbox.open { sandbox in try await body(sandbox, server, victim) }
        }
    }

    private final class Victim: Sendable {
        private let pid = Mutex<pid_t>(0)

        /// Starts a process that a request kills. The request waits until the process number is known.
        func launch(_ start: () throws -> ChildProcess) throws -> ChildProcess {
            try pid.withLock { pid in
                let process = try start()
                pid = process.pid
                return process
            }
        }

        /// Notes that the process has ended.
        func forget() { pid.withLock { $0 = 0 } }

        func kill() {
            pid.withLock { if $0 > 0 { _ = Glibc.kill($0, SIGKILL) } }
        }
    }

    @Test("it is found after a few deaths, and no other transfer fails with it", arguments: [1, 3])
    func isFoundOut(_ jobs: Int) async throws {
        try await deadly { sandbox, server, victim in
            try await sandbox.ferry("add", "--retries", "0", server.url("deadly.bin")).expect(0)
            for name in ["a.bin", "b.bin", "c.bin"] {
                try await sandbox.ferry("add", "--retries", "0", server.url(name)).expect(0)
            }
            var deaths = 0
            while deaths < 20 {
                let run = try victim.launch { try sandbox.launch(["run", "-j", "\(jobs)"]) }
                let outcome = try await run.outcome()
                victim.forget()
                if outcome.exit == .signal(SIGKILL) {
                    deaths += 1
                    continue
                }
                #expect(outcome.status != 0, "\(outcome.errors)")
                #expect(outcome.errors.contains("died"), "\(outcome.errors)")
                break
            }
            #expect(deaths == 6)
            let states = try await sandbox.transfers().map(\.state)
            #expect(states == ["failed", "completed", "completed", "completed"])
            for name in ["a.bin", "b.bin", "c.bin"] {
                #expect(Self.content.isWhole(at: sandbox.path(of: name)))
            }
            #expect(try sandbox.fileNames().filter { !$0.contains("deadly") } == ["a.bin", "b.bin", "c.bin"])
            try await sandbox.ferry("run").expect(0)
        }
    }

    @Test("a single death does not count as an attempt, even without retries")
    func oneDeath() async throws {
        try await deadly { sandbox, server, victim in
            let get = try victim.launch {
                try sandbox.launch(["get", "--retries", "0", server.url("deadly.bin")])
            }
            #expect(try await get.outcome().exit == .signal(SIGKILL))
            victim.forget()
            let listed = try await sandbox.ferry("list")
            #expect(listed.output.contains("deadly.bin  interrupted: its process died"), "\(listed)")
            #expect(listed.errors.contains("`ferry run`"), "\(listed)")
            try await sandbox.ferry("run").expect(0)
            try sandbox.expectOnly("deadly.bin", Self.content)
        }
    }
}
