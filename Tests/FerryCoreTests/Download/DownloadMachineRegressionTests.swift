import FerryTesting
import HTTPTypes
import Testing

@testable import FerryCore

/// Orders of events that once led a download astray.
@Suite("A download machine with events in an unlucky order")
struct DownloadMachineRegressionTests {
    private typealias Machine = DownloadMachine
    private static let place = FilePlace(directory: "/d", name: .fallback)
    private static let identity = FileIdentity(device: 1, inode: 2)
    /// The part file that takes the place of that one.
    private static let replacement = FileIdentity(device: 1, inode: 3)
    private static let broke = Problem.transient(.connectionRefused, "No listener.")

    /// A machine that has `received` bytes of a file of 1000 and whose first connection has been opened; `change` is
    /// what is known otherwise.
    private func resuming(
        at received: Int64,
        _ change: (inout DownloadProgress) -> Void = { _ in }
    ) throws -> Machine {
        var progress = DownloadProgress()
        progress.segments = SegmentMap(length: 1000)
        progress.segments.advance(0, writtenTo: received)
        progress.validator = Validator([.eTag: "\"v1\""], receivedAt: .epoch)
        progress.part = PartFileClaim(
            name: Self.place.part,
            identity: Self.identity,
            boot: DownloadScenario.boot
        )
        change(&progress)
        var machine = try Machine.begun(from: progress)
        let entry = FileSurvey.Entry(identity: Self.identity, length: received, kind: .file)
        _ = machine.handle(.surveyed(FileSurvey(final: nil, part: entry)), at: .epoch)
        _ = machine.handle(.partReady(Self.identity), at: .epoch)
        return machine
    }

    private func id(_ number: Int) -> ConnectionID { ConnectionID(rawValue: number) }

    private func facts(_ status: Int, _ tag: String, range: String? = nil, length: Int64) -> ResponseFacts {
        var headers: HTTPFields = [.eTag: tag]
        headers[.contentRange] = range
        return ResponseFacts(ResponseHead(status: status, headers: headers, bodyLength: length), at: .epoch)
    }

    /// How durably a download whose first answer gave this length notes that it publishes.
    private func publishingNote(bodyLength: Int64?) throws -> Durability? {
        var machine = try Machine.begun()
        _ = machine.handle(.surveyed(FileSurvey(final: nil, part: nil)), at: .epoch)
        var whole = facts(200, "\"v1\"", length: 10)
        whole.bodyLength = bodyLength
        _ = machine.handle(.head(id(1), whole), at: .epoch)
        _ = machine.handle(.partReady(Self.identity), at: .epoch)
        _ = machine.handle(.partNamed, at: .epoch)
        _ = machine.handle(.reserved, at: .epoch)
        _ = machine.handle(.connectionEnded(id(1), at: 10, .complete), at: .epoch)
        _ = machine.handle(.trimmed, at: .epoch)
        let actions = machine.handle(.synchronized, at: .epoch)
        for case .record(let progress, let durability) in actions where progress.phase == .publishing {
            return durability
        }
        return nil
    }

    /// Without the note, a published file cannot be told from an unfinished one that a person has renamed.
    @Test(arguments: [nil, 10] as [Int64?])
    func theNoteOfAPublicationSurvivesPowerLossBeforeTheRename(bodyLength: Int64?) throws {
        #expect(try publishingNote(bodyLength: bodyLength) == .power)
    }

    @Test func bytesThatAFailedSyncMayHaveLostAreNotClaimedByTheirConnection() throws {
        var machine = try resuming(at: 100)
        _ = machine.handle(
            .head(id(1), facts(206, "\"v1\"", range: "bytes 100-999/1000", length: 900)),
            at: .epoch
        )
        let late = Instant.epoch.advanced(by: .seconds(11))
        let sync = machine.handle(.advanced([id(1): 500]), at: late)
        #expect(sync.contains { $0 == .synchronize })
        _ = machine.handle(.storageFailed(.synchronize, Self.broke), at: late)
        _ = machine.handle(.connectionEnded(id(1), at: 600, .disconnected), at: late)
        #expect(machine.progress.segments.received == 0 && machine.stage == .ended)
    }

    @Test func aSyncThatFailsWhileThePartFileIsReplacedEndsTheAttempt() throws {
        var machine = try resuming(at: 400)
        let late = Instant.epoch.advanced(by: .seconds(11))
        _ = machine.handle(
            .head(id(1), facts(206, "\"v1\"", range: "bytes 400-499/1000", length: 100)),
            at: .epoch
        )
        _ = machine.handle(.advanced([id(1): 500]), at: late)
        _ = machine.handle(.connectionEnded(id(1), at: 500, .complete), at: late)
        let replacing = machine.handle(.head(id(2), facts(200, "\"v2\"", length: 800)), at: late)
        #expect(replacing.contains { if case .replacePart = $0 { true } else { false } })
        _ = machine.handle(.storageFailed(.synchronize, Self.broke), at: late)
        #expect(machine.handle(.partReady(Self.replacement), at: late).isEmpty)
        _ = machine.handle(.connectionEnded(id(2), at: nil, .disconnected), at: late)
        #expect(machine.stage == .ended && machine.progress.segments.received == 0)
        #expect(machine.progress.part?.identity == Self.replacement)
    }

    @Test func theSameVersionIsAsLongAsItWasThoughAnAnswerDoesNotSay() throws {
        var machine = try resuming(at: 400)
        var whole = facts(200, "\"v1\"", length: 0)
        whole.bodyLength = nil
        // Told twice, the second time in answer to If-Match: the server cannot send parts.
        _ = machine.handle(.head(id(1), whole), at: .epoch)
        _ = machine.handle(.head(id(2), whole), at: .epoch)
        _ = machine.handle(.partReady(Self.replacement), at: .epoch)
        _ = machine.handle(.partNamed, at: .epoch)
        _ = machine.handle(.reserved, at: .epoch)
        let actions = machine.handle(.connectionEnded(id(2), at: 300, .complete), at: .epoch)
        #expect(!actions.contains { $0 == .synchronize })
        let last = machine.handle(.connectionEnded(id(1), at: nil, .disconnected), at: .epoch)
        #expect(last == [.synchronize])
        let end = machine.handle(.synchronized, at: .epoch)
        guard case .finish(.failed(let problem), let progress)? = end.last else {
            Issue.record("a truncated file must not go on: \(end)")
            return
        }
        #expect(problem.failure.code == .connectionLost && progress.segments.length == 1000)
    }

    @Test func aPartIsTakenNoFurtherThanItSaysThatItReaches() throws {
        var machine = try resuming(at: 400)
        var part = facts(206, "\"v1\"", range: "bytes 400-499/1000", length: 0)
        part.bodyLength = nil
        let actions = machine.handle(.head(id(1), part), at: .epoch)
        #expect(actions.contains(.receive(id(1), at: 400, limit: 100, comparing: 0)))
    }

    @Test func anEncodedFormAndAPlainOneAreNeverMixed() throws {
        var machine = try resuming(at: 400)
        machine.download.progress.contentCoding = "gzip"
        let part = facts(206, "\"v1\"", range: "bytes 400-999/1000", length: 600)
        let actions = machine.handle(.head(id(1), part), at: .epoch)
        #expect(actions.contains(.disconnect(id(1))) && machine.progress.segments.received == 400)
        #expect(!actions.contains { if case .receive = $0 { true } else { false } })
    }

    @Test(arguments: [Int64.max, Int64.max - 1, 1 << 62])
    func aLengthThatNoFileHasIsRefused(_ length: Int64) throws {
        var machine = try resuming(at: 0)
        let actions = machine.handle(.head(id(1), facts(200, "\"v1\"", length: length)), at: .epoch)
        #expect(actions.contains(.disconnect(id(1))) && machine.progress.segments.length != length)
    }

    @Test func aSyncOfDroppedBytesConfirmsNothingOfTheNewOnes() throws {
        var machine = try resuming(at: 400)
        let late = Instant.epoch.advanced(by: .seconds(11))
        _ = machine.handle(
            .head(id(1), facts(206, "\"v1\"", range: "bytes 400-499/1000", length: 100)),
            at: .epoch
        )
        _ = machine.handle(.advanced([id(1): 500]), at: late)
        _ = machine.handle(.connectionEnded(id(1), at: 500, .complete), at: late)
        _ = machine.handle(.head(id(2), facts(200, "\"v2\"", length: 800)), at: late)
        _ = machine.handle(.partReady(Self.replacement), at: late)
        _ = machine.handle(.partNamed, at: late)
        _ = machine.handle(.reserved, at: late)
        _ = machine.handle(.advanced([id(2): 300]), at: late)
        _ = machine.handle(.synchronized, at: late)
        #expect(machine.progress.segments.received == 300 && machine.progress.segments.durableBytes == 0)
    }

    /// What a power cut brings back behind the end would stand under the final name.
    @Test func aSyncThatBeganBeforeTheFileWasCutIsNotTheLastOne() throws {
        var machine = try resuming(at: 400)
        let late = Instant.epoch.advanced(by: .seconds(11))
        let rest = facts(206, "\"v1\"", range: "bytes 400-999/1000", length: 600)
        _ = machine.handle(.head(id(1), rest), at: .epoch)
        _ = machine.handle(.advanced([id(1): 1000]), at: late)
        #expect(machine.handle(.connectionEnded(id(1), at: 1000, .complete), at: late) == [.trim(1000)])
        _ = machine.handle(.trimmed, at: late)
        #expect(machine.handle(.synchronized, at: late) == [.synchronize])
        _ = machine.handle(.synchronized, at: late)
        #expect(machine.stage == .publishing)
    }

    /// A sync that fails may have dropped bytes before they were read back.
    @Test(arguments: [true, false])
    func aDigestIsNotBelievedBeforeTheSyncThatIsUnderWay(syncFails: Bool) throws {
        let wrong = Checksum(algorithm: .sha256, digest: [UInt8](repeating: 1, count: 32))
        var machine = try resuming(at: 400) {
            $0.volunteered = Checksum(algorithm: .sha256, digest: [UInt8](repeating: 2, count: 32))
        }
        let late = Instant.epoch.advanced(by: .seconds(11))
        let rest = facts(206, "\"v1\"", range: "bytes 400-999/1000", length: 600)
        _ = machine.handle(.head(id(1), rest), at: .epoch)
        _ = machine.handle(.advanced([id(1): 1000]), at: late)
        _ = machine.handle(.connectionEnded(id(1), at: 1000, .complete), at: late)
        _ = machine.handle(.trimmed, at: late)
        #expect(machine.handle(.digested(wrong), at: late) == [])
        let end = machine.handle(
            syncFails ? .storageFailed(.synchronize, Self.broke) : .synchronized,
            at: late
        )
        guard case .finish(.failed(let problem), let progress)? = end.last else {
            Issue.record("\(end)")
            return
        }
        #expect((problem.failure.code == .checksumMismatch) != syncFails)
        #expect(progress.segments.received == 0)
    }

    @Test func aConnectionThatWasDismissedHoldsNobodyUp() throws {
        var machine = try resuming(at: 400)
        let actions = machine.handle(.head(id(1), facts(412, "\"v2\"", length: 0)), at: .epoch)
        #expect(actions.contains(.disconnect(id(1))))
        // The second one fails before the first has been cut.
        _ = machine.handle(.connectionEnded(id(2), at: nil, .failed(Self.broke)), at: .epoch)
        _ = machine.handle(.connectionEnded(id(1), at: nil, .disconnected), at: .epoch)
        #expect(machine.stage.isStopping || machine.stage == .ended)
    }

    @Test func thePartOfAnUnknownWholeDoesNotEndIt() throws {
        var machine = try resuming(at: 400) { known in
            known.segments = SegmentMap(length: nil)
            known.segments.advance(0, writtenTo: 400)
        }
        _ = machine.handle(
            .head(id(1), facts(206, "\"v1\"", range: "bytes 400-499/*", length: 100)),
            at: .epoch
        )
        let actions = machine.handle(.connectionEnded(id(1), at: 500, .complete), at: .epoch)
        #expect(machine.progress.segments.length == nil)
        #expect(actions.contains { if case .connect = $0 { true } else { false } })
    }

    @Test func aRenameWhoseSyncFailedKeepsItsNote() throws {
        var machine = try resuming(at: 1000)
        _ = machine.handle(.trimmed, at: .epoch)
        _ = machine.handle(.synchronized, at: .epoch)
        #expect(machine.stage == .publishing)
        _ = machine.handle(.storageFailed(.publish, Self.broke), at: .epoch)
        #expect(machine.stage == .ended && machine.progress.phase == .publishing)
    }

    @Test func aNewPartFileWithTheNumberOfAFormerOneIsClaimedToSurvivePowerLoss() throws {
        var machine = try resuming(at: 400)
        let specification = machine.specification
        machine = Machine(specification, from: machine.progress, boot: machine.boot, at: .epoch)
        _ = machine.handle(.begin, at: .epoch)
        _ = machine.handle(.surveyed(FileSurvey(final: nil, part: nil)), at: .epoch)
        _ = machine.handle(.head(id(1), facts(200, "\"v1\"", length: 1000)), at: .epoch)
        let actions = machine.handle(.partReady(Self.identity), at: .epoch)
        guard case .record(let progress, .power)? = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(progress.segments.received == 0)
    }

    @Test func theLengthOfAFileThatCouldNotBeBegunIsForgotten() throws {
        var progress = DownloadProgress()
        progress.segments = SegmentMap(length: 0)
        progress.name = Self.place.name
        var machine = try Machine.begun(from: progress)
        let actions = machine.handle(.surveyed(FileSurvey(final: nil, part: nil)), at: .epoch)
        #expect(actions == [.connect(id(1), .whole)])
    }

    @Test func aNewVersionThatTellsNothingOfItselfIsNotHeldToTheLengthOfTheFormer() throws {
        var machine = try resuming(at: 400) { $0.validator = Validator() }
        let part = ResponseHead(status: 206, headers: [.contentRange: "bytes 0-599/600"], bodyLength: 600)
        _ = machine.handle(.head(id(1), ResponseFacts(part, at: .epoch)), at: .epoch)
        let whole = ResponseHead(status: 200, headers: [:], bodyLength: nil)
        _ = machine.handle(.head(id(2), ResponseFacts(whole, at: .epoch)), at: .epoch)
        _ = machine.handle(.partReady(Self.replacement), at: .epoch)
        _ = machine.handle(.partNamed, at: .epoch)
        _ = machine.handle(.reserved, at: .epoch)
        _ = machine.handle(.connectionEnded(id(2), at: 600, .complete), at: .epoch)
        #expect(machine.progress.segments.length == 600 && machine.progress.segments.isComplete)
    }

    @Test func whatLiesBehindTheWholeIsCutOffBeforeItIsVerified() throws {
        var machine = try resuming(at: 400)
        let part = facts(206, "\"v1\"", range: "bytes 400-999/1000", length: 600)
        _ = machine.handle(.head(id(1), part), at: .epoch)
        let whole = machine.handle(.connectionEnded(id(1), at: 1000, .complete), at: .epoch)
        #expect(whole == [.trim(1000)])
        let lost = Problem.transient(.partFileLost, "It is shorter.")
        let actions = machine.handle(.storageFailed(.prepare, lost), at: .epoch)
        guard case .finish(.failed, let progress)? = actions.last else {
            Issue.record("\(actions)")
            return
        }
        #expect(progress.segments.received == 0)
    }

    @Test func theSameTagOfAnotherResourceIsNoProof() throws {
        var machine = try resuming(at: 400) { $0.source = "http://example.com/v1" }
        var part = facts(206, "\"v1\"", range: "bytes 400-999/1000", length: 600)
        part.url = try HTTPURL(parsing: "http://example.com/v2")
        let actions = machine.handle(.head(id(1), part), at: .epoch)
        let overlap = RangeRequest(from: 0, upTo: nil, condition: .overlap(400))
        #expect(actions.contains(.connect(id(2), overlap)))
    }

    @Test func aTagThatOnlyALaterAnswerGaveIsPinned() throws {
        var machine = try resuming(at: 400) { $0.validator = Validator() }
        let part = facts(206, "\"b\"", range: "bytes 0-999/1000", length: 1000)
        _ = machine.handle(.head(id(1), part), at: .epoch)
        _ = machine.handle(.reserved, at: .epoch)
        _ = machine.handle(.advanced([id(1): 399]), at: .epoch)
        #expect(
            machine.progress.validator.entityTag == nil,
            "what was not compared to its end proves nothing"
        )
        _ = machine.handle(.advanced([id(1): 400]), at: .epoch)
        #expect(machine.progress.validator.entityTag == EntityTag("\"b\""))
    }

    @Test(arguments: [false, true])
    func nothingIsClaimedOfAFileOfSomebodyElseThatWillDo(removalFails: Bool) throws {
        var progress = DownloadProgress()
        progress.segments = SegmentMap(length: 1000)
        progress.segments.advance(0, writtenTo: 1000)
        progress.volunteered = Checksum(algorithm: .md5, digest: [UInt8](repeating: 1, count: 16))
        progress.part = PartFileClaim(
            name: Self.place.part,
            identity: Self.identity,
            boot: DownloadScenario.boot
        )
        var machine = try Machine.begun(from: progress) { $0.existingFile = .noClobber }
        let survey = FileSurvey(
            final: .init(identity: FileIdentity(device: 1, inode: 9), length: 6, kind: .file),
            part: .init(identity: Self.identity, length: 1000, kind: .file)
        )
        let actions = machine.handle(.surveyed(survey), at: .epoch)
        #expect(actions.last == .removePart(Self.place, Self.identity))
        let answer: DownloadEvent = removalFails ? .storageFailed(.remove, Self.broke) : .partRemoved
        guard case .finish(.completed, let end)? = machine.handle(answer, at: .epoch).last else {
            Issue.record("\(machine.stage)")
            return
        }
        #expect(end.segments.received == 0 && end.segments.length == nil && end.volunteered == nil)
    }

    @Test(arguments: [ExistingFilePolicy.fail, .overwrite, .noClobber], [false, true])
    func whatAnotherTransferIsWritingIsWaitedForWhereItsFileWillDo(
        policy: ExistingFilePolicy,
        isHeld: Bool
    ) throws {
        var machine = try Machine.begun { $0.existingFile = policy }
        let part = FileSurvey.Entry(
            identity: FileIdentity(device: 1, inode: 9),
            length: 6,
            kind: .file
        )
        var survey = FileSurvey(final: nil, part: part, isPartHeld: isHeld)
        survey.isPartClaimed = !isHeld
        let actions = machine.handle(.surveyed(survey), at: .epoch)
        guard case .finish(.failed(let problem), let end)? = actions.last else {
            Issue.record("\(actions)")
            return
        }
        #expect(end.part == nil)
        if isHeld, policy != .fail {
            #expect(problem.disposition == .transient(retryAfter: nil))
        } else {
            #expect(problem.disposition == .permanent && problem.failure.code == .destinationExists)
        }
        #expect(problem.failure.message.contains("writing") == isHeld)
    }

    /// A small download under `--no-clobber` that is whole and whose name turned out to be taken when it was published.
    private func beaten(_ isNamed: Bool) throws -> (Machine, [DownloadAction]) {
        var machine = try Machine.begun { $0.existingFile = .noClobber }
        _ = machine.handle(.surveyed(FileSurvey(final: nil, part: nil)), at: .epoch)
        _ = machine.handle(.head(id(1), facts(200, "\"v1\"", length: 10)), at: .epoch)
        _ = machine.handle(.partReady(Self.identity, isNamed: isNamed), at: .epoch)
        if isNamed {
            _ = machine.handle(.partNamed, at: .epoch)
            _ = machine.handle(.reserved, at: .epoch)
        }
        _ = machine.handle(.connectionEnded(id(1), at: 10, .complete), at: .epoch)
        if isNamed { _ = machine.handle(.trimmed, at: .epoch) }
        _ = machine.handle(.synchronized, at: .epoch)
        try #require(machine.stage == .publishing)
        let taken = Problem.permanent(.destinationExists, "It is there.")
        let actions = machine.handle(.storageFailed(.publish, taken), at: .epoch)
        return (machine, actions)
    }

    private func survey(_ kind: FileSurvey.Kind?) -> FileSurvey {
        let theirs = FileIdentity(device: 1, inode: 9)
        return FileSurvey(final: kind.map { .init(identity: theirs, length: 6, kind: $0) }, part: nil)
    }

    @Test(arguments: [false, true])
    func aNameThatWasTakenMeanwhileIsAllThatWasWantedWhereNothingIsToBeReplaced(isNamed: Bool) throws {
        var (machine, actions) = try beaten(isNamed)
        guard case .survey = actions.last else {
            Issue.record("\(actions)")
            return
        }
        var end = machine.handle(.surveyed(survey(.file)), at: .epoch)
        if isNamed {
            #expect(end.last == .removePart(Self.place, Self.identity))
            end = machine.handle(.partRemoved, at: .epoch)
        }
        guard case .finish(.completed, let progress)? = end.last else {
            Issue.record("\(end)")
            return
        }
        #expect(progress.part == nil && progress.segments.received == 0)
    }

    @Test func aNameThatIsFreeAgainIsTaken() throws {
        var (machine, _) = try beaten(false)
        let again = machine.handle(.surveyed(survey(nil)), at: .epoch)
        #expect(again.last == .publish(Self.place.name, replacing: false))
        #expect(
            machine.handle(.published(modified: nil), at: .epoch).contains {
                if case .finish(.completed, _) = $0 { true } else { false }
            }
        )
    }

    @Test(arguments: [FileSurvey.Kind.directory, .symbolicLink, .stream])
    func whatIsNoFileIsNotWhatWasWanted(kind: FileSurvey.Kind) throws {
        var (machine, _) = try beaten(false)
        var end = machine.handle(.surveyed(survey(kind)), at: .epoch)
        // What is there of this transfer is kept under the part file's name.
        if end.last == .namePart { end = machine.handle(.partNamed, at: .epoch) }
        guard case .finish(.failed(let problem), let progress)? = end.last else {
            Issue.record("\(end)")
            return
        }
        #expect(problem.failure.code == .cannotCreate && progress.segments.received == 10)
    }
}
