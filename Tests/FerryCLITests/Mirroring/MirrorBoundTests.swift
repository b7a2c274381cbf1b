import Ferry
import FerryTesting
import Testing

@testable import FerryFrontend

/// The maximum number of files and directories that a source may list.
@Suite struct MirrorBoundTests {
    private static let manifest = "https://example.org/list.json"

    private static func plan(_ directory: String) throws -> MirrorPlan {
        var input = MirrorInput()
        (input.source, input.directory) = (manifest, directory)
        return try MirrorPlan(input, Sample.environment)
    }

    /// Expects that a listing is refused because it lists more than `most`.
    private static func expectRefusal(upTo most: Int, _ list: () async throws -> Void) async throws {
        do {
            try await list()
            Issue.record("More than \(most) files were listed.")
        } catch let failure as CommandFailure {
            #expect(failure.code == "tooManyEntries")
            #expect(failure.message.contains("lists more than \(most) files"), "\(failure)")
        }
    }

    @Test func aSourceThatListsTooManyFilesIsRefused() async throws {
        let origin = ScriptedOrigin()
        let list = #"[{"name": "a"}, {"name": "b"}, {"name": "c"}]"#
        origin.serve(list.utf8, at: try HTTPURL(parsing: Self.manifest))
        try await TransferEngine.withEngine(with: origin) { engine, files in
            let plan = try Self.plan(files)
            try await Self.expectRefusal(upTo: 2) {
                _ = try await MirrorDiscovery.list(MirrorTree(of: plan, in: engine), upTo: 2) { _ in }
            }
            // Nothing of a listing that is refused counts.
            let tree = try await MirrorTree(of: plan, in: engine)
            let outcome = try await MirrorDiscovery.list(tree, upTo: 3) { _ in }
            #expect(outcome.state.phase == .downloading && outcome.state.count == 3)
        }
    }

    @Test func aListingThatResumesCountsWhatWasNotedBefore() async throws {
        try await TransferEngine.withEngine(with: ScriptedOrigin()) { engine, files in
            let plan = try Self.plan(files)
            let url = try HTTPURL(parsing: Self.manifest)
            func page(_ names: String...) -> [ListedFile] { names.map { ListedFile($0, .file, url) } }
            /// What a command finds that lists the source after another one was stopped.
            func resumed() async throws -> MirrorNotes {
                let tree = try await MirrorTree(of: plan, in: engine)
                let state = tree.state ?? MirrorState(identity: plan.identity, filter: "")
                return MirrorNotes(tree, state, upTo: 3) { _ in }
            }
            var first = try await resumed()
            try await first.save(page("a", "b"))
            try await Self.expectRefusal(upTo: 3) {
                var second = try await resumed()
                try await second.save(page("c", "d"))
            }
            var third = try await resumed()
            try await third.save(page("c"))
            #expect(third.state.count == 3)
            let stored = try await third.tree.nodes(["a", "b", "c", "d"].map { NodeID($0) })
            #expect(stored.map { $0 != nil } == [true, true, true, false])
        }
    }

    @Test func aDryRunTellsOfAPathThatComesAgainOnALaterPage() async throws {
        try await TransferEngine.withEngine(with: ScriptedOrigin()) { engine, files in
            var input = MirrorInput()
            (input.source, input.directory, input.isDryRun) = (Self.manifest, files, true)
            let plan = try MirrorPlan(input, Sample.environment)
            let url = try HTTPURL(parsing: Self.manifest)
            let tree = try await MirrorTree(of: plan, in: engine)
            let state = MirrorState(identity: plan.identity, filter: "")
            var notes = MirrorNotes(tree, state, upTo: 9) { _ in }
            // The last two only look alike.
            for page in [["a", "b"], ["b", "e\u{301}", "\u{E9}"]] {
                try await notes.save(page.map { ListedFile($0, .file, url) })
            }
            #expect(notes.tally.new == 4 && notes.tally.refused == 1)
            let noted = try await tree.nodes.nodes([NodeID("a")])
            #expect(noted.allSatisfy { $0 == nil }, "a dry run notes nothing")
        }
    }
}
