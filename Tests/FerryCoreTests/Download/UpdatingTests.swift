import FerryTesting
import HTTPTypes
import Testing

@testable import FerryCore

@Suite("A completed file is asked for again")
struct UpdatingTests {
    private static let place = FilePlace(directory: "/d", name: .fallback)
    private static let identity = FileIdentity(device: 1, inode: 5, birth: 3)
    private static let kept = FileSurvey.Entry(identity: identity, length: 6, kind: .file, modified: 40)
    private static let partIdentity = FileIdentity(device: 1, inode: 8, birth: 9)
    private static let boot = BootID(rawValue: "b")

    /// A completed download of a file with this tag and date.
    private static func completed(tag: String? = "\"a\"", date: String? = nil) throws -> DownloadWork {
        var progress = DownloadProgress()
        progress.name = place.name
        progress.part = PartFileClaim(name: place.part, identity: identity, boot: boot, modified: 40)
        progress.segments = try #require(
            SegmentMap(segments: [Segment(range: 0..<6, written: 6, durable: 6)])
        )
        progress.phase = .publishing
        progress.source = try HTTPURL(parsing: "http://example.com/f").resource
        progress.validator = Validator(
            entityTag: tag.flatMap { EntityTag($0) },
            lastModified: date,
            date: nil,
            receivedAt: .epoch
        )
        var work = DownloadWork(try specification(DownloadOptions()))
        work.progress = progress
        return work
    }

    private static func specification(_ options: DownloadOptions) throws -> DownloadSpecification {
        DownloadSpecification(
            url: try HTTPURL(parsing: "http://example.com/f"),
            destination: .file(directory: "/d", name: place.name),
            options: options
        )
    }

    private static func work(
        _ policy: ExistingFilePolicy = .fail,
        after completed: DownloadWork? = nil,
        checksum: Checksum? = nil
    ) throws -> DownloadWork {
        var options = DownloadOptions()
        options.updates = true
        options.existingFile = policy
        options.checksum = checksum
        var work = DownloadWork(try specification(options))
        work.update(try completed ?? Self.completed())
        return work
    }

    /// A machine that has looked at the disk, and its actions since.
    private static func begun(
        _ work: DownloadWork,
        finding entry: FileSurvey.Entry? = kept
    ) -> (machine: DownloadMachine, actions: [DownloadAction]) {
        var machine = DownloadMachine(work.specification, from: work.progress, boot: boot, at: .epoch)
        #expect(machine.handle(.begin, at: .epoch) == [.survey(place)])
        let actions = machine.handle(.surveyed(FileSurvey(final: entry, part: nil)), at: .epoch)
        return (machine, actions)
    }

    private static func facts(
        _ status: Int,
        tag: String,
        length: Int64? = nil,
        from url: String = "http://example.com/f"
    ) throws -> ResponseFacts {
        var fields = HTTPFields()
        fields[.eTag] = tag
        let head = ResponseHead(status: status, headers: fields, bodyLength: length)
        return ResponseFacts(head, from: try HTTPURL(parsing: url), at: .epoch)
    }

    private static func request(_ actions: [DownloadAction]) -> (ConnectionID, RangeRequest)? {
        for case .connect(let id, let request) in actions { return (id, request) }
        return nil
    }

    private static func outcome(_ actions: [DownloadAction]) -> (AttemptOutcome, DownloadProgress)? {
        for case .finish(let outcome, let progress) in actions { return (outcome, progress) }
        return nil
    }

    @Test("the request carries what the record knows, and asks for the whole")
    func asksUnderACondition() throws {
        let date = "Tue, 15 Nov 1994 12:45:26 GMT"
        let cases: [(tag: String?, date: String?)] = [
            ("\"a\"", nil), ("W/\"a\"", date), (nil, date), (nil, nil),
        ]
        for (tag, date) in cases {
            let begun = Self.begun(try Self.work(after: Self.completed(tag: tag, date: date)))
            let (_, request) = try #require(Self.request(begun.actions))
            #expect(request.isWhole && request.headers[.range] == nil)
            #expect(request.headers[.ifNoneMatch] == tag && request.headers[.ifModifiedSince] == date)
        }
    }

    @Test("304 leaves the file and completes with its record, so that it can be asked for again")
    func notModified() throws {
        var (machine, actions) = Self.begun(try Self.work())
        let (id, _) = try #require(Self.request(actions))
        actions = machine.handle(.head(id, try Self.facts(304, tag: "\"a\"")), at: .epoch)
        #expect(actions.contains(.disconnect(id)))
        actions = machine.handle(.connectionEnded(id, at: nil, .disconnected), at: .epoch)
        let (outcome, progress) = try #require(Self.outcome(actions))
        #expect(outcome == .completed && progress.note?.code == .upToDate && progress.saved == nil)
        let before = try Self.completed().progress
        #expect(progress.part == before.part && progress.segments == before.segments)
        #expect(progress.validator == before.validator && progress.phase == .publishing)
        #expect(progress.status == 304)
        #expect(!actions.contains { if case .removePart = $0 { true } else { false } })
    }

    @Test("the whole with the same strong tag is the same version, from a server that ignores conditions")
    func sameTag() throws {
        var (machine, actions) = Self.begun(try Self.work())
        let (id, _) = try #require(Self.request(actions))
        actions = machine.handle(.head(id, try Self.facts(200, tag: "\"a\"", length: 6)), at: .epoch)
        actions += machine.handle(.connectionEnded(id, at: nil, .disconnected), at: .epoch)
        #expect(Self.outcome(actions)?.0 == .completed && machine.progress.note?.code == .upToDate)
    }

    @Test("304 for another resource, to which a redirect leads now, proves nothing: the whole is requested")
    func otherResource() throws {
        var (machine, actions) = Self.begun(try Self.work())
        let (id, _) = try #require(Self.request(actions))
        let facts = try Self.facts(304, tag: "\"a\"", from: "http://example.com/other")
        actions = machine.handle(.head(id, facts), at: .epoch)
        let (_, request) = try #require(Self.request(actions))
        #expect(request.unless == nil && request.isWhole)
    }

    @Test("304 that was not asked for is no success")
    func unaskedNotModified() throws {
        var (machine, actions) = Self.begun(try Self.work(after: Self.completed(tag: nil)))
        let (id, _) = try #require(Self.request(actions))
        actions = machine.handle(.head(id, try Self.facts(304, tag: "\"a\"")), at: .epoch)
        actions += machine.handle(.connectionEnded(id, at: nil, .disconnected), at: .epoch)
        guard case .failed = try #require(Self.outcome(actions)).0 else {
            Issue.record("an unasked 304 completed")
            return
        }
    }

    @Test("a digest that is new makes the server send the whole, which is verified")
    func newDigest() throws {
        let digest = Checksum(algorithm: .sha256, digest: [UInt8](repeating: 7, count: 32))
        let (_, actions) = Self.begun(try Self.work(checksum: digest))
        #expect(try #require(Self.request(actions)).1.unless == nil)
    }

    /// Fetches another version, up to the look before its publication.
    private static func fetched(_ policy: ExistingFilePolicy = .fail) throws -> DownloadMachine {
        var (machine, actions) = begun(try work(policy))
        let (id, _) = try #require(request(actions))
        actions = machine.handle(.head(id, try facts(200, tag: "\"b\"", length: 9)), at: .epoch)
        #expect(actions.contains(.createPart(place)))
        #expect(machine.progress.saved != nil)
        for event in [
            DownloadEvent.partReady(partIdentity, isNamed: false), .partNamed, .reserved,
            .connectionEnded(id, at: 9, .complete), .trimmed, .synchronized,
        ] {
            actions = machine.handle(event, at: .epoch)
        }
        #expect(actions == [.survey(place)], "looks at the file once more before it replaces it")
        return machine
    }

    @Test("another version replaces the file, if that is still the saved one")
    func replaces() throws {
        var machine = try Self.fetched()
        let actions = machine.handle(.surveyed(FileSurvey(final: Self.kept, part: nil)), at: .epoch)
        #expect(actions.contains(.publish(Self.place.name, replacing: true)))
        let end = machine.handle(.published(modified: 50), at: .epoch)
        let (outcome, progress) = try #require(Self.outcome(end))
        #expect(outcome == .completed && progress.saved == nil && progress.part?.modified == 50)
    }

    @Test("a file that is gone before the publication is not replaced")
    func gone() throws {
        var machine = try Self.fetched()
        let actions = machine.handle(.surveyed(FileSurvey(final: nil, part: nil)), at: .epoch)
        #expect(actions.contains(.publish(Self.place.name, replacing: false)))
    }

    private static let changes: [FileSurvey.Entry] = {
        var entries = [kept, kept, kept, kept]
        entries[0].modified = 41
        entries[1].length = 7
        entries[2].identity.birth = 4
        entries[3].modified = nil
        return entries
    }()

    @Test(
        "a file that was changed since is never replaced, at the beginning or at the end",
        arguments: changes
    )
    func changed(entry: FileSurvey.Entry) throws {
        let early = Self.begun(try Self.work(), finding: entry).actions
        var machine = try Self.fetched()
        let late = machine.handle(.surveyed(FileSurvey(final: entry, part: nil)), at: .epoch)
        for actions in [early, late] {
            guard case .failed(let problem) = try #require(Self.outcome(actions)).0 else {
                Issue.record("a changed file was not noticed")
                continue
            }
            #expect(
                problem.failure.code == .destinationExists && problem.failure.remedies.contains(.overwrite)
            )
        }
    }

    @Test("a changed file is replaced by an unconditional download if that is asked for", arguments: changes)
    func overwritten(entry: FileSurvey.Entry) throws {
        let (machine, actions) = Self.begun(try Self.work(.overwrite), finding: entry)
        #expect(try #require(Self.request(actions)).1.unless == nil)
        #expect(machine.progress.saved == nil)
        var late = try Self.fetched(.overwrite)
        let end = late.handle(.surveyed(FileSurvey(final: entry, part: nil)), at: .epoch)
        #expect(end.contains(.publish(Self.place.name, replacing: true)))
    }

    @Test("after a crash the part file of the other version is resumed, and the saved file stays until then")
    func resumes() throws {
        let machine = try Self.fetched()
        var progress = machine.progress
        progress.segments = try #require(
            SegmentMap(segments: [Segment(range: 0..<9, written: 4, durable: 4)])
        )
        var next = DownloadMachine(machine.specification, from: progress, boot: Self.boot, at: .epoch)
        _ = next.handle(.begin, at: .epoch)
        let part = FileSurvey.Entry(identity: Self.partIdentity, length: 9, kind: .file)
        var actions = next.handle(.surveyed(FileSurvey(final: Self.kept, part: part)), at: .epoch)
        #expect(actions == [.openPart(Self.place, Self.partIdentity)])
        actions = next.handle(.partReady(Self.partIdentity), at: .epoch)
        let (_, request) = try #require(Self.request(actions))
        #expect(request.from == 4 && request.unless == nil && request.headers[.ifRange] == "\"b\"")
    }
}
