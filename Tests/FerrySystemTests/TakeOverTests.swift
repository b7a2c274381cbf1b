import Glibc
import Testing

/// Containers that share a store and cannot see each other's processes.
@Suite(
    "Owners of which nothing shows whether they live",
    .limitedParallelism,
    .enabled(if: Tool.canNestProcesses, "a PID namespace cannot be made here: that takes root")
)
struct TakeOverTests {
    /// Runs ferry as in its own container.
    private func contained(_ words: [String], in sandbox: Sandbox) throws -> ChildProcess {
        try sandbox.launch(
            executable: try Tool.unshare.requiredPath(),
            ["-pf", "--kill-child", "--mount-proc", Repository.ferry] + words
        )
    }

    @Test("a run names a transfer whose owner may be alive, and a user can take it over")
    func takeOver() async throws {
        let content = Content(count: 4 * .mebibyte, seed: 978)
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(content, tag: "\"a\"", to: request)
            if request.ordinal == 1 { reply.cut = .init(bytes: 2 * .mebibyte, then: .stall) }
            return reply
        } _: { sandbox, server in
            let owner = try contained(["get", "-x", "1", server.url("file.bin")], in: sandbox)
            try await sandbox.transferBecomes("half done") { $0.received > .mebibyte }
            // It must not register again before it dies.
            try await sandbox.shell("pkill -STOP -P \(owner.pid); rm \"$FERRY_DATA_DIR/ferry.owners\"")
                .expect(0)
            owner.send(SIGKILL)
            _ = try await owner.outcome()

            let run = try await contained(["run"], in: sandbox).outcome()
            run.expect(7)
            #expect(!run.errors.contains("Nothing to do"), "\(run.errors)")
            #expect(run.errors.contains("kept for process 1"), "\(run.errors)")
            #expect(run.errors.contains("`ferry resume --take-over 1`"), "\(run.errors)")
            let doctor = try await contained(["doctor"], in: sandbox).outcome()
            #expect(doctor.output.contains("--take-over"), "\(doctor.output)")
            let resume = try await contained(["resume", "--all"], in: sandbox).outcome()
            resume.expect(7)
            #expect(resume.errors.contains("--take-over"), "\(resume.errors)")

            try await contained(["resume", "--take-over", "1"], in: sandbox).outcome().expect(0)
            try sandbox.expectOnly("file.bin", content)
        }
    }

    /// Stops an owner process, and removes the file that shows others that it is alive.
    private func hide(_ owner: ChildProcess, in sandbox: Sandbox) async throws {
        try await sandbox.shell("pkill -STOP -P \(owner.pid); rm \"$FERRY_DATA_DIR/ferry.owners\"").expect(0)
    }

    @Test(
        "only the named transfer is taken over, this revokes a cancel, and the former owner reports it"
    )
    func takesOnlyWhatIsNamed() async throws {
        let content = Content(count: 4 * .mebibyte, seed: 979)
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(content, tag: "\"a\"", to: request)
            if request.ordinal <= 2 { reply.cut = .init(bytes: 2 * .mebibyte, then: .stall) }
            return reply
        } _: { sandbox, server in
            let words = ["get", "-x", "1", "-j", "2", server.url("a.bin"), server.url("b.bin")]
            let owner = try contained(words, in: sandbox)
            try await Deadline.wait(for: "both half done") {
                let transfers = try await sandbox.transfers()
                return transfers.count == 2 && transfers.allSatisfy { $0.received > .mebibyte }
            }
            try await hide(owner, in: sandbox)
            let cancel = try await contained(["cancel", "1"], in: sandbox).outcome()
            #expect(cancel.errors.contains("--detach --take-over 1`"), "\(cancel.errors)")
            try await contained(["resume", "--detach", "--take-over", "1"], in: sandbox).outcome().expect(
                0
            )
            let (first, second) = (try await sandbox.transfers()[0], try await sandbox.transfers()[1])
            #expect(first.state == "queued" && first.received > .mebibyte)
            #expect(second.state == "active", "it was not named")
            try await contained(["resume", "--detach", "--take-over", "2"], in: sandbox).outcome().expect(
                0
            )
            try await sandbox.shell("pkill -CONT -P \(owner.pid)").expect(0)
            let former = try await owner.outcome()
            former.expect(7)
            #expect(former.errors.contains("Another process has taken over"), "\(former.errors)")
            #expect(former.errors.contains("`ferry watch`"), "\(former.errors)")
            try await sandbox.ferry("run").expect(0)
            for name in ["a.bin", "b.bin"] { #expect(content.isWhole(at: sandbox.path(of: name))) }
        }
    }

    @Test(
        "an owner with another clock is not declared dead",
        .enabled(if: Tool.canShiftTime, "a time namespace cannot be made here")
    )
    func anotherClock() async throws {
        let content = Content(count: 4 * .mebibyte, seed: 980)
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(content, tag: "\"a\"", to: request)
            if request.ordinal == 1 { reply.cut = .init(bytes: 2 * .mebibyte, then: .stall) }
            return reply
        } _: { sandbox, server in
            let owner = try sandbox.launch(
                executable: try Tool.unshare.requiredPath(),
                Tool.shiftingTime + [Repository.ferry, "get", "-x", "1", server.url("file.bin")]
            )
            try await sandbox.transferBecomes("half done") { $0.received > .mebibyte }
            try await hide(owner, in: sandbox)
            let run = try await sandbox.ferry("run")
            run.expect(7)
            #expect(run.errors.contains("`ferry resume --take-over 1`"), "\(run.errors)")
            owner.send(SIGKILL)
            _ = try await owner.outcome()
        }
    }

    @Test("a living owner registers again after the lock file was removed")
    func seatedAgain() async throws {
        try await Sandbox.open { sandbox in
            let owner = try contained(["run", "--forever"], in: sandbox)
            let file = sandbox.data + "/ferry.owners"
            try await Deadline.wait(for: "the seat") { access(file, F_OK) == 0 }
            #expect(unlink(file) == 0)
            try await Deadline.wait(for: "another seat") { access(file, F_OK) == 0 }
            owner.send(SIGKILL)
            _ = try await owner.outcome()
            // The process is in another namespace, so only its lock can show that it has died.
            try await Deadline.wait(for: "the proof of its death") {
                try await sandbox.ferry("doctor").output.contains("has died")
            }
        }
    }
}

extension Tool {
    /// The arguments that run a command in a new time namespace, and kill it together with `unshare`.
    fileprivate static let shiftingTime = ["-T", "--boottime", "1000000", "-f", "--kill-child"]

    /// Whether this machine lets the tests make time namespaces.
    fileprivate static let canShiftTime = canRun(shiftingTime)

    /// Whether this machine lets the tests make PID namespaces.
    fileprivate static let canNestProcesses = canRun(["-pf", "--mount-proc"])

    /// Whether `unshare` succeeds with these arguments.
    private static func canRun(_ words: [String]) -> Bool {
        guard let path = unshare.path, Tool("pkill").isInstalled else { return false }
        let launch = Launch(
            executable: path,
            arguments: words + ["true"],
            environment: ["PATH": "/usr/bin:/bin:/usr/sbin:/sbin"],
            directory: "/"
        )
        guard let pid = try? launch.spawn(outputTo: "/dev/null", errorsTo: "/dev/null") else { return false }
        var status: Int32 = 0
        return waitpid(pid, &status, 0) == pid && status == 0
    }
}
