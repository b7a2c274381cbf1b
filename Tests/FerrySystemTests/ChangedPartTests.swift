import Foundation
import Glibc
import Testing

/// Changes to a part file while no process runs its transfer.
@Suite("Part files that were changed in place", .limitedParallelism)
struct ChangedPartTests {
    private static let content = Content(count: 4 * .mebibyte, seed: 977)

    /// Stops a download half-way, changes its part file, and resumes.
    private func interrupted(
        _ change: (String) throws -> Void,
        _ check: (Outcome, Int) throws -> Void
    ) async throws {
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(Self.content, tag: "\"a\"", to: request)
            if request.ordinal == 1 { reply.cut = .init(bytes: 2 * .mebibyte, then: .stall) }
            return reply
        } _: { sandbox, server in
            let process = try sandbox.launch(["get", "-x", "1", server.url("file.bin")])
            try await sandbox.transferBecomes("half done") { $0.received > .mebibyte }
            process.send(SIGINT)
            try await process.outcome().expect(7)
            let kept = try #require(try await sandbox.transfers().first).received
            try change(sandbox.path(of: "file.bin.part"))
            let again = try await sandbox.ferry("get", "-x", "1", server.url("file.bin"))
            again.expect(0)
            try sandbox.expectOnly("file.bin", Self.content)
            try check(again, kept)
        }
    }

    @Test("a change of its bytes is noticed, and all bytes are fetched again")
    func changed() async throws {
        try await interrupted { path in
            let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
            try file.seek(toOffset: 1_000)
            try file.write(contentsOf: Data(repeating: 0x5A, count: 64))
            try file.close()
        } _: { again, _ in
            #expect(again.errors.contains("changed by another program"), "\(again.errors)")
        }
    }

    @Test("after a chmod, a hard link, a rename there and back, or a read, the download resumes")
    func untouched() async throws {
        try await interrupted { path in
            #expect(chmod(path, 0o600) == 0)
            #expect(link(path, path + ".second") == 0 && unlink(path + ".second") == 0)
            #expect(rename(path, path + ".aside") == 0 && rename(path + ".aside", path) == 0)
            _ = try Data(contentsOf: URL(fileURLWithPath: path))
        } _: { again, kept in
            #expect(kept > 0 && again.errors.contains("Resum"), "\(again.errors)")
            #expect(!again.errors.contains("another program"), "\(again.errors)")
        }
    }
}
