import Foundation
import Testing

/// What a small file costs, as the kernel sees it.
@Suite(
    "The cost of a small file",
    .limitedParallelism,
    .enabled(if: FaultInjection.isAllowed, "processes cannot be traced here")
)
struct SmallFileCostTests {
    private static let count = 20
    private static let content = Content(count: 4096, seed: 803)

    @Test("each of many small files makes few system calls in its directory")
    func calls() async throws {
        try await ScriptedServer.run {
            .serving(Self.content, tag: "\"a\"", to: $0)
        } _: { sandbox, server in
            let list = (0..<Self.count).map { server.url("f\($0)") }.joined(separator: "\n")
            try Data(list.utf8).write(to: URL(fileURLWithPath: sandbox.path(of: "list")))
            let directory = sandbox.path(of: "files")
            try FileManager.default.createDirectory(
                atPath: directory,
                withIntermediateDirectories: false
            )
            // Without other files under way, no call is shared.
            let (process, log) = try sandbox.launch(
                ["get", "-i", "list", "-d", "files", "-j", "1"],
                injecting: FaultInjection(countsLooks: true, paths: [directory])
            )
            try await process.outcome().expect(0)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).count == Self.count)
            let calls = log.calls
            #expect(calls.count >= Self.count, "nothing was traced")
            let names = calls.suffix(14).joined(separator: "\n")
            // A file that takes long on a busy machine makes some more; one more for each would be noticed.
            #expect(calls.count < 14 * Self.count + Self.count / 2, "the last ones are:\n\(names)")
        }
    }
}
