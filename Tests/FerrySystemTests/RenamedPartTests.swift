import Foundation
import Testing

/// A user renames an unfinished file to its final name.
@Suite(
    "Renamed part files",
    .limitedParallelism,
    .enabled(if: Tool.canChangeBoot, "the boot's number cannot be changed here: that takes root")
)
struct RenamedPartTests {
    static let content = Content(count: 3_000_000, seed: 331)

    @Test(
        "a part file with holes under the final name does not count as completed after a reboot",
        arguments: [false, true]
    )
    func renamedPartAfterReboot(isDigestGiven: Bool) async throws {
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(Self.content, tag: "\"a\"", to: request)
            if request.ordinal == 1 { reply.cut = .init(bytes: 1_500_000, then: .stall) }
            return reply
        } _: { sandbox, server in
            let digest = ["--checksum", "sha256=" + String(repeating: "0", count: 64)]
            let line = ["get"] + (isDigestGiven ? digest : []) + [server.url("file.bin")]
            let first = try sandbox.launch(line)
            try await sandbox.transferBecomes("half done") { $0.received >= 1_500_000 }
            try await sandbox.ferry("pause", "1").expect(0)
            try await first.outcome().expect(7)

            let part = try FileHandle(
                forWritingTo: URL(fileURLWithPath: sandbox.path(of: "file.bin.part"))
            )
            try part.truncate(atOffset: UInt64(Self.content.count))
            try part.close()
            try FileManager.default.moveItem(
                atPath: sandbox.path(of: "file.bin.part"),
                toPath: sandbox.path(of: "file.bin")
            )
            let boot = sandbox.root + "/boot"
            let other = "0badc0de-0000-4000-8000-000000000000\n"
            try other.write(toFile: boot, atomically: true, encoding: .utf8)
            let mount =
                "mount --bind \"$1\" /proc/sys/kernel/random/boot_id && shift && exec \"$@\""
            let rebooted = ["-m", "sh", "-c", mount, "sh", boot, Repository.ferry]
            let resumed = try sandbox.launch(
                executable: try Tool.unshare.requiredPath(),
                rebooted + ["resume", "1"]
            )
            try await resumed.outcome().expect(13)
            #expect(try await sandbox.transfers().map(\.state) == ["failed"])
            #expect(try sandbox.fileNames() == ["file.bin"], "the renamed file is left alone")
        }
    }
}
