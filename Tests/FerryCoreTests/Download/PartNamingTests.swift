import FerryTesting
import HTTPTypes
import Testing

@testable import FerryCore

/// A new part file gets its name only after the claim on it is recorded. So a crash never leaves a file that no transfer
/// claims (I6).
@Suite("The name of a new part file")
struct PartNamingTests {
    private typealias Machine = DownloadMachine
    private static let identity = FileIdentity(device: 1, inode: 2)
    private static let first = ConnectionID(rawValue: 1)

    /// A machine whose part file was just created, and what it ordered then.
    private func created() throws -> (Machine, [DownloadAction]) {
        var machine = try Machine.begun()
        _ = machine.handle(.surveyed(FileSurvey(final: nil, part: nil)), at: .epoch)
        let head = ResponseHead(status: 200, headers: [.eTag: "\"v1\""], bodyLength: 1000)
        _ = machine.handle(.head(Self.first, ResponseFacts(head, at: .epoch)), at: .epoch)
        let actions = machine.handle(.partReady(Self.identity), at: .epoch)
        return (machine, actions)
    }

    @Test func isTakenOnlyAfterTheClaimIsRecordedToSurvivePowerLoss() throws {
        var (machine, actions) = try created()
        guard case .record(let progress, .power)? = actions.first, actions.count == 2 else {
            Issue.record("\(actions)")
            return
        }
        #expect(progress.part?.identity == Self.identity && actions.last == .namePart)
        #expect(machine.handle(.partNamed, at: .epoch) == [.reserve(1000)])
        let reserved = machine.handle(.reserved, at: .epoch)
        #expect(reserved.contains(.receive(Self.first, at: 0, limit: 1000, comparing: 0)))
    }

    @Test func thatSomebodyTookMeanwhileLeavesNoClaim() throws {
        var (machine, _) = try created()
        let taken = Problem.permanent(.destinationExists, "It is there.")
        let actions = machine.handle(.storageFailed(.name, taken), at: .epoch)
        guard case .record(let progress, _)? = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(progress.part == nil && progress.segments == SegmentMap(length: 1000))
        let end = machine.handle(.connectionEnded(Self.first, at: nil, .disconnected), at: .epoch)
        guard case .finish(.failed(let problem), _)? = end.last else {
            Issue.record("\(end)")
            return
        }
        #expect(problem == Problem(taken.failure, .transient(retryAfter: nil)))
    }

    /// A process that was taken for dead may name its file late.
    @Test func thatSomebodyTookMeanwhileIsAnotherOneInTheNextAttempt() throws {
        var (machine, _) = try created()
        let taken = Problem.permanent(.destinationExists, "It is there.")
        _ = machine.handle(.storageFailed(.name, taken), at: .epoch)
        let end = machine.handle(.connectionEnded(Self.first, at: nil, .disconnected), at: .epoch)
        guard case .finish(.failed, let progress)? = end.last else {
            Issue.record("\(end)")
            return
        }
        var next = Machine(machine.specification, from: progress, boot: BootID(rawValue: "b"), at: .epoch)
        _ = next.handle(.begin, at: .epoch)
        let late = FileSurvey.Entry(identity: FileIdentity(device: 1, inode: 7), length: 9, kind: .file)
        let looked = next.handle(.surveyed(FileSurvey(final: nil, part: late)), at: .epoch)
        guard case .survey(let place, _)? = looked.last else {
            Issue.record("\(looked)")
            return
        }
        #expect(place.part == FileName.fallback.partName(1))
    }

    @Test(arguments: [StopOrder.cancel(keepingPart: false), .release])
    func anEndAskedForMeanwhileIsObeyed(_ ending: StopOrder) throws {
        var (machine, _) = try created()
        _ = machine.handle(.ask(ending), at: .epoch)
        let actions =
            machine.handle(.partNamed, at: .epoch) + machine.handle(.reserved, at: .epoch)
            + machine.handle(.connectionEnded(Self.first, at: nil, .disconnected), at: .epoch)
        #expect(!actions.contains { if case .receive = $0 { true } else { false } })
        #expect(machine.stage.isStopping || machine.stage == .ended)
    }

    // MARK: With the survey

    @Test(arguments: ExistingFilePolicy.allCases)
    func theFileIsCreatedWithTheSurveyThatItsBodyWaitsFor(policy: ExistingFilePolicy) throws {
        var options = DownloadOptions()
        options.existingFile = policy
        let specification = DownloadSpecification(
            url: try HTTPURL(parsing: "http://example.com/f"),
            destination: .file(directory: "/d", name: nil),
            options: options
        )
        let boot = BootID(rawValue: "b")
        var machine = Machine(specification, from: DownloadProgress(), boot: boot, at: .epoch)
        #expect(machine.handle(.begin, at: .epoch).contains(.connect(Self.first, .whole)))
        let head = ResponseHead(status: 200, headers: [.eTag: "\"v1\""], bodyLength: 1000)
        let asked = machine.handle(.head(Self.first, ResponseFacts(head, at: .epoch)), at: .epoch)
        let place = FilePlace(directory: "/d", name: try #require(machine.progress.name))
        #expect(asked.last == .survey(place, creating: true))
        let found = machine.handle(.surveyed(FileSurvey(final: nil, part: nil)), at: .epoch)
        #expect(found.last == .createPart(place))
    }

    // MARK: Without a name

    /// A machine whose small part file has no name, while its body comes.
    private func nameless(
        length: Int64 = 1000,
        _ change: (inout DownloadOptions) -> Void = { _ in }
    ) throws -> (Machine, [DownloadAction]) {
        var machine = try Machine.begun(change)
        _ = machine.handle(.surveyed(FileSurvey(final: nil, part: nil)), at: .epoch)
        let head = ResponseHead(status: 200, headers: [.eTag: "\"v1\""], bodyLength: length)
        _ = machine.handle(.head(Self.first, ResponseFacts(head, at: .epoch)), at: .epoch)
        let actions = machine.handle(.partReady(Self.identity, isNamed: false), at: .epoch)
        return (machine, actions)
    }

    private func recorded(_ actions: [DownloadAction]) -> [DownloadProgress] {
        actions.compactMap { if case .record(let progress, _) = $0 { progress } else { nil } }
    }

    @Test func aSmallFileThatComesAtOnceIsFirstRecordedWhenItIsPublished() throws {
        var (machine, actions) = try nameless()
        #expect(actions.first == .receive(Self.first, at: 0, limit: 1000, comparing: 0))
        actions += machine.handle(.connectionEnded(Self.first, at: 1000, .complete), at: .epoch)
        #expect(recorded(actions).isEmpty && !actions.contains(.namePart))
        guard actions.last == .synchronize else {
            Issue.record("\(actions)")
            return
        }
        let published = machine.handle(.synchronized, at: .epoch)
        guard case .record(let progress, .power)? = published.first else {
            Issue.record("\(published)")
            return
        }
        #expect(progress.phase == .publishing && progress.part?.identity == Self.identity)
        #expect(progress.segments.isDurable)
        #expect(published.last == .publish(.fallback, replacing: false))
        #expect(machine.handle(.published(modified: nil), at: .epoch) == [.finish(.completed, progress)])
    }

    @Test func oneThatTakesLongerIsClaimedThenNamedAndOnlyThenItsBytesAreClaimed() throws {
        var (machine, _) = try nameless()
        let asked = machine.handle(.advanced([Self.first: 400]), at: .epoch)
        #expect(asked.last == .namePart && asked.count == 2)
        guard case .record(let progress, .power)? = asked.first else {
            Issue.record("\(asked)")
            return
        }
        #expect(progress.part?.identity == Self.identity && progress.segments.received == 0)
        // The next tick comes before the file has its name.
        let early = recorded(machine.handle(.advanced([Self.first: 500]), at: .epoch))
        #expect(early.allSatisfy { $0.segments.received == 0 })
        #expect(machine.handle(.partNamed, at: .epoch).isEmpty)
        let later = recorded(machine.handle(.advanced([Self.first: 500]), at: .epoch))
        #expect(later.map(\.segments.received) == [500])
    }

    @Test(arguments: [StopOrder.release, nil])
    func anEndThatKeepsTheBytesGivesThemAName(_ ending: StopOrder?) throws {
        var (machine, _) = try nameless()
        if let ending { _ = machine.handle(.ask(ending), at: .epoch) }
        let end: DownloadEvent.ConnectionEnd =
            ending == nil ? .failed(.transient(.timeout, "It is late.")) : .disconnected
        let asked = machine.handle(.connectionEnded(Self.first, at: 700, end), at: .epoch)
        #expect(asked.last == .namePart && recorded(asked).map(\.segments.received) == [0])
        let named = machine.handle(.partNamed, at: .epoch)
        #expect(recorded(named).map(\.segments.received) == [700] && named.last == .synchronize)
        guard case .finish(let outcome, let progress)? = machine.handle(.synchronized, at: .epoch).last else {
            Issue.record("\(machine.stage)")
            return
        }
        #expect((outcome == .released) == (ending != nil))
        #expect(progress.part?.identity == Self.identity && progress.segments.durableBytes == 700)
    }

    /// A power cut takes the name of a file along that got it after the last sync, and the bytes with it (I2).
    @Test(arguments: [StopOrder.release])
    func whatWasDurableBeforeItHadANameIsSyncedAgainWithIt(_ ending: StopOrder) throws {
        var (machine, _) = try nameless()
        let whole = machine.handle(.connectionEnded(Self.first, at: 1000, .complete), at: .epoch)
        guard whole.last == .synchronize else {
            Issue.record("\(whole)")
            return
        }
        _ = machine.handle(.ask(ending), at: .epoch)
        let asked = machine.handle(.synchronized, at: .epoch)
        #expect(asked.last == .namePart)
        let named = machine.handle(.partNamed, at: .epoch)
        #expect((recorded(asked) + recorded(named)).allSatisfy { $0.segments.durableBytes == 0 })
        guard named.last == .synchronize else {
            Issue.record("\(named)")
            return
        }
        let end = machine.handle(.synchronized, at: .epoch)
        guard case .finish(_, let progress)? = end.last else {
            Issue.record("\(end)")
            return
        }
        #expect(progress.segments.isDurable && progress.part?.identity == Self.identity)
    }

    @Test func aSyncThatIsOrderedRightAfterTheNameCounts() throws {
        var (machine, _) = try nameless()
        let late = Instant.epoch.advanced(by: PartDurability.interval)
        let orders = machine.handle(.advanced([Self.first: 400]), at: late)
        #expect(orders.suffix(2) == [.namePart, .synchronize])
        _ = machine.handle(.partNamed, at: late)
        _ = machine.handle(.synchronized, at: late)
        #expect(machine.progress.segments.durableBytes == 400)
    }

    @Test func anEndWhoseNameIsTakenKeepsNothing() throws {
        var (machine, _) = try nameless()
        _ = machine.handle(.ask(.release), at: .epoch)
        _ = machine.handle(.connectionEnded(Self.first, at: 700, .disconnected), at: .epoch)
        let taken = Problem.permanent(.destinationExists, "It is there.")
        let end = machine.handle(.storageFailed(.name, taken), at: .epoch)
        guard case .finish(.released, let progress)? = end.last else {
            Issue.record("\(end)")
            return
        }
        #expect(progress.part == nil && progress.segments.received == 0)
    }

    @Test func whatIsCancelledWithItsBytesNeedsNoName() throws {
        var (machine, _) = try nameless()
        _ = machine.handle(.ask(.cancel(keepingPart: false)), at: .epoch)
        let end = machine.handle(.connectionEnded(Self.first, at: 700, .disconnected), at: .epoch)
        guard case .finish(.cancelled, let progress)? = end.last, end.count == 1 else {
            Issue.record("\(end)")
            return
        }
        #expect(progress.part == nil)
    }

    @Test func aNameThatIsTakenMeanwhileIsLeftAlone() throws {
        var (machine, _) = try nameless()
        _ = machine.handle(.connectionEnded(Self.first, at: 1000, .complete), at: .epoch)
        _ = machine.handle(.synchronized, at: .epoch)
        let taken = Problem.permanent(.destinationExists, "It is there.")
        let end = machine.handle(.storageFailed(.publish, taken), at: .epoch)
        #expect(recorded(end).allSatisfy { $0.segments.received == 0 && $0.phase == .receiving })
        // The fetched bytes are kept beside it until the user decides.
        #expect(end.last == .namePart)
        guard
            case .finish(.failed(let problem), let progress)? = machine.handle(.partNamed, at: .epoch).last
        else {
            Issue.record("\(machine.stage)")
            return
        }
        #expect(problem.failure.code == .destinationExists && progress.segments.received == 1000)
    }

    @Test func aPublicationThatFailedMayHaveGivenTheFinalNameSoNoOtherIsTaken() throws {
        var (machine, _) = try nameless()
        _ = machine.handle(.connectionEnded(Self.first, at: 1000, .complete), at: .epoch)
        _ = machine.handle(.synchronized, at: .epoch)
        let fault = Problem.transient(.storageFault, "The directory could not be synced.")
        let end = machine.handle(.storageFailed(.publish, fault), at: .epoch)
        guard case .finish(.failed, let progress)? = end.last, end.count == 1 else {
            Issue.record("\(end)")
            return
        }
        #expect(progress.phase == .publishing && progress.part?.identity == Self.identity)
    }

    private static let namesTaken = [
        Problem.permanent(.destinationExists, "It is there."),
        .transient(.cannotOpen, "Another transfer or program is writing it."),
    ]

    @Test(arguments: namesTaken)
    func whereItsPartNameIsTakenAnotherOneIsTakenUnderAutoRename(problem: Problem) throws {
        var (machine, _) = try nameless { $0.existingFile = .autoRename }
        _ = machine.handle(.advanced([Self.first: 400]), at: .epoch)
        let orders = machine.handle(.storageFailed(.name, problem), at: .epoch)
        let next = FilePlace(directory: "/d", name: FileName.fallback.numbered(1))
        #expect(orders == [.disconnect(Self.first), .survey(next)])
        #expect(machine.progress.part == nil && machine.progress.segments.received == 0)
        // What the one that is cut still writes does not count.
        _ = machine.handle(.advanced([Self.first: 500]), at: .epoch)
        _ = machine.handle(.connectionEnded(Self.first, at: 600, .disconnected), at: .epoch)
        let again = machine.handle(.surveyed(FileSurvey(final: nil, part: nil)), at: .epoch)
        #expect(again == [.connect(ConnectionID(rawValue: 2), .whole)])
        #expect(machine.progress.segments.received == 0)
    }

    @Test(arguments: namesTaken)
    func whereItsPartNameIsTakenItEndsWithoutAClaimOnIt(problem: Problem) throws {
        var (machine, _) = try nameless()
        _ = machine.handle(.advanced([Self.first: 400]), at: .epoch)
        _ = machine.handle(.storageFailed(.name, problem), at: .epoch)
        let end = machine.handle(.connectionEnded(Self.first, at: 400, .disconnected), at: .epoch)
        guard case .finish(.failed(let failed), let progress)? = end.last else {
            Issue.record("\(end)")
            return
        }
        #expect(failed == Problem(problem.failure, .transient(retryAfter: nil)))
        // The same version still has that length (I1).
        #expect(progress.part == nil && progress.segments == SegmentMap(length: 1000))
        #expect(progress.validator.entityTag == EntityTag("\"v1\""))
    }

    @Test func whoeverNeedsTheNameGetsItAtOnce() throws {
        let (_, small) = try nameless()
        #expect(!small.contains(.namePart))
        let (_, large) = try nameless(length: DownloadMachine.smallLength)
        #expect(large.last == .namePart)
        let (_, overwriting) = try nameless { $0.existingFile = .overwrite }
        #expect(overwriting.last == .namePart)
        let (_, keeping) = try nameless { $0.keepsMismatch = true }
        #expect(keeping.last == .namePart)
    }
}
