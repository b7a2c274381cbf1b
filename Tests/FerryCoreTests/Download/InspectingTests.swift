import FerryTesting
import Testing

@testable import FerryCore

@Suite("A kept file is checked against the request")
struct InspectingTests {
    typealias Machine = DownloadMachine

    private static let place = FilePlace(directory: "/d", name: .fallback)
    private static let mine = FileIdentity(device: 1, inode: 5)
    private static let theirs = FileIdentity(device: 1, inode: 9)
    private static let entry = FileSurvey.Entry(identity: theirs, length: 6, kind: .file)
    private static let digest = Checksum(algorithm: .sha256, digest: [UInt8](repeating: 7, count: 32))

    private func begun(
        _ policy: ExistingFilePolicy = .noClobber,
        length: Int64? = nil,
        part: PartFileClaim? = nil,
        digest: Checksum? = Self.digest,
        isSealed: Bool = false
    ) throws -> Machine {
        var progress = DownloadProgress()
        progress.part = part
        progress.segments = SegmentMap(length: 6)
        if part != nil { progress.segments.advance(0, writtenTo: 3) }
        return try Machine.begun(from: progress) { options in
            if isSealed { options.recipients = ["age1"] }
            options.existingFile = policy
            options.checksum = digest
            options.length = length
        }
    }

    private func failure(_ actions: [DownloadAction]) -> TransferFailure? {
        guard case .finish(.failed(let problem), _)? = actions.last else { return nil }
        return problem.failure
    }

    @Test(arguments: [ExistingFilePolicy.noClobber, .fail])
    func itIsReadBeforeAnythingIsSaidOfIt(policy: ExistingFilePolicy) throws {
        var machine = try begun(policy)
        let survey = FileSurvey(final: Self.entry, part: nil)
        #expect(machine.handle(.surveyed(survey), at: .epoch) == [.inspect(Self.place, Self.entry)])
        let end = machine.handle(.inspected(nil), at: .epoch)
        guard case .finish(.completed, let progress)? = end.last else {
            Issue.record("\(end)")
            return
        }
        let said = "/d/index.html already exists and has the sha-256 digest asked for; nothing was fetched."
        #expect(progress.note?.message == said && progress.part == nil)
    }

    @Test(
        arguments: [
            (.noClobber, [.overwrite]),
            (.fail, [.giveOtherDigest, .overwrite, .autoRename, .chooseOtherName, .continueFile]),
        ] as [(ExistingFilePolicy, [Remedy])]
    )
    func anotherDigestFailsForGoodAndSaysThatTheFileIsLeft(
        policy: ExistingFilePolicy,
        remedies: [Remedy]
    ) throws {
        var machine = try begun(policy)
        _ = machine.handle(.surveyed(FileSurvey(final: Self.entry, part: nil)), at: .epoch)
        let other = Checksum(algorithm: .sha256, digest: [UInt8](repeating: 8, count: 32))
        let end = machine.handle(.inspected(.digest(other, expected: Self.digest)), at: .epoch)
        let failure = failure(end)
        #expect(failure?.code == .checksumMismatch)
        let said =
            "/d/index.html has the sha-256 digest \(other.hex), not \(Self.digest.hex). It was not changed."
        #expect(failure?.message == said)
        #expect(failure?.remedies == remedies)
    }

    @Test func anotherLengthIsSeenWithoutReading() throws {
        var machine = try begun(length: 7)
        let end = machine.handle(.surveyed(FileSurvey(final: Self.entry, part: nil)), at: .epoch)
        #expect(failure(end)?.code == .checksumMismatch)
        #expect(failure(end)?.message.contains("6 B, not 7 B") == true)
    }

    /// The digest and the length that are asked for are those in clear.
    @Test(arguments: [true, false])
    func aSealedFileIsNotComparedWithWhatIsAskedForInClear(isKept: Bool) throws {
        var machine = try begun(isKept ? .noClobber : .fail, length: 7, isSealed: true)
        let end = machine.handle(.surveyed(FileSurvey(final: Self.entry, part: nil)), at: .epoch)
        guard isKept else {
            #expect(failure(end)?.code == .destinationExists)
            return
        }
        guard case .finish(.completed, let progress)? = end.last else {
            Issue.record("\(end)")
            return
        }
        #expect(progress.note?.message == "/d/index.html already exists; nothing was fetched.")
    }

    @Test func anotherFileOfThatNameCountsAndOneThatCannotBeOpenedFailsForGood() throws {
        var machine = try begun()
        _ = machine.handle(.surveyed(FileSurvey(final: Self.entry, part: nil)), at: .epoch)
        let problem = Problem.permanent(.cannotOpen, "There is no file /d/index.html any more.")
        // It was replaced between the check and the opening.
        #expect(machine.handle(.storageFailed(.digest, problem), at: .epoch) == [.survey(Self.place)])
        var other = Self.entry
        other.identity = FileIdentity(device: 1, inode: 10)
        let again = machine.handle(.surveyed(FileSurvey(final: other, part: nil)), at: .epoch)
        #expect(again == [.inspect(Self.place, other)])
        // This file still exists at the second check, but it cannot be read.
        #expect(machine.handle(.storageFailed(.digest, problem), at: .epoch) == [.survey(Self.place)])
        _ = machine.handle(.surveyed(FileSurvey(final: other, part: nil)), at: .epoch)
        let end = machine.handle(.storageFailed(.digest, problem), at: .epoch)
        #expect(failure(end)?.code == .cannotOpen)
    }

    @Test func aFileThatIsGoneMakesRoomAgain() throws {
        var machine = try begun()
        _ = machine.handle(.surveyed(FileSurvey(final: Self.entry, part: nil)), at: .epoch)
        let problem = Problem.permanent(.cannotOpen, "There is no file /d/index.html any more.")
        _ = machine.handle(.storageFailed(.digest, problem), at: .epoch)
        let actions = machine.handle(.surveyed(FileSurvey(final: nil, part: nil)), at: .epoch)
        #expect(failure(actions) == nil && !machine.stage.isStopping, "it is fetched: \(actions)")
    }

    @Test(arguments: [StopOrder.release, .cancel(keepingPart: true)])
    func aStopWaitsForTheReading(ending: StopOrder) throws {
        for answer: DownloadEvent in [
            .inspected(nil), .inspected(.pieces(wrong: 1, of: 2)),
            .storageFailed(.digest, .transient(.storageFault, "The disk failed.")),
        ] {
            var machine = try begun()
            _ = machine.handle(.surveyed(FileSurvey(final: Self.entry, part: nil)), at: .epoch)
            #expect(machine.handle(.ask(ending), at: .epoch).isEmpty)
            let end = machine.handle(answer, at: .epoch)
            guard case .finish(let outcome, _)? = end.last else {
                Issue.record("\(end)")
                return
            }
            #expect(outcome != .completed)
        }
    }

    /// Another file under the part file's name gives one failure, whether it is found before or during the opening.
    @Test func aForeignPartFileIsOneFailureWhereverItIsFound() throws {
        let part = PartFileClaim(name: Self.place.part, identity: Self.mine, boot: BootID(rawValue: "b"))
        let own = FileSurvey.Entry(identity: Self.mine, length: 3, kind: .file)
        var foreign = own
        foreign.identity = Self.entry.identity
        var (surveyed, opened) = (try begun(part: part), try begun(part: part))
        let found = surveyed.handle(.surveyed(FileSurvey(final: nil, part: foreign)), at: .epoch)
        _ = opened.handle(.surveyed(FileSurvey(final: nil, part: own)), at: .epoch)
        let problem = Problem.permanent(.partFileLost, "It is not the part file that this transfer wrote.")
        let failed = opened.handle(.storageFailed(.prepare, problem), at: .epoch)
        #expect(failure(found)?.code == .partFileLost && failure(failed)?.code == .partFileLost)
        for machine in [surveyed, opened] {
            #expect(machine.progress.segments.received == 3, "its own may come back")
        }
        // A transfer that has written nothing has found that another one has the name.
        var first = try begun()
        var claimed = FileSurvey(final: nil, part: foreign)
        claimed.isPartClaimed = true
        let taken = first.handle(.surveyed(claimed), at: .epoch)
        #expect(failure(taken)?.code == .destinationExists)
    }

    /// The server's file has 6 bytes.
    @Test(arguments: [5, 6] as [Int64])
    func onlyAShorterFileMayBeTheUnfinishedOneOfAnotherTool(length: Int64) throws {
        var machine = try begun(.fail, digest: nil)
        let entry = FileSurvey.Entry(identity: Self.theirs, length: length, kind: .file)
        let end = machine.handle(.surveyed(FileSurvey(final: entry, part: nil)), at: .epoch)
        #expect(failure(end)?.code == .destinationExists)
        #expect(
            failure(end)?.remedies == [.overwrite, .autoRename, .chooseOtherName]
                + (length < 6 ? [.continueFile] : [])
        )
        // This transfer has bytes of its own.
        let part = PartFileClaim(name: Self.place.part, identity: Self.mine, boot: BootID(rawValue: "b"))
        var second = try begun(.fail, part: part, digest: nil)
        let own = FileSurvey.Entry(identity: Self.mine, length: 3, kind: .file)
        let held = second.handle(.surveyed(FileSurvey(final: entry, part: own)), at: .epoch)
        #expect(failure(held)?.remedies.contains(.continueFile) != true)
    }

    /// As with `-o NAME`: the file is found before the server is asked.
    @Test(arguments: [0, 5] as [Int64])
    func aFileWithBytesMayBeTheUnfinishedOneWhileTheLengthIsUnknown(length: Int64) throws {
        var machine = try Machine.begun { $0.existingFile = .fail }
        let entry = FileSurvey.Entry(identity: Self.theirs, length: length, kind: .file)
        let end = machine.handle(.surveyed(FileSurvey(final: entry, part: nil)), at: .epoch)
        #expect(failure(end)?.code == .destinationExists)
        #expect(failure(end)?.remedies.contains(.continueFile) == (length > 0))
    }

    /// The file is known to be incomplete, so no message says that the transfer is done.
    @Test(arguments: [ExistingFilePolicy.noClobber, .fail])
    func theUnfinishedFileUnderTheFinalNameIsNoFileThatWillDo(policy: ExistingFilePolicy) throws {
        let part = PartFileClaim(name: Self.place.part, identity: Self.mine, boot: BootID(rawValue: "b"))
        var machine = try begun(policy, part: part)
        let renamed = FileSurvey.Entry(identity: Self.mine, length: 6, kind: .file)
        let end = machine.handle(.surveyed(FileSurvey(final: renamed, part: nil)), at: .epoch)
        #expect(failure(end)?.code == .destinationExists)
        #expect(failure(end)?.remedies == [.renameBack(to: "index.html.part"), .retry, .overwrite])
    }
}
