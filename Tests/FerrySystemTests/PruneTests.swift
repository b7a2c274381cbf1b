import Foundation
import Testing

/// Pruning removes finished transfers from the list and keeps their files.
@Suite("Pruning", .limitedParallelism)
struct PruneTests {
    @Test("completed transfers beyond a number are removed, and their files stay")
    func forgetsAllButTheLatest() async throws {
        let content = Content(count: 1000)
        try await ScriptedServer.run {
            ScriptedReply.serving(content, tag: "\"a\"", to: $0)
        } _: { sandbox, server in
            try await sandbox.ferry("get", "-q", server.url("a"), server.url("b"), server.url("c"))
                .expect(0)
            let kept = try await sandbox.ferry("prune", "--json")
            kept.expect(0)
            #expect(kept.output == "{\"forgotten\":0}\n")
            let pruned = try await sandbox.ferry("prune", "--keep", "1")
            pruned.expect(0)
            #expect(pruned.errors.contains("Removed 2 transfers."), "\(pruned.errors)")
            #expect(try await sandbox.transfers().count == 1)
            #expect(try sandbox.fileNames() == ["a", "b", "c"])
            try await sandbox.ferry("prune", "--older-than", "0s").expect(0)
            #expect(try await sandbox.transfers().isEmpty)
        }
    }
}
