import Foundation
import Glibc
import Testing

/// Kills the real binary at the very moments where order matters: as it enters the system calls that create, write,
/// sync, rename and record.
@Suite("Crash points", .berths, .enabled(if: Tool.canTrace, "strace cannot trace here"))
struct CrashPointTests {
    /// The system calls, and at which of its occasions each one is met by a kill: a sample of those that a short
    /// download has. An occasion that never comes lets it complete, which must be right as well.
    static let points: [(call: String, occasions: [Int])] = [
        ("openat2", [1, 2]),
        ("fallocate", [1]),
        ("flock", Array(stride(from: 1, through: 21, by: 4))),
        ("pwrite64", Array(stride(from: 1, through: 131, by: 13))),
        ("fdatasync", Array(stride(from: 1, through: 22, by: 3))),
        ("fsync", [1, 2, 3]),
        ("ftruncate", [1, 3]),
        ("renameat2", [1]),
        ("rename", [1]),
        ("unlink", [1, 10]),
    ]

    /// The calls that every download has, whatever the file system: there the kill must have happened.
    static let certain: Set<String> = ["flock", "pwrite64", "fdatasync", "fsync"]

    @Test(
        "a kill at a system call that matters leaves nothing wrong, and the same line completes",
        arguments: points.indices
    )
    func killedAtSystemCall(_ index: Int) async throws {
        let (call, occasions) = Self.points[index]
        for occasion in occasions {
            try await killed(at: call, occasion)
        }
    }

    private func killed(at call: String, _ occasion: Int) async throws {
        let content = Content(count: 200_000 + occasion, seed: 161)
        try await ScriptedServer.run {
            .serving(content, tag: "\"a\"", to: $0)
        } _: { server in
            try await Harbour.open { harbour in
                let line = ["get", server.url("file.bin")]
                let traced = try await harbour.launch(
                    executable: try Tool("strace").requiredPath(),
                    ["-f", "-qq", "-o", "/dev/null"]
                        + [
                            "-e", "trace=\(call)", "-e", "inject=\(call):signal=KILL:when=\(occasion)",
                            Repository.ferry,
                        ]
                        + line
                ).outcome()
                if occasion == 1, Self.certain.contains(call) {
                    #expect(traced.exit == .signal(SIGKILL), "no kill at \(call)")
                }
                let final = harbour.landed("file.bin")
                if FileManager.default.fileExists(atPath: final) {
                    #expect(
                        content.isWhole(at: final),
                        "killed at \(call) \(occasion): a file that is not whole"
                    )
                }
                let again = try await harbour.launch(line).outcome()
                #expect(
                    again.status == 0 || (traced.status == 0 && again.status == 13),
                    "killed at \(call) \(occasion), then \(again.status): \(again.errors)"
                )
                #expect(content.isWhole(at: final), "killed at \(call) \(occasion): not whole in the end")
                #expect(try harbour.ashore() == ["file.bin"], "killed at \(call) \(occasion)")
            }
        }
    }
}
