import Foundation
import Testing

/// The real binary on a real file system that fills up and is enlarged.
@Suite(
    "Full disks",
    .limitedParallelism,
    .enabled(if: SmallDisk.isAllowed, "this user may not mount a file system")
)
struct FullDiskTests {
    static let content = Content(count: 3_000_000, seed: 171)

    /// Runs `body` with a sandbox, and a disk for its downloads that is too small.
    private func withSmallDisk(
        firstAnswer: ScriptedReply.Framing,
        kibibytes: Int = 2_048,
        _ body: (Sandbox, ScriptedServer, SmallDisk) async throws -> Void
    ) async throws {
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(Self.content, tag: "\"a\"", to: request)
            if request.ordinal == 1 { reply.framing = firstAnswer }
            return reply
        } _: { sandbox, server in
            try await SmallDisk.run(at: sandbox.path(of: "disk"), kibibytes: kibibytes) { disk in
                try await body(sandbox, server, disk)
            }
        }
    }

    private func names(on disk: SmallDisk) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: disk.path).sorted()
    }

    @Test("a transfer waits for space on a full disk, and fetches no byte again")
    func fillsUp() async throws {
        // Without a known length ferry cannot reserve space, so the disk is full at an arbitrary byte.
        try await withSmallDisk(firstAnswer: .chunked) { sandbox, server, disk in
            let line = ["get", "-d", "disk", server.url("file.bin")]
            let full = try await sandbox.launch(line).outcome()
            full.expect(7)
            #expect(full.errors.contains("full"), "\(full.errors)")
            let waiting = try #require(try await sandbox.transfers().first)
            #expect(waiting.state == "waiting")
            #expect(waiting.received > 1_500_000, "\(waiting.received)")
            #expect(full.errors.contains("ferry resume \(waiting.id)"), "\(full.errors)")
            #expect(try names(on: disk) == ["file.bin.part"])

            // While the disk is full, the same command gives the same message and keeps the bytes. A smaller piece
            // may still have fitted.
            try await sandbox.launch(line).outcome().expect(7)
            let still = try #require(try await sandbox.transfers().first)
            #expect(still.received >= waiting.received)
            #expect(server.requests.last?.rangeStart == waiting.received)

            try disk.resize(kibibytes: 8_192)
            try await sandbox.launch(line).outcome().expect(0)
            #expect(try names(on: disk) == ["file.bin"])
            #expect(Self.content.isWhole(at: disk.path + "/file.bin"))
            let last = try #require(server.requests.last)
            #expect(last.rangeStart == still.received, "asked from \(last.rangeStart ?? 0)")
        }
    }

    @Test("a file that does not fit is refused before a byte is fetched")
    func doesNotFit() async throws {
        try await withSmallDisk(firstAnswer: .length) { sandbox, server, disk in
            let line = ["get", "-d", "disk", server.url("file.bin")]
            let full = try await sandbox.launch(line).outcome()
            full.expect(7)
            #expect(full.errors.contains("needs 2.9 MiB"), "\(full.errors)")
            let waiting = try #require(try await sandbox.transfers().first)
            #expect(waiting.state == "waiting" && waiting.received == 0)
            try disk.resize(kibibytes: 8_192)
            try await sandbox.launch(["resume", "\(waiting.id)"]).outcome().expect(0)
            #expect(try names(on: disk) == ["file.bin"])
            #expect(Self.content.isWhole(at: disk.path + "/file.bin"))
        }
    }

    @Test(
        "without space for the list, ferry ends with 9 or 7, and the same command resumes when there is space"
    )
    func storeOnTheSameDisk() async throws {
        try await withSmallDisk(firstAnswer: .chunked) { sandbox, server, disk in
            let environment = ["FERRY_DATA_DIR": disk.path + "/data"]
            let line = ["get", "-d", "disk", server.url("file.bin")]
            let full = try await sandbox.launch(line, environment: environment).outcome()
            #expect([7, 9].contains(full.status), "\(full.status): \(full.errors)")
            #expect(full.errors.contains("full"), "\(full.errors)")
            try disk.resize(kibibytes: 8_192)
            try await sandbox.launch(line, environment: environment).outcome().expect(0)
            #expect(try names(on: disk) == ["data", "file.bin"])
            #expect(Self.content.isWhole(at: disk.path + "/file.bin"))
        }
    }

    @Test(
        "on a disk without space for a new list, ferry ends with 9 and leaves no file",
        arguments: [8, 16, 32, 48, 64, 96, 128, 192]
    )
    func noRoomForTheStore(kibibytes: Int) async throws {
        try await withSmallDisk(firstAnswer: .length, kibibytes: kibibytes) { sandbox, server, disk in
            let environment = ["FERRY_DATA_DIR": disk.path + "/data"]
            let line = ["get", "-d", "disk", server.url("file.bin")]
            let full = try await sandbox.launch(line, environment: environment).outcome()
            full.expect(9)
            try disk.resize(kibibytes: 8_192)
            try await sandbox.launch(line, environment: environment).outcome().expect(0)
            #expect(Self.content.isWhole(at: disk.path + "/file.bin"))
        }
    }

    @Test("a list on a full disk is shown")
    func listOnAFullDisk() async throws {
        try await Sandbox.open { sandbox in
            try await SmallDisk.run(at: sandbox.path(of: "disk"), kibibytes: 2_048) { disk in
                let environment = ["FERRY_DATA_DIR": disk.path + "/data"]
                let add = ["add", "http://127.0.0.1:9/file.bin"]
                try await sandbox.launch(add, environment: environment).outcome().expect(0)
                try await sandbox.shell("cat /dev/zero >disk/rest 2>/dev/null || true").expect(0)
                for line in [["list"], ["show", "1"]] {
                    let outcome = try await sandbox.launch(line, environment: environment).outcome()
                    outcome.expect(0)
                    #expect(outcome.output.contains("file.bin"), "\(outcome)")
                }
                try await sandbox.launch(["pause", "1"], environment: environment).outcome().expect(9)
            }
        }
    }

    @Test("a list that fills the store's disk is added in part, and the same command adds the rest once")
    func storeFillsUpWithAList() async throws {
        try await Sandbox.open { sandbox in
            try await SmallDisk.run(at: sandbox.path(of: "disk"), kibibytes: 6_144) { disk in
                let list = sandbox.root + "/list"
                let lines = (0..<40_000).map { "https://example.org/a-directory/a-file-\($0).bin\n" }
                try lines.joined().write(toFile: list, atomically: true, encoding: .utf8)
                let environment = ["FERRY_DATA_DIR": disk.path + "/data"]
                let full = try await sandbox.ferry("add", "-i", list, environment: environment)
                full.expect(9)
                let first = full.output.split(separator: "\n")
                #expect(first.count > 0 && first.count < 40_000, "\(first.count)")
                #expect(
                    full.errors.contains("\(first.count) of 40000 downloads were added"),
                    "\(full.errors)"
                )

                try disk.resize(kibibytes: 65_536)
                let rest = try await sandbox.ferry("add", "-q", "-i", list, environment: environment)
                rest.expect(0)
                let all = rest.output.split(separator: "\n")
                #expect(all.count == 40_000 && Set(all).count == 40_000)
                #expect(all.prefix(first.count) == first[...])
            }
        }
    }

    /// Runs `body` with a server that answers each request with `count` bytes, and a disk of 2 MiB.
    private func withResponses(
        of count: Int,
        _ body: @escaping @Sendable (Sandbox, RequestInbox, SmallDisk, [String], [UInt8]) async throws -> Void
    ) async throws {
        let bytes = Array(Self.content.bytes.prefix(count))
        try await RequestInbox.served { _ in
            var reply = ScriptedReply(body: bytes)
            reply.framing = .chunked
            return reply
        } _: { sandbox, server, inbox in
            try await SmallDisk.run(at: sandbox.path(of: "disk"), kibibytes: 2_048) { disk in
                let line = ["send", "--wait", "--no-key", "POST", server.url("a"), "-o", "disk/reply"]
                try await body(sandbox, inbox, disk, line, bytes)
            }
        }
    }

    @Test("a response that fits into the list is not lost on a full disk, and saved when there is space")
    func responseWaitsForSpace() async throws {
        try await withResponses(of: 500_000) { sandbox, inbox, disk, line, bytes in
            try await sandbox.shell("cat /dev/zero >disk/rest 2>/dev/null || true").expect(0)
            let full = try await sandbox.launch(line).outcome()
            full.expect(7)
            #expect(full.errors.contains("full") && full.errors.contains("ferry resume 1"), "\(full.errors)")
            let body = try await sandbox.ferry("show", "--body", "1")
            let isWhole = body.output == String(decoding: bytes, as: UTF8.self)
            #expect(isWhole, "\(body.output.utf8.count)")
            try disk.resize(kibibytes: 8_192)
            try await sandbox.ferry("resume", "1").expect(0)
            #expect(inbox.all.count == 1)
            #expect(FileManager.default.contents(atPath: disk.path + "/reply") == Data(bytes))
            #expect(try names(on: disk) == ["reply", "rest"])
        }
    }

    @Test("of a longer one the beginning is kept, and ferry says that the request took effect")
    func responseIsTooLong() async throws {
        try await withResponses(of: 3_000_000) { sandbox, inbox, disk, line, _ in
            let full = try await sandbox.launch(line).outcome()
            full.expect(9)
            #expect(full.errors.contains("took effect"), "\(full.errors)")
            #expect(full.errors.contains("ferry resolve 1 --sent"), "\(full.errors)")
            #expect(try names(on: disk).isEmpty)
            try await sandbox.ferry("retry", "1").expect(1)
            try await sandbox.ferry("show", "--body", "1").expect(0)
            try await sandbox.ferry("resolve", "1", "--sent").expect(0)
            #expect(inbox.all.count == 1)
        }
    }
}
