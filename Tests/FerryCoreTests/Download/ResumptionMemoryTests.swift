import FerryTesting
import HTTPTypes
import Testing

@testable import FerryCore

@Suite("A download's memory of its resumption")
struct ResumptionMemoryTests {
    private typealias Machine = DownloadMachine
    private static let boot = BootID(rawValue: "b")
    private static let identity = FileIdentity(device: 1, inode: 2)
    private static let store = Origin(scheme: .https, host: "objects.example", port: 443)
    private static let url: HTTPURL? = try? HTTPURL(parsing: "https://objects.example/f")

    /// A machine with 400 of 1000 bytes and an open first connection.
    private func resuming(
        _ traits: ServerTraits = ServerTraits(),
        tag: String? = "\"v1\"",
        strictly: Bool = false,
        segments: SegmentMap? = nil,
        writtenUnder former: BootID = Self.boot,
        lastWritten modified: Int64? = nil
    ) throws -> (Machine, [DownloadAction]) {
        var progress = DownloadProgress()
        progress.segments = SegmentMap(length: 1000)
        progress.segments.advance(0, writtenTo: 400)
        if let segments { progress.segments = segments }
        if let tag { progress.validator = Validator([.eTag: tag], receivedAt: .epoch) }
        let place = FilePlace(directory: "/d", name: .fallback)
        progress.part = PartFileClaim(name: place.part, identity: Self.identity, boot: former)
        progress.part?.modified = modified
        var specification = DownloadSpecification(
            url: try HTTPURL(parsing: "http://example.com/f"),
            destination: .file(directory: "/d", name: place.name)
        )
        specification.options.strictResume = strictly
        var machine = Machine(specification, from: progress, traits: traits, boot: Self.boot, at: .epoch)
        _ = machine.handle(.begin, at: .epoch)
        let written = segments == nil ? 400 : 1000
        let entry = FileSurvey.Entry(identity: Self.identity, length: Int64(written), kind: .file)
        _ = machine.handle(.surveyed(FileSurvey(final: nil, part: entry)), at: .epoch)
        let actions = machine.handle(.partReady(Self.identity), at: .epoch)
        return (machine, actions)
    }

    private func id(_ number: Int) -> ConnectionID { ConnectionID(rawValue: number) }

    private func facts(_ status: Int, _ tag: String?, range: String? = nil, length: Int64) -> ResponseFacts {
        var headers = HTTPFields()
        headers[.eTag] = tag
        headers[.contentRange] = range
        let head = ResponseHead(status: status, headers: headers, bodyLength: length)
        return ResponseFacts(head, from: Self.url, at: .epoch)
    }

    private func remembered(_ actions: [DownloadAction]) -> [DownloadAction] {
        actions.filter { if case .remember = $0 { true } else { false } }
    }

    private static let lacking = DownloadAction.remember(ServerTraits(lacksIfRange: true), of: store)

    private func conditions(_ actions: [DownloadAction]) -> [RangeRequest.Condition] {
        actions.compactMap { if case .connect(_, let request) = $0 { request.condition } else { nil } }
    }

    private static let tag = EntityTag("\"v1\"")!

    @Test func aServerThatIgnoresIfRangeIsRememberedByTheOriginThatAnswered() throws {
        var (machine, _) = try resuming()
        let other = facts(206, "\"v2\"", range: "bytes 400-999/1000", length: 600)
        #expect(remembered(machine.handle(.head(id(1), other), at: .epoch)) == [Self.lacking])
        #expect(machine.board.sources.traitsOfLead.lacksIfRange)
    }

    @Test func aServerThatAnswersIfMatchButNotIfRangeIsRemembered() throws {
        var (machine, _) = try resuming()
        let again = machine.handle(.head(id(1), facts(200, "\"v1\"", length: 1000)), at: .epoch)
        #expect(conditions(again) == [.ifMatch(Self.tag)] && remembered(again).isEmpty)
        let part = facts(206, "\"v1\"", range: "bytes 400-999/1000", length: 600)
        let actions = machine.handle(.head(id(2), part), at: .epoch)
        #expect(remembered(actions) == [Self.lacking])
        #expect(actions.contains(.receive(id(2), at: 400, limit: 600, comparing: 0)))
    }

    @Test func aServerThatCannotSendPartsIsNotBlamedForIfRange() throws {
        var (machine, _) = try resuming()
        let whole = facts(200, "\"v1\"", length: 1000)
        let first = machine.handle(.head(id(1), whole), at: .epoch)
        let second = machine.handle(.head(id(2), whole), at: .epoch)
        #expect(remembered(first + second).isEmpty && !machine.board.sources.traitsOfLead.lacksIfRange)
    }

    @Test func aServerThatIsKnownToLackIfRangeIsAskedWithIfMatchAtOnce() throws {
        let (_, asked) = try resuming(ServerTraits(lacksIfRange: true))
        #expect(conditions(asked) == [.ifMatch(Self.tag)])
        let (_, plain) = try resuming()
        #expect(conditions(plain) == [.ifRange(Self.tag)])
    }

    @Test func theExplanationIsRecordedWhileTheAttemptGoesOn() throws {
        var (machine, _) = try resuming()
        let part = facts(206, "\"v1\"", range: "bytes 400-999/1000", length: 600)
        _ = machine.handle(.head(id(1), part), at: .epoch)
        let actions = machine.handle(.advanced([id(1): 500]), at: .epoch)
        guard case .record(let progress, _)? = actions.first else {
            Issue.record("nothing is recorded: \(actions)")
            return
        }
        #expect(
            progress.note == TransferNote(.resumed, "Resumed at 400 B: ETag matched.")
                && progress.server == Self.store
        )
    }

    /// Several connections leave several gaps, and each gap gets its own request.
    @Test func thatItGoesOnIsSaidOnceHoweverManyGapsThereAre() throws {
        let gaps = SegmentMap(segments: [
            Segment(range: 0..<600, written: 400, durable: 0),
            Segment(range: 600..<1000, written: 700, durable: 600),
        ])
        var (machine, _) = try resuming(segments: gaps)
        let first = facts(206, "\"v1\"", range: "bytes 400-599/1000", length: 200)
        #expect(notes(machine.handle(.head(id(1), first), at: .epoch)) == ["Resumed at 500 B: ETag matched."])
        let next = machine.handle(.connectionEnded(id(1), at: 600, .complete), at: .epoch)
        #expect(conditions(next) == [.ifRange(Self.tag)])
        let second = facts(206, "\"v1\"", range: "bytes 700-999/1000", length: 300)
        let actions = machine.handle(.head(id(2), second), at: .epoch)
        #expect(actions.contains(.receive(id(2), at: 700, limit: 300, comparing: 0)))
        #expect(notes(actions) == [])
    }

    /// When all others have ended, a single connection fetches what they left.
    @Test func theRestOfADownloadThatBeganInThisAttemptIsNoResumption() throws {
        var download = try DividedDownload { $0.connections = 2 }
        download.asksForMore()
        download.proves(2)
        download.breaks(1)
        let end = try #require(download.bodies[id(2)]).upperBound
        download.hand(.connectionEnded(id(2), at: end, .complete))
        try #require(download.unanswered == [3])
        download.proves(3)
        #expect(download.writing.contains(3))
        #expect(notes(download.log) == [])
    }

    /// A power cut may have taken the others.
    @Test(arguments: [0, 300] as [Int64])
    func onlyDurableBytesAreKeptAfterAReboot(durable: Int64) throws {
        let segments = SegmentMap(segments: [Segment(range: 0..<1000, written: 400, durable: durable)])
        let (machine, _) = try resuming(segments: segments, writtenUnder: BootID(rawValue: "a"))
        #expect(machine.progress.segments.received == durable)
        #expect(machine.keepsEarlierBytes == (durable > 0))
    }

    /// Its bytes are dropped.
    @Test func nothingIsKeptOfAPartFileThatAnotherProgramHasChanged() throws {
        let (machine, _) = try resuming(lastWritten: 7)
        #expect(machine.progress.segments.received == 0 && !machine.keepsEarlierBytes)
    }

    /// A machine that knew that its server lacks `If-Range`, got a 412, and has requested the whole file.
    private func refused() throws -> Machine {
        var (machine, asked) = try resuming(ServerTraits(lacksIfRange: true))
        #expect(conditions(asked) == [.ifMatch(Self.tag)])
        let refusal = machine.handle(.head(id(1), facts(412, nil, length: 0)), at: .epoch)
        #expect(conditions(refusal) == [.none] && remembered(refusal).isEmpty)
        return machine
    }

    @Test func aServerThatRefusesItsOwnTagIsAskedWithIfRangeAgain() throws {
        var machine = try refused()
        let whole = facts(200, "\"v1\"", length: 1000)
        let again = machine.handle(.head(id(2), whole), at: .epoch)
        #expect(remembered(again) == [.remember(ServerTraits(), of: Self.store)])
        #expect(conditions(again) == [.ifRange(Self.tag)] && notes(again) == [], "nothing is dropped yet")
        let part = facts(206, "\"v1\"", range: "bytes 400-999/1000", length: 600)
        let actions = machine.handle(.head(id(3), part), at: .epoch)
        #expect(actions.contains(.receive(id(3), at: 400, limit: 600, comparing: 0)))
    }

    @Test func aServerThatRefusesItsOwnTagAndIgnoresIfRangeIsNotAskedForEver() throws {
        var machine = try refused()
        let whole = facts(200, "\"v1\"", length: 1000)
        var asked: [RangeRequest.Condition] = []
        var found: [DownloadAction] = []
        for number in 2...9 {
            let refuses = asked.last == .ifMatch(Self.tag)
            let answer = refuses ? facts(412, nil, length: 0) : whole
            let actions = machine.handle(.head(id(number), answer), at: .epoch)
            asked += conditions(actions)
            found += remembered(actions)
            guard notes(actions).isEmpty else { break }
        }
        #expect(asked == [.ifRange(Self.tag), .ifMatch(Self.tag), .none])
        #expect(found == [.remember(ServerTraits(), of: Self.store)])
        #expect(
            machine.progress.note?.message
                == "Starting over: the server cannot resume a download; 400 B dropped."
        )
    }

    @Test func aServerThatRefusesAnotherTagIsBelieved() throws {
        var machine = try refused()
        let changed = machine.handle(.head(id(2), facts(200, "\"v2\"", length: 1000)), at: .epoch)
        #expect(remembered(changed).isEmpty && machine.board.sources.traitsOfLead.lacksIfRange)
        #expect(notes(changed) == ["Starting over: the file has changed on the server; 400 B dropped."])
    }

    private func notes(_ actions: [DownloadAction]) -> [String] {
        actions.compactMap { if case .note(let note) = $0 { note.message } else { nil } }
    }

    private static let compared =
        "Resumed at 400 B: the last 400 B were compared, because ETag and date do not prove the version."

    /// A machine that has ordered the comparison of its overlap, and its note about it.
    private func comparing() throws -> Machine {
        var (machine, asked) = try resuming(tag: nil)
        #expect(conditions(asked) == [.overlap(400)])
        let part = facts(206, nil, range: "bytes 0-999/1000", length: 1000)
        let actions = machine.handle(.head(id(1), part), at: .epoch)
        #expect(actions.contains(.receive(id(1), at: 0, limit: 1000, comparing: 400)))
        #expect(notes(actions) == [], "nothing was compared yet")
        return machine
    }

    @Test func aComparisonIsToldOnceItHasAgreed() throws {
        var machine = try comparing()
        #expect(notes(machine.handle(.advanced([id(1): 399]), at: .epoch)) == [])
        let agreed = machine.handle(.advanced([id(1): 400]), at: .epoch)
        #expect(
            notes(agreed) == [Self.compared] && machine.progress.note == TransferNote(.resumed, Self.compared)
        )
        #expect(notes(machine.handle(.advanced([id(1): 500]), at: .epoch)) == [])
        #expect(notes(machine.handle(.connectionEnded(id(1), at: 1000, .complete), at: .epoch)) == [])
    }

    @Test func aComparisonThatAgreesBetweenTwoLooksIsToldAtTheEnd() throws {
        var machine = try comparing()
        let end = machine.handle(.connectionEnded(id(1), at: 1000, .complete), at: .epoch)
        #expect(notes(end) == [Self.compared])
    }

    @Test func aComparisonThatDiffersIsNeverToldAsAResumption() throws {
        var machine = try comparing()
        let actions = machine.handle(.connectionEnded(id(1), at: 400, .overlapDiffers), at: .epoch)
        #expect(notes(actions) == ["Starting over: the file has changed on the server; 400 B dropped."])
    }

    @Test func aStartOverForTheSakeOfStrictnessSaysSo() throws {
        for (strictly, reason) in [(true, "strict resume"), (false, "the server cannot resume")] {
            var (machine, asked) = try resuming(tag: nil, strictly: strictly)
            #expect(conditions(asked) == [strictly ? .none : .overlap(400)])
            let actions = machine.handle(.head(id(1), facts(200, nil, length: 1000)), at: .epoch)
            #expect(notes(actions).count == 1 && notes(actions)[0].contains(reason), "\(notes(actions))")
        }
        // A tag that differs is a change, strict or not. With an equal tag, a part was requested.
        var (machine, _) = try resuming(strictly: true)
        let first = machine.handle(.head(id(1), facts(200, "\"v2\"", length: 1000)), at: .epoch)
        #expect(notes(first) == ["Starting over: the file has changed on the server; 400 B dropped."])
    }
}
