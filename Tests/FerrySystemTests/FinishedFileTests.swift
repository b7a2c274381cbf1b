import Foundation
import Glibc
import Testing

/// Files that already exist under the final name, compared with the requested download.
@Suite("Files that already exist", .limitedParallelism)
struct FinishedFileTests {
    private static let content = Content(count: 9_000, seed: 341)

    private func served(_ body: (Sandbox, ScriptedServer) async throws -> Void) async throws {
        try await ScriptedServer.run(with: body) { .serving(Self.content, tag: "\"a\"", to: $0) }
    }

    /// A Metalink of the file with this content.
    private func metalink(_ facts: String, _ sandbox: Sandbox, _ server: ScriptedServer) throws -> String {
        let path = sandbox.root + "/file.meta4"
        let text = """
            <metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="file.bin">\(facts)
            <url>\(server.url("file.bin"))</url></file></metalink>
            """
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    private static let zeros = String(repeating: "0", count: 64)
    private static let wrongPieces = """
        <size>9000</size><pieces length="4500" type="sha-256"><hash>\(zeros)</hash><hash>\(zeros)</hash></pieces>
        """

    @Test(
        "after a chmod or a hard link the file still counts as complete; after a touch or a change in place it does not"
    )
    func changedInPlace() async throws {
        try await served { sandbox, server in
            let line = ["get", server.url("file.bin")]
            let path = sandbox.path(of: "file.bin")
            try await sandbox.launch(line).outcome().expect(0)
            chmod(path, 0o600)
            link(path, sandbox.root + "/second")
            let again = try await sandbox.launch(line).outcome()
            again.expect(0)
            #expect(again.errors.contains("already complete: ") && !again.errors.contains("Done"), "\(again)")

            #expect(utimensat(AT_FDCWD, path, nil, 0) == 0)
            let touched = try await sandbox.launch(line).outcome()
            touched.expect(13)
            #expect(touched.errors.contains("Transfer 1 saved it, and it was changed since."), "\(touched)")
            let sum = try await sandbox.shell("sha256sum <file.bin").output.prefix(64)
            let proved = try await sandbox.launch(line + ["--checksum", "sha256=\(sum)"]).outcome()
            proved.expect(0)

            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try file.write(contentsOf: Data("changed".utf8))
            try file.close()
            let changed = try await sandbox.launch(line).outcome()
            changed.expect(13)
            #expect(changed.errors.contains("--overwrite"), "\(changed)")
            #expect(FileManager.default.contents(atPath: path)?.prefix(7) == Data("changed".utf8))
        }
    }

    @Test(
        "resume, retry and watch do not report a removed file as done",
        arguments: [true, false]
    )
    func goneSince(isRemoved: Bool) async throws {
        try await served { sandbox, server in
            try await sandbox.ferry("get", server.url("file.bin")).expect(0)
            for command in ["resume", "retry", "watch"] { try await sandbox.ferry(command, "1").expect(0) }
            let path = sandbox.path(of: "file.bin")
            if isRemoved {
                #expect(unlink(path) == 0)
            } else {
                try Data("changed".utf8).write(to: URL(fileURLWithPath: path))
            }
            for command in ["resume", "retry", "watch"] {
                let outcome = try await sandbox.ferry(command, "1")
                outcome.expect(1)
                #expect(outcome.errors.contains("gone or was changed"), "\(command): \(outcome.errors)")
                #expect(outcome.errors.contains("`ferry get --overwrite`"), "\(command): \(outcome.errors)")
            }
            #expect(try await sandbox.transfers().map(\.state) == ["completed"], "it is not run again")
        }
    }

    @Test("another file with the same length and inode number does not count as the fetched one")
    func inodeUsedAgain() async throws {
        try await served { sandbox, server in
            let line = ["get", server.url("file.bin")]
            let path = sandbox.path(of: "file.bin")
            for attempt in 0..<20 {
                try? FileManager.default.removeItem(atPath: sandbox.data)
                try? FileManager.default.removeItem(atPath: path)
                try await sandbox.launch(line).outcome().expect(0)
                var (before, after) = (stat(), stat())
                #expect(stat(path, &before) == 0)
                unlink(path)
                try Data(count: Self.content.count).write(to: URL(fileURLWithPath: path))
                #expect(stat(path, &after) == 0)
                // The file system chooses inode numbers, and some never reuse one.
                guard before.st_ino == after.st_ino || attempt == 19 else { continue }
                // `cp -p` and archivers set times like this.
                var times = [before.st_atim, before.st_mtim]
                #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
                try await sandbox.launch(line).outcome().expect(13)
                return
            }
        }
    }

    @Test("the digest of a Metalink is checked against a file that was fetched without it")
    func newRequirements() async throws {
        for (facts, status) in [("<size>9001</size>", 13), (Self.wrongPieces, 32)] as [(String, Int32)] {
            try await served { sandbox, server in
                try await sandbox.ferry("get", "-o", "file.bin", server.url("file.bin")).expect(0)
                let right = try metalink("<size>9000</size>", sandbox, server)
                try await sandbox.ferry("get", "--metalink", right).expect(0)
                let wrong = try metalink(facts, sandbox, server)
                let refused = try await sandbox.ferry("get", "--metalink", wrong)
                refused.expect(status)
                try sandbox.expectOnly("file.bin", Self.content)
            }
        }
    }

    @Test(
        "if a file kept by --no-clobber does not match its Metalink, the download and those that wait for it fail"
    )
    func leftAlone() async throws {
        for (facts, said) in [
            ("<size>9001</size>", "9000 bytes, not 9001"), (Self.wrongPieces, "2 of 2 pieces"),
            ("<hash type=\"sha-256\">\(Self.zeros)</hash>", "digest"),
        ] {
            try await served { sandbox, server in
                try Self.content.bytes.write(to: URL(fileURLWithPath: sandbox.path(of: "file.bin")))
                let document = try metalink(facts, sandbox, server)
                let line = ["--no-clobber", "--metalink", document]
                try await sandbox.launch(["add"] + line).outcome().expect(0)
                try await sandbox.ferry("add", "--after", "1", server.url("next.bin")).expect(0)
                let run = try await sandbox.ferry("run")
                run.expect(32)
                #expect(run.errors.contains(said), "\(run)")
                #expect(try await sandbox.transfers().map(\.state) == ["failed", "failed"])
                try await sandbox.ferry("watch", "1").expect(32)
                try await sandbox.launch(["get"] + line).outcome().expect(32)
                try sandbox.expectOnly("file.bin", Self.content)
            }
        }
    }

    @Test(
        "if the directory is moved during a download, the download fails and the message says where the file is"
    )
    func movedDirectory() async throws {
        let gate = Gate()
        defer { gate.open() }
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(Self.content, tag: "\"a\"", to: request)
            if request.ordinal == 1 { reply.gates = [(4_000, gate)] }
            return reply
        } _: { sandbox, server in
            let (out, away) = (sandbox.path(of: "out"), sandbox.path(of: "away"))
            #expect(mkdir(out, 0o755) == 0)
            let line = ["get", "-d", "out", server.url("file.bin")]
            let process = try sandbox.launch(line)
            try await sandbox.transferBecomes("active") { $0.received >= 4_000 }
            #expect(rename(out, away) == 0 && mkdir(out, 0o755) == 0)
            gate.open()
            let ended = try await process.outcome()
            ended.expect(16)
            #expect(ended.errors.contains(away + "/file.bin"), "\(ended)")
            #expect(!ended.errors.contains("Done"), "\(ended)")
            #expect(Self.content.isWhole(at: away + "/file.bin"))
            #expect(try await sandbox.transfers().map(\.state) == ["failed"])

            try await sandbox.ferry("retry", "1").expect(0)
            try await sandbox.ferry("run").expect(0)
            #expect(Self.content.isWhole(at: out + "/file.bin"))
            #expect(Self.content.isWhole(at: away + "/file.bin"))
        }
    }

    @Test("after the part file is removed, no message says that bytes are kept")
    func removedPart() async throws {
        let gate = Gate()
        defer { gate.open() }
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(Self.content, tag: "\"a\"", to: request)
            if request.ordinal > 1 { return ScriptedReply(status: 404) }
            reply.cut = .init(bytes: 5_000, then: .hangUp)
            reply.gates = [(4_000, gate)]
            return reply
        } _: { sandbox, server in
            let process = try sandbox.launch(["get", "--retries", "0", server.url("file.bin")])
            try await sandbox.transferBecomes("active") { $0.received >= 4_000 }
            #expect(unlink(sandbox.path(of: "file.bin.part")) == 0)
            gate.open()
            let ended = try await process.outcome()
            ended.expect(6)
            #expect(!ended.errors.contains("kept"), "\(ended)")
            #expect(try await sandbox.transfers().map(\.received) == [0])
        }
    }
}
