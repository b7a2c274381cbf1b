import Foundation
import Glibc
import Testing

/// Bodies from pipes, which the real binary copies.
@Suite("Piped bodies", .limitedParallelism)
struct PipedBodyTests {
    private let content = Content(count: 3 * .mebibyte + 1, seed: 29)

    private func write(_ content: Content, as name: String, in sandbox: Sandbox) throws {
        try Data(content.bytes).write(to: URL(fileURLWithPath: sandbox.path(of: name)))
    }

    private func copies(in sandbox: Sandbox) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: sandbox.data + "/bodies")
        } catch {
            return []
        }
    }

    @Test(
        "what a pipe gives is copied, sent by another process, and the copy removed",
        arguments: ["put --no-wait - \"$URL\"", "send PUT \"$URL\" --data-file -"]
    )
    func recorded(words: String) async throws {
        try await RequestInbox.served { sandbox, server, inbox in
            try write(content, as: "a", in: sandbox)
            let environment = ["URL": server.url("x")]
            try await sandbox.shell("cat a | ferry \(words); rm a", environment: environment).expect(0)
            #expect(copies(in: sandbox).count == 1 && inbox.all.isEmpty)
            let shown = try await sandbox.ferry("show", "1")
            #expect(shown.output.contains("3.0 MiB, copied"), "\(shown.output)")
            try await sandbox.ferry("run").expect(0)
            #expect(inbox.all.map(\.bytes) == [Array(content.bytes)])
            #expect(inbox.all.first?.request["content-length"] == "\(content.count)")
            #expect(copies(in: sandbox).isEmpty)
            let later = try await sandbox.ferry("show", "1")
            #expect(later.output.contains("3.0 MiB, copied"), "\(later.output)")
        }
    }

    @Test("a named pipe is copied too, and a lost connection sends the copy again")
    func namedPipe() async throws {
        try await RequestInbox.served({ $0.ordinal < 2 ? nil : ScriptedReply(status: 201) }) {
            sandbox,
            server,
            inbox in
            try write(content, as: "a", in: sandbox)
            let line = "mkfifo p; cat a >p & ferry send --wait POST \"$URL\" --data-file p"
            try await sandbox.shell(line, environment: ["URL": server.url("x")]).expect(0)
            #expect(inbox.all.map(\.bytes) == [Array(content.bytes), Array(content.bytes)])
            #expect(copies(in: sandbox).isEmpty)
        }
    }

    @Test("a short one is stored with its request, and standard input needs a URL with a name")
    func short() async throws {
        try await RequestInbox.served { sandbox, server, inbox in
            let environment = ["URL": server.url("x"), "DIRECTORY": server.url("in/")]
            let put = try await sandbox.shell("echo hello | ferry put - \"$URL\"", environment: environment)
            put.expect(0)
            #expect(put.errors.contains("(sent 6 B"), "\(put)")
            #expect(inbox.all.map(\.body) == ["hello\n"] && copies(in: sandbox).isEmpty)
            let refused = try await sandbox.shell("ferry put - \"$DIRECTORY\"", environment: environment)
            refused.expect(64)
            #expect(refused.errors.contains("no name"), "\(refused.errors)")
        }
    }

    @Test("a cancelled request takes its copy along")
    func cancelled() async throws {
        try await RequestInbox.served { sandbox, server, inbox in
            try write(content, as: "a", in: sandbox)
            let line = "cat a | ferry put --no-wait - \"$URL\""
            try await sandbox.shell(line, environment: ["URL": server.url("x")]).expect(0)
            try await sandbox.ferry("cancel", "1").expect(0)
            #expect(copies(in: sandbox).isEmpty && inbox.all.isEmpty)
        }
    }

    @Test("a copy whose process was killed is removed by the next one that runs transfers")
    func killed() async throws {
        try await RequestInbox.served { sandbox, server, inbox in
            let hung = try await hung("put --no-wait - \"$URL\"", sandbox, server.url("x"))
            // While its process lives, no other one removes it.
            try await sandbox.ferry("run").expect(0)
            #expect(copies(in: sandbox).count == 1)
            hung.send(SIGKILL)
            _ = try await hung.outcome()
            try await sandbox.ferry("run").expect(0)
            #expect(copies(in: sandbox).isEmpty && inbox.all.isEmpty)
            try await sandbox.shell("kill $(cat writer)").expect(0)
        }
    }

    @Test(
        "a signal before the pipe has ended says that nothing was recorded",
        arguments: ["put --no-wait - \"$URL\"", "put - \"$URL\"", "send PUT \"$URL\" --data-file -"]
    )
    func stopped(_ line: String) async throws {
        try await RequestInbox.served { sandbox, server, inbox in
            let hung = try await hung(line, sandbox, server.url("x"))
            hung.send(SIGTERM)
            let stopped = try await hung.outcome()
            stopped.expect(128 + SIGTERM)
            #expect(stopped.errors.contains("Nothing was recorded"), "\(stopped.errors)")
            #expect(try await sandbox.transfers().isEmpty && inbox.all.isEmpty)
            try await sandbox.shell("kill $(cat writer)").expect(0)
        }
    }

    /// Starts a command whose pipe brings more than is kept in memory, and does not end.
    private func hung(_ line: String, _ sandbox: Sandbox, _ url: String) async throws -> ChildProcess {
        try write(content, as: "a", in: sandbox)
        let line = """
            mkfifo p; (cat a; exec sleep 600) >p & echo $! >writer; \
            exec '\(Repository.ferry)' \(line) <p
            """
        let shell = try Tool.shell.requiredPath()
        let hung = try sandbox.launch(executable: shell, ["-c", line], environment: ["URL": url])
        try await Deadline.wait(for: "the copy") { !copies(in: sandbox).isEmpty }
        return hung
    }

    @Test(
        "a full disk is named, and nothing of the copy is left",
        .enabled(if: SmallDisk.isAllowed, "this user may not mount a file system")
    )
    func fullDisk() async throws {
        try await RequestInbox.served { sandbox, server, inbox in
            try write(content, as: "a", in: sandbox)
            try await SmallDisk.run(at: sandbox.path(of: "disk"), kibibytes: 2_048) { disk in
                let line = "cat a | ferry put --data-dir disk/data --no-wait - \"$URL\""
                let full = try await sandbox.shell(line, environment: ["URL": server.url("x")])
                full.expect(9)
                #expect(full.errors.contains("the disk is full"), "\(full.errors)")
                let left = try FileManager.default.contentsOfDirectory(atPath: disk.path + "/data/bodies")
                #expect(left.isEmpty && inbox.all.isEmpty)
            }
        }
    }
}
