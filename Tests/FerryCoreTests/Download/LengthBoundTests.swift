import FerryTesting
import HTTPTypes
import Testing

@testable import FerryCore

/// A download with a maximum length (`DownloadOptions.maximumLength`).
@Suite("A file that is longer than allowed")
struct LengthBoundTests {
    private static let first = ConnectionID(rawValue: 1)

    private static func specification(_ most: Int64?) throws -> DownloadSpecification {
        var options = DownloadOptions()
        options.maximumLength = most
        return DownloadSpecification(
            url: try HTTPURL(parsing: "http://example.com/f.bin"),
            destination: .file(directory: "/d", name: FileName(unchecked: "f.bin")),
            options: options
        )
    }

    /// A new download that got its first answer, and what follows from that.
    private static func answered(
        most: Int64?,
        length: Int64?,
        _ fields: HTTPFields = [:]
    ) throws -> (machine: DownloadMachine, actions: [DownloadAction]) {
        var machine = DownloadMachine(
            try specification(most),
            from: DownloadProgress(),
            boot: DownloadScenario.boot,
            at: .epoch
        )
        _ = machine.handle(.begin, at: .epoch)
        _ = machine.handle(.surveyed(FileSurvey(final: nil, part: nil)), at: .epoch)
        let answer = ResponseFacts(200, fields, length: length)
        let actions = machine.handle(.head(first, answer), at: .epoch)
        return (machine, actions)
    }

    private func ended(_ actions: [DownloadAction]) -> (AttemptOutcome, DownloadProgress)? {
        for case .finish(let outcome, let progress) in actions { return (outcome, progress) }
        return nil
    }

    private func removes(_ actions: [DownloadAction]) -> Bool {
        actions.contains { if case .removePart = $0 { true } else { false } }
    }

    private func creates(_ actions: [DownloadAction]) -> Bool {
        actions.contains { if case .createPart = $0 { true } else { false } }
    }

    private func expectTooLong(_ actions: [DownloadAction]) throws -> DownloadProgress {
        let (outcome, progress) = try #require(ended(actions))
        guard case .failed(let problem) = outcome else {
            Issue.record("\(outcome)")
            return progress
        }
        #expect(problem.failure.code == .tooLong && problem.disposition == .permanent)
        #expect(problem.failure.withRemedies.remedies == [.allowLongerFile])
        return progress
    }

    @Test(
        "is refused before a file is made, if the server gives the length",
        arguments: [10, 0, -1, Int64.min]
    )
    func known(most: Int64) throws {
        var (machine, actions) = try Self.answered(most: most, length: 11)
        #expect(!creates(actions))
        actions += machine.handle(.connectionEnded(Self.first, at: nil, .disconnected), at: .epoch)
        let progress = try expectTooLong(actions)
        #expect(progress.part == nil && progress.segments.received == 0 && !removes(actions))
    }

    @Test(
        "is not refused if it is just as long as allowed, or of unknown length",
        arguments: [11, 10, nil] as [Int64?]
    )
    func allowed(length: Int64?) throws {
        for most in [11, Int64.max, nil] as [Int64?] {
            let (machine, actions) = try Self.answered(most: most, length: length)
            #expect(creates(actions) && !machine.stage.isStopping)
        }
        #expect(try creates(Self.answered(most: 0, length: 0).actions))
    }

    @Test(
        "is bounded by what is asked for, and not by a limit that nothing reaches",
        arguments: [
            (nil, nil), (Int64.min, 0), (-1, 0), (0, 0), (10, 10),
            (ByteRange.longestResource - 1, ByteRange.longestResource - 1),
            (ByteRange.longestResource, nil), (Int64.max, nil),
        ] as [(Int64?, Int64?)]
    )
    func heeded(asked: Int64?, most: Int64?) {
        var options = DownloadOptions()
        options.maximumLength = asked
        #expect(options.mostLength == most)
    }

    @Test("an encoded body is longer or shorter than the file, so its length says nothing")
    func encoded() throws {
        let gzip: HTTPFields = [.contentEncoding: "gzip"]
        #expect(try creates(Self.answered(most: 10, length: 11, gzip).actions))
    }

    /// The part file has its name, and bytes arrive.
    private static func receiving(_ fields: HTTPFields = [:]) throws -> DownloadMachine {
        var (machine, _) = try answered(most: 10, length: nil, fields)
        _ = machine.handle(.partReady(DownloadScenario.identity, isNamed: false), at: .epoch)
        let actions = machine.handle(.partNamed, at: .epoch)
        #expect(actions.contains(.receive(first, at: 0, limit: nil, comparing: 0)), "\(actions)")
        _ = machine.handle(.advanced([first: 9]), at: .epoch)
        return machine
    }

    @Test(
        "of unknown length ends with its part file removed",
        arguments: [[:], [.contentEncoding: "gzip"]] as [HTTPFields]
    )
    func passed(fields: HTTPFields) throws {
        var machine = try Self.receiving(fields)
        let end = DownloadEvent.ConnectionEnd.failed(.tooLong(most: 10))
        let actions = machine.handle(.connectionEnded(Self.first, at: 10, end), at: .epoch)
        #expect(removes(actions) && ended(actions) == nil)
        guard case .record(let recorded, .power)? = actions.first else {
            Issue.record("the row claims bytes of a file that is about to be removed: \(actions)")
            return
        }
        #expect(recorded.segments.received == 0)
        let progress = try expectTooLong(machine.handle(.partRemoved, at: .epoch))
        #expect(progress.part == nil && progress.segments.received == 0)
    }

    @Test("any other failure keeps the bytes")
    func others() throws {
        var machine = try Self.receiving()
        let end = DownloadEvent.ConnectionEnd.failed(.transient(.connectionLost, "It broke."))
        let failed = machine.handle(.connectionEnded(Self.first, at: 10, end), at: .epoch)
        let actions = failed + machine.handle(.synchronized, at: .epoch)
        let (_, progress) = try #require(ended(actions))
        #expect(!removes(actions) && progress.segments.received == 10 && progress.part != nil)
    }

    @Test("a removal that fails is told as the excess, and claims nothing")
    func removalFails() throws {
        var machine = try Self.receiving()
        let end = DownloadEvent.ConnectionEnd.failed(.tooLong(most: 10))
        _ = machine.handle(.connectionEnded(Self.first, at: 10, end), at: .epoch)
        let fault = DownloadEvent.storageFailed(.remove, .transient(.storageFault, "The disk failed."))
        let progress = try expectTooLong(machine.handle(fault, at: .epoch))
        #expect(progress.segments.received == 0)
    }

    // MARK: Bytes of earlier attempts

    /// An attempt that resumes from the first `received` bytes.
    private static func resumed(
        _ received: Int64,
        of length: Int64?,
        most: Int64
    ) throws -> (machine: DownloadMachine, actions: [DownloadAction]) {
        var progress = DownloadProgress()
        progress.segments = SegmentMap(length: length)
        progress.segments.advance(0, writtenTo: received)
        progress.validator = Validator([.eTag: "\"v1\""], receivedAt: .epoch)
        progress.part = PartFileClaim(
            name: FileName(unchecked: "f.bin.part"),
            identity: DownloadScenario.identity,
            boot: DownloadScenario.boot
        )
        var machine = DownloadMachine(
            try specification(most),
            from: progress,
            boot: DownloadScenario.boot,
            at: .epoch
        )
        _ = machine.handle(.begin, at: .epoch)
        let part = FileSurvey.Entry(identity: DownloadScenario.identity, length: received, kind: .file)
        _ = machine.handle(.surveyed(FileSurvey(final: nil, part: part)), at: .epoch)
        let actions = machine.handle(.partReady(DownloadScenario.identity), at: .epoch)
        return (machine, actions)
    }

    @Test(
        "more bytes than are allowed now are kept, and no more are asked for",
        arguments: [40, nil] as [Int64?]
    )
    func earlier(length: Int64?) throws {
        let (_, actions) = try Self.resumed(20, of: length, most: 10)
        #expect(!actions.contains { if case .connect = $0 { true } else { false } } && !removes(actions))
        let progress = try expectTooLong(actions)
        #expect(progress.segments.received == 20 && progress.part != nil)
    }

    @Test("fewer bytes are kept too, if the version is known to be too long")
    func part() throws {
        var (machine, _) = try Self.resumed(5, of: 40, most: 10)
        let part = ResponseFacts(206, [.contentRange: "bytes 5-39/40"], length: 35)
        var actions = machine.handle(.head(Self.first, part), at: .epoch)
        actions += machine.handle(.connectionEnded(Self.first, at: nil, .disconnected), at: .epoch)
        let progress = try expectTooLong(actions)
        #expect(progress.segments.received == 5 && progress.part != nil && !removes(actions))
    }

    @Test("a whole file from an earlier attempt is not published if it is longer than allowed now")
    func whole() throws {
        let (_, actions) = try Self.resumed(20, of: 20, most: 10)
        let progress = try expectTooLong(actions)
        #expect(progress.segments.received == 20 && progress.part != nil)
        let (_, allowed) = try Self.resumed(20, of: 20, most: 20)
        #expect(allowed.contains(.trim(20)))
    }
}
