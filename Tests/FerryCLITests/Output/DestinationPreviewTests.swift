import Ferry
import Foundation
import Testing

@testable import FerryCLI

/// What `--dry-run` says of a name that is taken.
@Suite struct DestinationPreviewTests {
    private static let kinds: [FileSurvey.Kind?] = FileSurvey.Kind.allCases.map(Optional.some) + [nil]

    private func previewed(
        _ kind: FileSurvey.Kind?,
        _ policy: ExistingFilePolicy = .fail,
        updates: Bool = false,
        isNamed: Bool = true
    ) -> DestinationPreview {
        var options = DownloadOptions()
        options.existingFile = policy
        options.updates = updates
        return DestinationPreview(kind, isNamed: isNamed, options)
    }

    @Test(arguments: ExistingFilePolicy.allCases, [true, false])
    func aDownloadWithoutUpdatesIsDecidedAtOnce(policy: ExistingFilePolicy, isNamed: Bool) {
        for kind in Self.kinds {
            let expected = DestinationTable.decide(
                kind,
                isNamed: isNamed,
                .unrecorded,
                policy: policy,
                updates: false
            )
            let preview = previewed(kind, policy, isNamed: isNamed)
            #expect(preview.action == expected && preview.otherwise == nil, "\(String(describing: kind))")
        }
    }

    /// It is not known whether Ferry saved the file.
    @Test(
        arguments: [
            (.fail, .fail, "the download fails"), (.overwrite, .replace, "it is replaced"),
            (.autoRename, .number, "gets a number"), (.noClobber, .skip, "nothing is fetched"),
        ] as [(ExistingFilePolicy, DestinationTable.Decision, String)]
    )
    func anUpdateSaysWhatHappensToASavedFileAndToAnyOther(
        policy: ExistingFilePolicy,
        otherwise: DestinationTable.Decision,
        words: String
    ) {
        let preview = previewed(.file, policy, updates: true)
        #expect(preview.action == .update && preview.otherwise == otherwise)
        #expect(preview.text.contains("another version") && preview.text.hasSuffix(words), "\(preview.text)")
        for kind in Self.kinds where kind != .file {
            let other = previewed(kind, policy, updates: true)
            #expect(other == previewed(kind, policy) && other.otherwise == nil)
        }
    }

    @Test func onlyAFreeNameDoesNotExist() {
        for kind in Self.kinds {
            let preview = previewed(kind)
            #expect(preview.exists == (kind != nil) && preview.text.hasPrefix("yes") == preview.exists)
            #expect((preview.existingKind != nil) == preview.exists)
        }
        #expect(
            previewed(.file).text.contains("--overwrite")
                && !previewed(.directory).text.contains("--overwrite")
        )
    }

    @Test func whatHasAPathIsFound() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { _ = try? FileManager.default.removeItem(at: directory) }
        let (file, link) = (directory.appendingPathComponent("f"), directory.appendingPathComponent("l"))
        try Data().write(to: file)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        let found = [file.path, directory.path, link.path, "/dev/null", directory.path + "/absent"].map {
            DestinationPreview.kind(at: $0)
        }
        #expect(found == [.file, .directory, .symbolicLink, .stream, nil])
        let shown = found.map { previewed($0).existingKind }
        #expect(shown == ["file", "directory", "symlink", "device", nil])
    }
}
