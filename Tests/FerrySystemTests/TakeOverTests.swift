import Glibc
import Testing

/// Containers that share a store, and cannot look for each other's processes.
@Suite(
    "Owners of which nothing shows whether they live",
    .berths,
    .enabled(if: Tool.canNestProcesses, "a PID namespace cannot be made here: that takes root")
)
struct TakeOverTests {
    /// Runs ferry as in a container of its own.
    private func contained(_ words: [String], in harbour: Harbour) throws -> ChildProcess {
        try harbour.launch(
            executable: try Tool.unshare.requiredPath(),
            ["-pf", "--kill-child", "--mount-proc", Repository.ferry] + words
        )
    }

    @Test("a run names what it cannot prove, and a person takes it over")
    func takeOver() async throws {
        let content = Content(count: 4 * .mebibyte, seed: 978)
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(content, tag: "\"a\"", to: request)
            if request.ordinal == 1 { reply.cut = .init(bytes: 2 * .mebibyte, then: .stall) }
            return reply
        } _: { server in
            try await Harbour.open { harbour in
                let owner = try contained(["get", "-x", "1", server.url("file.bin")], in: harbour)
                try await harbour.transferBecomes("half done") { $0.received > .mebibyte }
                // It must not take a seat again before it dies.
                try await harbour.shell("pkill -STOP -P \(owner.pid); rm \"$FERRY_DATA_DIR/ferry.owners\"")
                    .expect(0)
                owner.send(SIGKILL)
                _ = try await owner.outcome()

                let run = try await contained(["run"], in: harbour).outcome()
                run.expect(7)
                #expect(!run.errors.contains("Nothing was left to do"), "\(run.errors)")
                #expect(run.errors.contains("kept for process 1"), "\(run.errors)")
                #expect(run.errors.contains("`ferry resume --take-over 1`"), "\(run.errors)")
                let doctor = try await contained(["doctor"], in: harbour).outcome()
                #expect(doctor.output.contains("--take-over"), "\(doctor.output)")
                let resume = try await contained(["resume", "--all"], in: harbour).outcome()
                resume.expect(7)
                #expect(resume.errors.contains("--take-over"), "\(resume.errors)")

                try await contained(["resume", "--take-over", "1"], in: harbour).outcome().expect(0)
                try harbour.expectOnly("file.bin", content)
            }
        }
    }

    @Test("a living owner takes a seat again where the file of locks was removed")
    func seatedAgain() async throws {
        try await Harbour.open { harbour in
            let owner = try contained(["run", "--forever"], in: harbour)
            let file = harbour.data + "/ferry.owners"
            try await Deadline.wait(for: "the seat") { access(file, F_OK) == 0 }
            #expect(unlink(file) == 0)
            try await Deadline.wait(for: "another seat") { access(file, F_OK) == 0 }
            owner.send(SIGKILL)
            _ = try await owner.outcome()
            // With the process in another namespace only its lock can tell.
            try await Deadline.wait(for: "the proof of its death") {
                try await harbour.ferry("doctor").output.contains("has died")
            }
        }
    }
}

extension Tool {
    /// Whether a process may be given a PID namespace of its own.
    fileprivate static let canNestProcesses: Bool = {
        guard let path = unshare.path, Tool("pkill").isInstalled else { return false }
        let launch = Launch(
            executable: path,
            arguments: ["-pf", "--mount-proc", "true"],
            environment: ["PATH": "/usr/bin:/bin:/usr/sbin:/sbin"],
            directory: "/"
        )
        guard let pid = try? launch.spawn(outputTo: "/dev/null", errorsTo: "/dev/null") else { return false }
        var status: Int32 = 0
        return waitpid(pid, &status, 0) == pid && status == 0
    }()
}
