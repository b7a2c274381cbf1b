import Foundation
import Glibc
import Testing

/// The real binary, and a disk that is unmounted before or after a download to it is complete.
@Suite(
    "Disks that are not mounted",
    .limitedParallelism,
    .enabled(if: SmallDisk.isAllowed, "this user may not mount a file system")
)
struct UnmountedDiskTests {
    static let content = Content(count: 2 * .mebibyte, seed: 173)

    /// Runs `body` with a server and a sandbox in which a small disk is mounted at `disk`.
    private func withDisk(
        answering answer: @escaping @Sendable (ScriptedRequest) -> ScriptedReply = {
            .serving(Self.content, tag: "\"a\"", to: $0)
        },
        _ body: (ScriptedServer, Sandbox, SmallDisk) async throws -> Void
    ) async throws {
        try await ScriptedServer.run(answering: answer) { sandbox, server in
            try await SmallDisk.run(at: sandbox.path(of: "disk"), kibibytes: 8_192) { disk in
                try await body(server, sandbox, disk)
            }
        }
    }

    /// Expects that a command ends without starting over.
    private func expectWait(_ sandbox: Sandbox, _ words: [String], reason: String) async throws {
        let outcome = try await sandbox.launch(words).outcome()
        outcome.expect(7)
        #expect(outcome.errors.contains("disk/file.bin.part is not there: \(reason)"), "\(outcome.errors)")
        #expect(outcome.errors.contains("ferry resume 1"), "\(outcome.errors)")
    }

    @Test("a finished file is not fetched to the disk below, and counts as complete when its disk is back")
    func finished() async throws {
        try await withDisk { server, sandbox, disk in
            let line = ["get", "-d", "disk", server.url("file.bin")]
            try await sandbox.launch(line).outcome().expect(0)
            let requests = server.requests.count
            try await disk.whileUnmounted {
                for words in [line, line + ["--update"], ["resume", "1"]] {
                    let outcome = try await sandbox.launch(words).outcome()
                    outcome.expect(15)
                    #expect(
                        outcome.errors.contains(
                            "disk/file.bin, but its directory is on another device"
                        ),
                        "\(outcome.errors)"
                    )
                    #expect(outcome.errors.contains("Mount the disk"), "\(outcome.errors)")
                    #expect(outcome.errors.contains("`ferry get --overwrite`"), "\(outcome.errors)")
                }
                #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path).isEmpty)
                #expect(try await sandbox.transfers().map(\.state) == ["completed"])
            }
            let again = try await sandbox.launch(line).outcome()
            again.expect(0)
            #expect(again.errors.contains("already complete: "), "\(again.errors)")
            #expect(server.requests.count == requests)
            // A directory that was made anew may be on any disk.
            try await disk.whileUnmounted {
                let foreseen = try await sandbox.launch(line + ["--dry-run"]).outcome()
                foreseen.expect(15)
                #expect(foreseen.output.contains("fails: transfer 1 saved "), "\(foreseen)")
                #expect(rmdir(disk.path) == 0 && mkdir(disk.path, 0o700) == 0)
                try await sandbox.launch(line).outcome().expect(0)
                #expect(Self.content.isWhole(at: disk.path + "/file.bin"))
            }
        }
    }

    @Test(
        "a mirror whose disk is not mounted downloads nothing, and is unchanged when its disk is back",
        arguments: ["disk", "disk/copy"]
    )
    func mirrored(directory: String) async throws {
        let site = ListedSite(["a.txt": Data("one".utf8), "b/c.txt": Data("two".utf8)])
        try await withDisk {
            site.answer($0)
        } _: { server, sandbox, disk in
            let line = ["mirror", server.url(""), directory, "--delete"]
            let copy = sandbox.path(of: directory)
            try await sandbox.launch(line).outcome().expect(0)
            let requests = server.requests.count
            try await disk.whileUnmounted {
                for words in [line, line, line + ["--dry-run"], line + ["--overwrite"]] {
                    let outcome = try await sandbox.launch(words).outcome()
                    outcome.expect(15)
                    #expect(outcome.errors.contains("is not mounted"), "\(outcome.errors)")
                    #expect(outcome.errors.contains("Mount the disk"), "\(outcome.errors)")
                }
                #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path).isEmpty)
                #expect(server.requests.count == requests)
            }
            let back = try await sandbox.launch(line + ["--json"]).outcome()
            back.expect(0)
            #expect(try back.summary("unchanged") == 2)
            // As the message says.
            try await disk.whileUnmounted {
                if directory == "disk" {
                    #expect(utimensat(AT_FDCWD, copy, nil, 0) == 0)
                } else {
                    #expect(mkdir(copy, 0o700) == 0)
                }
                try await sandbox.launch(line).outcome().expect(0)
                #expect(FileManager.default.contents(atPath: copy + "/b/c.txt") == Data("two".utf8))
            }
        }
    }

    @Test("a download to a disk that is read-only waits, and resumes when the disk is writable")
    func becomesReadOnly() async throws {
        try await withDisk { server, sandbox, disk in
            try disk.makeReadOnly(true)
            for words in [["get", "-d", "disk", server.url("file.bin")], ["resume", "1"]] {
                let outcome = try await sandbox.launch(words).outcome()
                outcome.expect(7)
                #expect(outcome.errors.contains("its file system is read-only"), "\(outcome.errors)")
                #expect(
                    outcome.errors.contains("Make its file system writable."),
                    "\(outcome.errors)"
                )
            }
            let waiting = try await sandbox.transfers().map { $0.waitingFor?.condition }
            #expect(waiting == ["diskMount"])
            try disk.makeReadOnly(false)
            try await sandbox.ferry("run").expect(0)
            #expect(Self.content.isWhole(at: disk.path + "/file.bin"))
        }
    }

    @Test("a download whose disk is unmounted while it runs is complete when the disk is back")
    func detached() async throws {
        let gate = Gate()
        defer { gate.open() }
        try await withDisk { request in
            var reply = ScriptedReply.serving(Self.content, tag: "\"a\"", to: request)
            reply.gates = [(4_000, gate)]
            return reply
        } _: { server, sandbox, disk in
            let process = try sandbox.launch(["get", "-x", "1", "-d", "disk", server.url("file.bin")])
            try await sandbox.transferBecomes("active") { $0.received >= 4_000 }
            try await disk.whileUnmounted(lazily: true) {
                gate.open()
                let outcome = try await process.outcome()
                outcome.expect(7)
                #expect(
                    outcome.errors.contains("was unmounted during the transfer"),
                    "\(outcome.errors)"
                )
                #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path).isEmpty)
            }
            try await sandbox.ferry("run").expect(0)
            #expect(try await sandbox.transfers().map(\.state) == ["completed"])
            #expect(Self.content.isWhole(at: disk.path + "/file.bin"))
            #expect(server.requests.count == 1)
        }
    }

    @Test("a download that was added for a disk requests nothing while that is not mounted")
    func added() async throws {
        try await withDisk { server, sandbox, disk in
            try await sandbox.ferry("add", "-d", "disk", server.url("file.bin")).expect(0)
            try await disk.whileUnmounted {
                let outcome = try await sandbox.launch(["resume", "1"]).outcome()
                outcome.expect(7)
                #expect(outcome.errors.contains("none is mounted there now"), "\(outcome.errors)")
                #expect(outcome.errors.contains("`ferry cancel 1`"), "\(outcome.errors)")
                #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path).isEmpty)
                #expect(server.requests.isEmpty)
            }
            try await sandbox.ferry("run").expect(0)
            #expect(Self.content.isWhole(at: disk.path + "/file.bin"))
        }
    }

    @Test("requests and uploads wait for the disk with the file that they send")
    func sent() async throws {
        try await RequestInbox.served { sandbox, server, inbox in
            try await SmallDisk.run(at: sandbox.path(of: "disk"), kibibytes: 8_192) { disk in
                #expect(FileManager.default.createFile(atPath: disk.path + "/a", contents: Data("body".utf8)))
                try await sandbox.ferry("put", "--no-wait", "disk/a", server.url("x")).expect(0)
                try await sandbox.ferry("send", "POST", server.url("y"), "--form", "a=@disk/a").expect(0)
                try await disk.whileUnmounted {
                    for id in ["1", "2"] {
                        let outcome = try await sandbox.launch(["resume", id]).outcome()
                        outcome.expect(7)
                        #expect(outcome.errors.contains("disk/a is missing"), "\(outcome.errors)")
                        #expect(outcome.errors.contains("`ferry cancel \(id)`"), "\(outcome.errors)")
                    }
                    #expect(inbox.all.isEmpty)
                }
                try await sandbox.ferry("run").expect(0)
                #expect(inbox.all.count == 2)
            }
        }
    }

    @Test("a download waits for the disk with its part file, and fetches nothing to the disk below")
    func unmounted() async throws {
        try await withDisk { request in
            var reply = ScriptedReply.serving(Self.content, tag: "\"a\"", to: request)
            if request.ordinal == 1 { reply.cut = .init(bytes: .mebibyte, then: .stall) }
            return reply
        } _: { server, sandbox, disk in
            let line = ["get", "-x", "1", "-d", "disk", server.url("file.bin")]
            let process = try sandbox.launch(line)
            try await sandbox.transferBecomes("under way") { $0.received > 0 }
            process.send(SIGINT)
            try await process.outcome().expect(7)
            let kept = try #require(try await sandbox.transfers().first).received

            try await disk.whileUnmounted {
                let moved = "its directory is on another device now"
                try await expectWait(sandbox, ["resume", "1"], reason: moved)
                try await expectWait(sandbox, line, reason: moved)
                let waiting = try #require(try await sandbox.transfers().first)
                #expect(waiting.waitingFor?.condition == "diskMount" && waiting.received == kept)
                #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path).isEmpty)
                // As a desktop does, which removes the mount point as well.
                #expect(rmdir(disk.path) == 0)
                let gone = "its directory does not exist"
                try await expectWait(sandbox, ["resume", "1"], reason: gone)
                #expect(mkdir(disk.path, 0o700) == 0)
                #expect(server.requests.count == 1)
            }

            try await sandbox.ferry("run").expect(0)
            #expect(Self.content.isWhole(at: disk.path + "/file.bin"))
            #expect(server.requests.last?.rangeStart == kept)
        }
    }
}
