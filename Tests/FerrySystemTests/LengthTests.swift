import Foundation
import Glibc
import Testing

/// Files of every length: empty, unknown, and beyond 32 bits.
@Suite("Lengths", .limitedParallelism)
struct LengthTests {
    @Test("an empty file is created")
    func empty() async throws {
        try await ScriptedServer.run { _ in
            ScriptedReply(fields: [("ETag", "\"e\"")])
        } _: { sandbox, server in
            try await sandbox.ferry("get", server.url("empty")).expect(0)
            try sandbox.expectOnly("empty", Content(""))
        }
    }

    @Test("a file of unknown length is whole", arguments: [true, false])
    func unknown(_ isChunked: Bool) async throws {
        let content = Content(count: 3 * .mebibyte + 1, seed: 111)
        try await ScriptedServer.run { _ in
            ScriptedReply(body: Array(content.bytes), framing: isChunked ? .chunked : .untilClose)
        } _: { sandbox, server in
            try await sandbox.ferry("get", server.url("file.bin")).expect(0)
            try sandbox.expectOnly("file.bin", content)
        }
    }

    @Test(
        "files of one byte, and of about a buffer's length, are whole",
        arguments: [1, 65_535, 65_536, 65_537, 1_048_576, 1_048_577]
    )
    func small(_ count: Int) async throws {
        let content = Content(count: count, seed: 112)
        try await ScriptedServer.run {
            .serving(content, tag: "\"a\"", to: $0)
        } _: { sandbox, server in
            try await sandbox.ferry("get", server.url("file.bin")).expect(0)
            try sandbox.expectOnly("file.bin", content)
        }
    }

    @Test(
        "five gibibytes resume after a break beyond the fourth",
        .enabled(if: Tool.nginx.isInstalled && Self.hasRoom, "needs nginx and 12 GiB of free disk")
    )
    func beyondFourGibibytes() async throws {
        try await Sandbox.open { sandbox in
            // Sparse on the server: zeros, with marks at the limits of 32 bits and at the end.
            let size = Int64(5) << 30
            let path = sandbox.site + "/large.bin"
            try Data().write(to: URL(fileURLWithPath: path))
            let file = try #require(FileHandle(forWritingAtPath: path))
            try file.truncate(atOffset: UInt64(size))
            for offset in [Int64(1) << 31, (Int64(1) << 32) - 3, size - 6] {
                try file.seek(toOffset: UInt64(offset))
                try file.write(contentsOf: Data("MARKED".utf8))
            }
            try file.close()
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1e9)],
                ofItemAtPath: path
            )
            let server = try await sandbox.start(Nginx())
            let threshold = (Int(1) << 32) + 100 * .mebibyte
            try await Relay.run(to: server, holdingAfter: [threshold]) { relay in
                let first = try sandbox.launch(["get", "-x", "1", relay.url("large.bin")])
                try await Deadline.wait(for: "the relay to hold") {
                    relay.passed >= threshold
                }
                let seen = try await sandbox.transferBecomes("past 32 bits") { $0.received > 1 << 32 }
                first.send(SIGKILL)
                _ = try await first.outcome()
                let before = relay.passed
                try await sandbox.ferry("get", relay.url("large.bin")).expect(0)
                #expect(relay.passed - before < Int(size) - seen.received + 64 * .mebibyte)
                let comparison = try await sandbox.launch(
                    executable: try Tool.compare.requiredPath(),
                    [path, sandbox.path(of: "large.bin")]
                ).outcome()
                comparison.expect(0)
            }
        }
    }

    /// Whether the disk of temporary files has twice the space that the test needs.
    static let hasRoom: Bool = {
        var status = statvfs()
        guard statvfs(NSTemporaryDirectory(), &status) == 0 else { return false }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize) > 12 << 30
    }()
}
