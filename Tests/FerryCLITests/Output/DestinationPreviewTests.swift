import Ferry
import Foundation
import Testing

@testable import FerryCLI

/// What `--dry-run` says of a name that is taken.
@Suite struct DestinationPreviewTests {
    private func action(
        _ kind: DestinationPreview.Kind,
        _ policy: ExistingFilePolicy,
        updates: Bool = false,
        isNamed: Bool = true
    ) -> DestinationPreview.Action {
        var options = DownloadOptions()
        options.existingFile = policy
        options.updates = updates
        return DestinationPreview(kind, isNamed: isNamed, options).action
    }

    @Test func aRegularFileIsLeftToThePolicy() {
        #expect(action(.file, .fail) == .refuse && action(.file, .fail, updates: true) == .update)
        #expect(action(.file, .overwrite) == .replace && action(.file, .noClobber) == .skip)
        #expect(action(.file, .autoRename) == .number)
    }

    @Test(arguments: ExistingFilePolicy.allCases)
    func anythingElseIsAlikeForAllPolicies(policy: ExistingFilePolicy) {
        #expect(action(.nothing, policy) == .create && action(.obstacle, policy) == .neverReplace)
        #expect(action(.stream, policy) == .write)
        #expect(action(.stream, policy, isNamed: false) == .neverReplace)
    }

    @Test func onlyAFreeNameDoesNotExist() {
        for kind in DestinationPreview.Kind.allCases {
            let preview = DestinationPreview(kind, isNamed: true, DownloadOptions())
            #expect(preview.exists == (kind != .nothing) && preview.text.hasPrefix("yes") == preview.exists)
        }
    }

    @Test func whatHasAPathIsFound() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { _ = try? FileManager.default.removeItem(at: directory) }
        let (file, link) = (directory.appendingPathComponent("f"), directory.appendingPathComponent("l"))
        try Data().write(to: file)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        #expect(DestinationPreview.kind(at: file.path) == .file)
        #expect(DestinationPreview.kind(at: directory.path) == .obstacle)
        #expect(DestinationPreview.kind(at: link.path) == .obstacle)
        #expect(DestinationPreview.kind(at: "/dev/null") == .stream)
        #expect(DestinationPreview.kind(at: directory.path + "/absent") == .nothing)
    }
}
