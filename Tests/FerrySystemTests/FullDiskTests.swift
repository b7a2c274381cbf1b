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
        } _: { server in
            try await Sandbox.open { sandbox in
                try await SmallDisk.run(at: sandbox.path(of: "disk"), kibibytes: kibibytes) { disk in
                    try await body(sandbox, server, disk)
                }
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
}
