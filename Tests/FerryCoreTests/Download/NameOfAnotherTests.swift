import FerryTesting
import HTTPTypes
import Testing

@testable import FerryCore

/// Two transfers get one name, which neither user gave: it comes from the servers or the URLs.
@Suite("A name that another transfer has")
struct NameOfAnotherTests {
    private static let mine = FileIdentity(device: 1, inode: 2)
    private static let theirs = FileIdentity(device: 1, inode: 7)
    private static let first = ConnectionID(rawValue: 1)
    private static let name = FileName(unchecked: "f")
    private static let place = FilePlace(directory: "/d", name: name)
    private static let other = TransferID(rawValue: 4)
    private static let file = FileSurvey.Entry(identity: theirs, length: 5, kind: .file)

    /// A machine that looks at the place of its file.
    private func looking(_ policy: ExistingFilePolicy, named: Bool = false) throws -> DownloadMachine {
        let destination = Destination.file(directory: "/d", name: named ? Self.name : nil)
        var machine = try DownloadMachine.made(to: destination) { $0.existingFile = policy }
        let begun = machine.handle(.begin, at: .epoch)
        guard !named else {
            #expect(begun == [.survey(Self.place)])
            return machine
        }
        let head = ResponseHead(status: 200, headers: [.eTag: "\"v1\""], bodyLength: 9)
        let answered = machine.handle(.head(Self.first, ResponseFacts(head, at: .epoch)), at: .epoch)
        #expect(answered.last == .survey(Self.place, creating: true))
        return machine
    }

    /// What happens after a look, until the attempt ends or begins to write.
    private func actions(of machine: inout DownloadMachine, finding survey: FileSurvey) -> [DownloadAction] {
        let actions = machine.handle(.surveyed(survey), at: .epoch)
        guard actions.contains(.disconnect(Self.first)), failure(actions) == nil else { return actions }
        return actions + machine.handle(.connectionEnded(Self.first, at: nil, .disconnected), at: .epoch)
    }

    private func failure(_ actions: [DownloadAction]) -> Problem? {
        if case .finish(.failed(let problem), _)? = actions.last { problem } else { nil }
    }

    private func expectRefusal(_ problem: Problem?, naming: String? = nil) {
        #expect(problem?.disposition == .permanent && problem?.failure.code == .destinationExists)
        #expect(problem?.failure.remedies == [.autoRename, .chooseOtherName])
        if let naming { #expect(problem?.failure.message.contains(naming) == true) }
    }

    @Test(arguments: ExistingFilePolicy.allCases, [true, false])
    func isLeftToTheTransferThatFetchesItsFileBeforeAnyByteIsWritten(
        policy: ExistingFilePolicy,
        isNamed: Bool
    ) throws {
        var machine = try looking(policy, named: isNamed)
        var survey = FileSurvey(final: nil, part: nil)
        survey.fetcher = Self.other
        let actions = actions(of: &machine, finding: survey)
        switch policy {
        case .fail:
            expectRefusal(failure(actions), naming: "Transfer 4")
        case .overwrite where !isNamed:
            expectRefusal(failure(actions), naming: "Transfer 4")
        case .autoRename:
            guard case .survey(let place, _)? = actions.last else {
                Issue.record("\(actions)")
                return
            }
            #expect(place.name == Self.name.numbered(1))
        case .overwrite, .noClobber:
            let start: DownloadAction = isNamed ? .connect(Self.first, .whole) : .createPart(Self.place)
            #expect(actions.last == start)
        }
    }

    @Test func aPartFileThatIsBeingWrittenIsNotWaitedForToReplaceItsFile() throws {
        var machine = try looking(.overwrite)
        let part = FileSurvey.Entry(identity: Self.theirs, length: 5, kind: .file)
        let held = FileSurvey(final: nil, part: part, isPartHeld: true)
        expectRefusal(failure(actions(of: &machine, finding: held)), naming: "writing")
    }

    @Test func theFileOfAnotherTransferIsNotReplaced() throws {
        var machine = try looking(.overwrite)
        var survey = FileSurvey(final: Self.file, part: nil)
        survey.keeper = Self.other
        expectRefusal(failure(actions(of: &machine, finding: survey)), naming: "transfer 4")
    }

    /// A machine that has fetched its file and looks at the name once more.
    private func fetched() throws -> DownloadMachine {
        var machine = try looking(.overwrite)
        var actions = machine.handle(.surveyed(FileSurvey(final: nil, part: nil)), at: .epoch)
        for event in [
            DownloadEvent.partReady(Self.mine, isNamed: false), .partNamed, .reserved,
            .connectionEnded(Self.first, at: 9, .complete), .trimmed, .synchronized,
        ] {
            actions = machine.handle(event, at: .epoch)
        }
        #expect(actions == [.survey(Self.place)])
        return machine
    }

    @Test func theFileOfAnotherTransferThatCameMeanwhileIsNotReplaced() throws {
        var machine = try fetched()
        var survey = FileSurvey(final: Self.file, part: nil)
        survey.keeper = Self.other
        let actions = actions(of: &machine, finding: survey)
        expectRefusal(failure(actions), naming: "transfer 4")
        #expect(machine.progress.segments.received == 9, "the bytes are kept")
    }

    @Test func aDiskThatGoesAwayBeforeTheLookIsWaitedFor() throws {
        var machine = try fetched()
        let missing = DownloadEvent.storageFailed(.survey, UnmountedDiskDecisionTests.missing)
        let actions = machine.handle(missing, at: .epoch)
        #expect(failure(actions)?.disposition == .condition(.diskMount))
        #expect(machine.progress.segments.received == 9, "the bytes are kept")
    }

    @Test(arguments: [nil, file] as [FileSurvey.Entry?])
    func anyOtherFileIsReplaced(final: FileSurvey.Entry?) throws {
        var machine = try fetched()
        let actions = actions(of: &machine, finding: FileSurvey(final: final, part: nil))
        #expect(actions.last == .publish(Self.name, replacing: true, dated: nil))
    }
}
