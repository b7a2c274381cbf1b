import Foundation
import Glibc
import Testing

/// File systems that treat two spellings as one name, or that lack features that Ferry uses.
@Suite(
    "Odd file systems",
    .limitedParallelism,
    .enabled(if: OddDisk.isAllowed, "this user may not mount a file system in user space")
)
struct OddFileSystemTests {
    /// The content of each path on the server. Every path has a different content.
    private static func content(_ path: String) -> Content {
        Content(count: 3 * .mebibyte, seed: path.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
    }

    /// Runs `body` with such a file system and a server that has every file. The body of a `held` file stalls in the middle
    /// until the flag is set.
    private func withDisk(
        _ traits: [String],
        _ body: (Sandbox, ScriptedServer, String, Flag) async throws -> Void
    ) async throws {
        let isLetGo = Flag()
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(
                Self.content(request.path),
                tag: "\"\(request.path)\"",
                to: request
            )
            if request.path.contains("held"), !isLetGo.isSet {
                reply.cut = ScriptedReply.Cut(bytes: 2 * .mebibyte, then: .stall)
            }
            return reply
        } _: { sandbox, server in
            try await OddDisk.run(traits, in: sandbox) { try await body(sandbox, server, $0, isLetGo) }
        }
    }

    private func names(in disk: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: disk).sorted()
    }

    private static let folding = [["fold"], ["fat"]]

    @Test(
        "if two names are one on the file system, one is published and the other refused; --auto-rename keeps both",
        arguments: folding
    )
    func twoSpellingsInOneRun(_ traits: [String]) async throws {
        try await withDisk(traits) { sandbox, server, disk, _ in
            let two = try await sandbox.ferry(
                "get",
                "-d",
                disk,
                server.url("File.bin"),
                server.url("file.bin")
            )
            two.expect(13)
            let first = try #require(try names(in: disk).first)
            #expect(try names(in: disk) == [first])
            #expect(Self.content("/" + first).isWhole(at: "\(disk)/\(first)"))

            let more = ["FILE.bin", "fIle.bin"]
            try await sandbox.ferry(
                "get",
                "--auto-rename",
                "-d",
                disk,
                server.url(more[0]),
                server.url(more[1])
            )
            .expect(0)
            #expect(Self.content("/" + first).isWhole(at: "\(disk)/\(first)"))
            let others = try names(in: disk).filter { $0 != first }
            #expect(others.count == 2)
            for name in more {
                let content = Self.content("/" + name)
                #expect(others.contains { content.isWhole(at: "\(disk)/\($0)") }, "\(others)")
            }
        }
    }

    @Test(
        "an existing file with another spelling of the name is not replaced, and is not used as a part file",
        arguments: folding
    )
    func anotherSpellingIsThere(_ traits: [String]) async throws {
        try await withDisk(traits) { sandbox, server, disk, _ in
            let mine = Content("mine")
            let theirs = ["MINE.BIN", "OTHER.BIN.PART", "caf\u{E9}.bin"]
            for name in theirs { try mine.bytes.write(to: URL(fileURLWithPath: "\(disk)/\(name)")) }
            try await sandbox.ferry("get", "-d", disk, server.url("mine.bin")).expect(13)
            try await sandbox.ferry("get", "-d", disk, server.url("other.bin")).expect(0)
            #expect(Self.content("/other.bin").isWhole(at: "\(disk)/other.bin"))
            try await sandbox.ferry("get", "-d", disk, "-o", "cafe\u{301}.bin", server.url("a.bin")).expect(
                13
            )
            #expect(try names(in: disk).count == theirs.count + 1)
            for name in theirs { #expect(mine.isWhole(at: "\(disk)/\(name)")) }
            try await sandbox.ferry("get", "--overwrite", "-d", disk, server.url("mine.bin")).expect(0)
            #expect(Self.content("/mine.bin").isWhole(at: "\(disk)/mine.bin"))
            #expect(try names(in: disk).count == theirs.count + 1)
        }
    }

    private static let lacking = [
        ["fold"], ["fat"], ["notmpfile", "nolink", "noflock"], ["nolink", "nolock"],
        ["noexclusive", "nolock"],
    ]

    @Test(
        "a killed download resumes and is published",
        arguments: lacking
    )
    func killed(_ traits: [String]) async throws {
        try await withDisk(traits) { sandbox, server, disk, isLetGo in
            let arguments = ["get", "-x", "1", "-d", disk, server.url("held.bin")]
            let process = try sandbox.launch(arguments)
            try await sandbox.transferBecomes("half done") { $0.received > .mebibyte }
            process.send(SIGKILL)
            _ = try await process.outcome()
            #expect(try names(in: disk) == ["held.bin.part"])
            isLetGo.set()
            try await sandbox.launch(arguments).outcome().expect(0)
            #expect(try names(in: disk) == ["held.bin"])
            #expect(Self.content("/held.bin").isWhole(at: "\(disk)/held.bin"))
            #expect(server.requests.last?.rangeStart ?? 0 > .mebibyte)
            // A completed file is recognised if the file system keeps its inode number.
            guard !traits.contains("fat") else { return }
            let asked = server.requests.count
            try await sandbox.launch(arguments).outcome().expect(0)
            #expect(server.requests.count == asked)
        }
    }

    @Test(
        "what a killed `ferry open` wrote is in one file with a known name, which the next `ferry open` removes",
        arguments: [["notmpfile"], ["notmpfile", "nolink", "noflock"]]
    )
    func killedOpening(_ traits: [String]) async throws {
        try await withDisk(traits) { sandbox, _, disk, _ in
            let key = sandbox.path(of: "key.txt")
            try Data(SampleIdentity.text.utf8).write(to: URL(fileURLWithPath: key))
            let clear = Self.content("clear")
            try clear.bytes.write(to: URL(fileURLWithPath: sandbox.path(of: "clear")))
            try await sandbox.ferry("seal", "clear", "--to", SampleIdentity.recipient).expect(0)
            try await sandbox.shell("mkfifo pipe").expect(0)
            // It never ends the pipe.
            let writer = try sandbox.launch(
                executable: try Tool.shell.requiredPath(),
                ["-c", "{ head -c 1000000 clear.age; exec sleep 600; } > pipe"]
            )
            let target = "\(disk)/clear"
            let process = try sandbox.launch(
                ["open", "-", "-i", key, "-o", target],
                input: sandbox.path(of: "pipe")
            )
            let draft = "\(disk)/.clear.ferry.part"
            try await Deadline.wait(for: "bytes in clear", said: { process.errorsSoFar }) {
                FileManager.default.contents(atPath: draft)?.isEmpty == false
            }
            process.send(SIGKILL)
            _ = try await process.outcome()
            writer.send(SIGKILL)
            _ = try await writer.outcome()
            #expect(try names(in: disk) == [".clear.ferry.part"])
            try await sandbox.ferry("open", "clear.age", "-i", key, "-o", target).expect(0)
            #expect(try names(in: disk) == ["clear"])
            #expect(clear.isWhole(at: target))
        }
    }

    @Test(
        "without an exclusive rename or link, the file stays unpublished, and --overwrite publishes it"
    )
    func nothingRefusesToReplace() async throws {
        try await withDisk(["noexclusive", "nolink", "notmpfile"]) { sandbox, server, disk, _ in
            let refused = try await sandbox.ferry("get", "-d", disk, server.url("file.bin"))
            refused.expect(16)
            #expect(refused.errors.contains("--overwrite"), "\(refused.errors)")
            #expect(try names(in: disk) == ["file.bin.part"])
            let asked = server.requests.count
            try await sandbox.ferry("get", "--overwrite", "-d", disk, server.url("file.bin")).expect(0)
            #expect(try names(in: disk) == ["file.bin"])
            #expect(Self.content("/file.bin").isWhole(at: "\(disk)/file.bin"))
            #expect(server.requests.count == asked, "nothing was fetched again")
        }
    }

    @Test(
        "the data directory can be on it if it has locks",
        arguments: [["fold"], ["fat"], ["notmpfile", "nolink"]]
    )
    func dataDirectory(_ traits: [String]) async throws {
        try await withDisk(traits) { sandbox, server, disk, isLetGo in
            let environment = ["FERRY_DATA_DIR": disk + "/data"]
            let process = try sandbox.launch(
                ["get", "-x", "1", server.url("held.bin")],
                environment: environment
            )
            var received = 0
            try await Deadline.wait(for: "half of it", said: { "\(received)" }) {
                let list = try await sandbox.ferry("list", "--json", environment: environment)
                received = try ListedTransfer.all(in: list.output).first?.received ?? 0
                return received > .mebibyte
            }
            process.send(SIGKILL)
            _ = try await process.outcome()
            isLetGo.set()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await sandbox.ferry("get", server.url("held.bin"), environment: environment).expect(0)
                }
                for number in 1...3 {
                    group.addTask {
                        try await sandbox.ferry("add", server.url("\(number).bin"), environment: environment)
                            .expect(0)
                    }
                }
                try await group.waitForAll()
            }
            try await sandbox.ferry("run", environment: environment).expect(0)
            for name in ["1.bin", "2.bin", "3.bin", "held.bin"] {
                #expect(Self.content("/" + name).isWhole(at: sandbox.path(of: name)), "\(name)")
            }
            let care = try await sandbox.ferry("doctor", environment: environment)
            #expect(care.output.contains("store: intact"), "\(care.output)")
        }
    }

    @Test(
        "without locks, a data directory on it is refused, with a hint",
        arguments: [["noflock"], ["nolock"]]
    )
    func dataDirectoryWithoutLocks(_ traits: [String]) async throws {
        try await withDisk(traits) { sandbox, server, disk, _ in
            let environment = ["FERRY_DATA_DIR": disk + "/data"]
            let refused = try await sandbox.ferry("get", server.url("file.bin"), environment: environment)
            refused.expect(15)
            #expect(refused.errors.contains("--data-dir"), "\(refused.errors)")
            #expect(server.requests.isEmpty)
            #expect(try sandbox.fileNames() == [])
        }
    }
}
