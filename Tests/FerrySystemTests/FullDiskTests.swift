import Foundation
import Testing

/// The real binary on a real file system that fills up, and is enlarged.
@Suite(
    "Full disks",
    .limitedParallelism,
    .enabled(if: SmallDisk.isAllowed, "this user may not mount a file system")
)
struct FullDiskTests {
    static let content = Content(count: 3_000_000, seed: 171)

    /// Runs `body` with a sandbox whose files come to lie on a disk that is too small.
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

    @Test("a disk that fills up in the middle is waited for, and nothing that is there is fetched again")
    func fillsUp() async throws {
        // No length is told, so no room can be reserved, and the disk is found to be full at some byte.
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

            // As long as it is full, the same line says the same and keeps what is there; a smaller piece may still
            // have found room.
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

    @Test("a length that does not fit is seen before a byte is fetched")
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
        "where the list itself has no room, the end is 9 or 7, and the same line goes on when there is some"
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
        "a disk with no room for a list at all ends with 9, and leaves nothing in the way",
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
