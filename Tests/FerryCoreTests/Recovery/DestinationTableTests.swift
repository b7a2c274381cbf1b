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

        func expected(_ saved: DestinationTable.Saved) -> Decision {
            switch saved {
            case .unrecorded: unrecorded
            case .unchanged: unchanged
            case .changed: changed
            }
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
        var count = 0
        for policy in ExistingFilePolicy.allCases {
            for updates in [false, true] {
                let row = try #require(
                    Self.files.first { $0.policy == policy && $0.updates == updates }
                )
                for saved in DestinationTable.Saved.allCases {
                    for isNamed in [false, true] {
                        let decision = DestinationTable.decide(
                            .file,
                            isNamed: isNamed,
                            saved,
                            policy: policy,
                            updates: updates
                        )
                        #expect(decision == row.expected(saved), "\(policy), \(updates), \(saved)")
                        count += 1
                    }
                }
            }
        }
        #expect(count == 4 * 2 * 3 * 2)
    }

    @Test(arguments: ExistingFilePolicy.allCases, DestinationTable.Saved.allCases)
    func anythingElseIsTheSameForAllOptions(policy: ExistingFilePolicy, saved: DestinationTable.Saved) {
        func decide(_ kind: FileSurvey.Kind?, _ isNamed: Bool, _ updates: Bool) -> Decision {
            DestinationTable.decide(kind, isNamed: isNamed, saved, policy: policy, updates: updates)
        }
        for isNamed in [false, true] {
            for updates in [false, true] {
                #expect(decide(nil, isNamed, updates) == .create)
                #expect(decide(.stream, isNamed, updates) == (isNamed ? .write : .fail))
                for kind in [FileSurvey.Kind.directory, .symbolicLink, .other] {
                    #expect(decide(kind, isNamed, updates) == .fail, "\(kind)")
                }
            }
        }
    }
}
