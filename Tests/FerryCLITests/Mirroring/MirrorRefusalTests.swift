import Ferry
import FerryTesting
import Testing

@testable import FerryFrontend

/// Names of a source that have no place in the directory.
@Suite struct MirrorRefusalTests {
    private static let manifest = "https://example.org/list.json"

    private static func plan(_ directory: String, excluding exclude: [String] = []) throws -> MirrorPlan {
        var input = MirrorInput()
        (input.source, input.directory, input.exclude) = (manifest, directory, exclude)
        return try MirrorPlan(input, Sample.environment)
    }

    private static func origin() throws -> ScriptedOrigin {
        let origin = ScriptedOrigin()
        let list = #"[{"name": "a*b"}, {"name": "a:b"}, {"name": "x//y"}]"#
        origin.serve(list.utf8, at: try HTTPURL(parsing: manifest))
        return origin
    }

    /// The first command may have been killed when the source was listed.
    @Test func theyAreCountedAlsoByTheCommandThatResumes() async throws {
        try await TransferEngine.withEngine(with: Self.origin()) { engine, files in
            let plan = try Self.plan(files)
            for _ in 1...2 {
                let tree = try await MirrorTree(of: plan, in: engine)
                let outcome = try await MirrorDiscovery.list(tree) { _ in }
                #expect(outcome.tally.refused == 2 && outcome.state.collides)
            }
        }
    }

    @Test func thoseThatAFilterLeavesOutAreNotCounted() async throws {
        try await TransferEngine.withEngine(with: Self.origin()) { engine, files in
            let plan = try Self.plan(files, excluding: ["a:b", "x"])
            let tree = try await MirrorTree(of: plan, in: engine)
            let outcome = try await MirrorDiscovery.list(tree) { _ in }
            #expect(outcome.tally.refused == 0 && outcome.state.count == 1)
        }
    }
}
