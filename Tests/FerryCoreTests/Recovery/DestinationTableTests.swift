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

    private static let pairs = [(false, false), (false, true), (true, false), (true, true)]

    @Test func theTableForFilesIsTheExpectedOne() throws {
        var count = 0
        for policy in ExistingFilePolicy.allCases {
            for updates in [false, true] {
                let row = try #require(
                    Self.files.first { $0.policy == policy && $0.updates == updates }
                )
                for saved in DestinationTable.Saved.allCases {
                    for (isNamed, isProvable) in Self.pairs {
                        let decision = DestinationTable.decide(
                            .file,
                            isNamed: isNamed,
                            saved,
                            policy: policy,
                            updates: updates,
                            isProvable: isProvable
                        )
                        let expected = row.expected(saved, isProvable: isProvable)
                        #expect(decision == expected, "\(policy), \(updates), \(saved), \(isProvable)")
                        count += 1
                    }
                }
            }
        }
        #expect(count == 4 * 2 * 3 * 4)
    }

    @Test(arguments: ExistingFilePolicy.allCases, DestinationTable.Saved.allCases)
    func anythingElseIsTheSameForAllOptions(policy: ExistingFilePolicy, saved: DestinationTable.Saved) {
        for (updates, isProvable) in Self.pairs {
            func decide(_ kind: FileSurvey.Kind?, _ isNamed: Bool, _ updates: Bool) -> Decision {
                DestinationTable.decide(
                    kind,
                    isNamed: isNamed,
                    saved,
                    policy: policy,
                    updates: updates,
                    isProvable: isProvable
                )
            }
            for isNamed in [false, true] {
                #expect(decide(nil, isNamed, updates) == .create)
                #expect(decide(.stream, isNamed, updates) == (isNamed ? .write : .fail))
                for kind in [FileSurvey.Kind.directory, .symbolicLink, .other] {
                    #expect(decide(kind, isNamed, updates) == .fail, "\(kind)")
                }
            }
        }
    }
}
