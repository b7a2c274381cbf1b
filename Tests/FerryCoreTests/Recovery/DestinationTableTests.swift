import FerryCore
import Testing

@Suite("What a download does about what has its name")
struct DestinationTableTests {
    private typealias Decision = DestinationTable.Decision

    /// A row of the table for regular files.
    private struct Row {
        var policy: ExistingFilePolicy
        var updates: Bool
        var unrecorded: Decision
        var unchanged: Decision
        var changed: Decision

        init(
            _ policy: ExistingFilePolicy,
            _ updates: Bool,
            _ unrecorded: Decision,
            _ unchanged: Decision,
            _ changed: Decision
        ) {
            (self.policy, self.updates) = (policy, updates)
            (self.unrecorded, self.unchanged, self.changed) = (unrecorded, unchanged, changed)
        }

        func expected(_ saved: DestinationTable.Saved, isProvable: Bool) -> Decision {
            let decision =
                switch saved {
                case .unrecorded: unrecorded
                case .unchanged: unchanged
                case .changed: changed
                }
            // A digest tells whether the file is the wanted one, so it does not have to fail unread.
            return decision == .fail && isProvable ? .verify : decision
        }
    }

    private static let files = [
        Row(.fail, false, .fail, .fail, .fail), Row(.fail, true, .fail, .update, .fail),
        Row(.overwrite, false, .replace, .replace, .replace),
        Row(.overwrite, true, .replace, .update, .replace),
        Row(.autoRename, false, .number, .number, .number),
        Row(.autoRename, true, .number, .update, .number),
        Row(.noClobber, false, .skip, .skip, .skip), Row(.noClobber, true, .skip, .update, .skip),
    ]

    @Test func theTableForFilesIsTheExpectedOne() throws {
        let situations = DestinationDecisionTests.situations.filter { $0.kind == .file }
        for situation in situations {
            let row = try #require(
                Self.files.first { $0.policy == situation.policy && $0.updates == situation.updates }
            )
            let expected = row.expected(situation.saved, isProvable: situation.isProvable)
            #expect(situation.decision == expected, "\(situation)")
        }
        #expect(situations.count == 4 * 2 * 3 * 4)
    }

    @Test func anythingElseIsTheSameForAllOptions() {
        let situations = DestinationDecisionTests.situations.filter { $0.kind != .file }
        for situation in situations {
            let expected: Decision =
                switch situation.kind {
                case nil: .create
                case .stream?: situation.isNamed ? .write : .fail
                default: .fail
                }
            #expect(situation.decision == expected, "\(situation)")
        }
        #expect(situations.count == 5 * 4 * 2 * 3 * 4)
    }
}
