import HTTPTypes
import Testing

@testable import FerryCore

/// A first answer gives a length of 1000 and breaks off before its first byte. What the second one brings without a length must
/// be that long if it is of the same version (I1).
@Suite("A length that is known before the first byte")
struct LengthOfVersionTests {
    /// An attempt whose file operations succeed at once.
    private struct Attempt {
        private var machine: DownloadMachine
        /// Whether the part file has its name from the beginning.
        private let isNamed: Bool
        private var log: [DownloadAction] = []

        init(
            from progress: DownloadProgress = DownloadProgress(),
            to destination: Destination = .file(directory: "/d", name: .fallback),
            isNamed: Bool = true
        ) throws {
            machine = try DownloadMachine.made(from: progress, to: destination)
            self.isNamed = isNamed
            hand(.begin)
        }

        var progress: DownloadProgress { machine.progress }

        /// The requests, in order.
        var requests: [RangeRequest] {
            log.compactMap { if case .connect(_, let request) = $0 { request } else { nil } }
        }

        /// How it ended, and what it leaves to the next attempt.
        var end: (outcome: AttemptOutcome, progress: DownloadProgress)? {
            for case .finish(let outcome, let progress) in log { return (outcome, progress) }
            return nil
        }

        /// What the store was last told.
        var recorded: DownloadProgress? {
            var last: DownloadProgress?
            for case .record(let progress, _) in log { last = progress }
            return last
        }

        /// The limits of the bodies that were taken.
        var limits: [Int64?] {
            var limits: [Int64?] = []
            for case .receive(_, _, let limit, _) in log { limits.append(limit) }
            return limits
        }

        var isVerified: Bool { log.contains(.trim(LengthOfVersionTests.length)) }

        mutating func hand(_ event: DownloadEvent) {
            var events = [event]
            while !events.isEmpty {
                let actions = machine.handle(events.removeFirst(), at: .epoch)
                log += actions
                events += actions.compactMap { reply(to: $0) }
            }
        }

        private func reply(to action: DownloadAction) -> DownloadEvent? {
            switch action {
            case .survey:
                let entry = FileSurvey.Entry(identity: DownloadScenario.identity, length: 0, kind: .file)
                return .surveyed(FileSurvey(final: nil, part: progress.part == nil ? nil : entry))
            case .openPart, .createPart, .replacePart:
                return .partReady(DownloadScenario.identity, isNamed: isNamed)
            case .namePart: return .partNamed
            case .reserve: return .reserved
            case .synchronize: return .synchronized
            case .disconnect(let id): return .connectionEnded(id, at: nil, .disconnected)
            default: return nil
            }
        }

        mutating func answers(_ answer: Answer) throws {
            hand(.head(LengthOfVersionTests.first, try answer.facts()))
        }

        /// The body comes to its end at this offset.
        mutating func ends(at offset: Int64) {
            hand(.connectionEnded(LengthOfVersionTests.first, at: offset, .complete))
        }

        /// The connection breaks before the first byte.
        mutating func breaks() {
            let broken = Problem.transient(.connectionLost, "It broke.")
            hand(.connectionEnded(LengthOfVersionTests.first, at: 0, .failed(broken)))
        }
    }

    /// The head of a whole.
    private struct Answer: CustomStringConvertible, Sendable {
        var fields: HTTPFields
        var length: Int64?
        var url = "http://example.com/f"

        func facts() throws -> ResponseFacts {
            let head = ResponseHead(status: 200, headers: fields, bodyLength: length)
            return ResponseFacts(head, from: try HTTPURL(parsing: url), at: .epoch)
        }

        var description: String {
            let shown = fields.map { "\($0.name): \($0.value)" }.joined(separator: ", ")
            let lengthText = length.map { "\($0) bytes" } ?? "no length"
            return "\(url) with \(lengthText) (\(shown))"
        }
    }

    /// Two answers, and whether the second must have the length of the first.
    private struct Row: CustomStringConvertible, Sendable {
        var before: HTTPFields = [.eTag: "\"a\""]
        var after: HTTPFields
        var url = "http://example.com/f"
        var isHeld: Bool

        var first: Answer { Answer(fields: before, length: LengthOfVersionTests.length) }
        var second: Answer { Answer(fields: after, length: nil, url: url) }
        var description: String { "\(first), then \(second)" }
    }

    private static let first = ConnectionID(rawValue: 1)
    private static let length: Int64 = 1000
    private static let monday = "Mon, 13 Nov 2023 10:00:00 GMT"
    private static let tuesday = "Tue, 14 Nov 2023 10:00:00 GMT"
    private static let same = Answer(fields: [.eTag: "\"a\""], length: nil)

    private static let rows: [Row] = [
        Row(after: [.eTag: "\"a\"", .transferEncoding: "chunked"], isHeld: true),
        Row(after: [.eTag: "\"a\""], isHeld: true),
        Row(after: [.eTag: "\"a\"", .lastModified: monday], isHeld: true),
        // Another version may have another length.
        Row(after: [.eTag: "\"b\""], isHeld: false),
        Row(after: [.eTag: "\"a\""], url: "http://example.com/g", isHeld: false),
        Row(
            before: [.eTag: "\"a\"", .lastModified: monday],
            after: [.eTag: "\"a\"", .lastModified: tuesday],
            isHeld: false
        ),
        // Nothing proves the version.
        Row(after: [:], isHeld: false),
        Row(after: [.eTag: "W/\"a\""], isHeld: false),
        Row(before: [.eTag: "W/\"a\""], after: [.eTag: "W/\"a\""], isHeld: false),
        Row(before: [.lastModified: monday], after: [.lastModified: monday], isHeld: false),
        // The length of an encoded body is not the file's.
        Row(after: [.eTag: "\"a\"", .contentEncoding: "gzip"], isHeld: false),
        Row(before: [.eTag: "\"a\"", .contentEncoding: "gzip"], after: [.eTag: "\"a\""], isHeld: false),
        Row(
            before: [.eTag: "\"a\"", .contentEncoding: "gzip"],
            after: [.eTag: "\"a\"", .contentEncoding: "gzip"],
            isHeld: false
        ),
        // Unless the archive is the file.
        Row(
            before: [.eTag: "\"a\"", .contentEncoding: "gzip", .contentType: "application/gzip"],
            after: [.eTag: "\"a\"", .contentEncoding: "gzip", .contentType: "application/gzip"],
            isHeld: true
        ),
    ]

    /// What an attempt leaves whose answer breaks off before its first byte.
    private static func progress(
        after answer: Answer = Answer(fields: [.eTag: "\"a\""], length: Self.length),
        isNamed: Bool = true
    ) throws -> DownloadProgress {
        var attempt = try Attempt(isNamed: isNamed)
        try attempt.answers(answer)
        attempt.breaks()
        return try #require(attempt.end).progress
    }

    @Test(arguments: [true, false])
    func holdsForAnAnswerOfTheSameVersion(isNamed: Bool) throws {
        for row in Self.rows {
            var attempt = try Attempt(
                from: try Self.progress(after: row.first, isNamed: isNamed),
                isNamed: isNamed
            )
            try attempt.answers(row.second)
            #expect(attempt.requests == [.whole], "\(row)")
            let held: Int64? = row.isHeld ? Self.length : nil
            #expect(attempt.progress.segments.length == held && attempt.limits == [held], "\(row)")
        }
    }

    @Test(arguments: [true, false])
    func aBodyThatEndsBeforeItWasCut(isNamed: Bool) throws {
        var attempt = try Attempt(from: try Self.progress(isNamed: isNamed), isNamed: isNamed)
        try attempt.answers(Self.same)
        attempt.ends(at: 500)
        let (outcome, progress) = try #require(attempt.end)
        guard case .failed(let problem) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(problem.failure.code == .connectionLost && problem.disposition == .transient(retryAfter: nil))
        #expect(progress.segments.received == 500 && progress.segments.length == Self.length)
        #expect(!attempt.isVerified)
    }

    @Test func aBodyOfThatLengthIsWhole() throws {
        var attempt = try Attempt(from: try Self.progress())
        try attempt.answers(Self.same)
        attempt.ends(at: Self.length)
        #expect(attempt.isVerified)
    }

    @Test func holdsAfterAProcessThatWasKilledBeforeTheFirstByte() throws {
        var killed = try Attempt()
        try killed.answers(Answer(fields: [.eTag: "\"a\""], length: Self.length))
        var next = try Attempt(from: try #require(killed.recorded))
        try next.answers(Self.same)
        #expect(next.requests == [.whole] && next.limits == [Self.length])
    }

    @Test func holdsHoweverOftenNoByteArrives() throws {
        var progress = try Self.progress(isNamed: false)
        for _ in 0..<3 {
            var attempt = try Attempt(from: progress, isNamed: false)
            try attempt.answers(Self.same)
            #expect(attempt.progress.segments.length == Self.length)
            attempt.breaks()
            progress = try #require(attempt.end).progress
        }
        #expect(progress.segments.length == Self.length && progress.part == nil)
    }

    @Test func holdsIfThePartFileIsGone() throws {
        var progress = try Self.progress()
        progress.segments.advance(0, writtenTo: 400)
        let identity = FileIdentity(device: 1, inode: 9)
        progress.part = PartFileClaim(
            name: FileName.fallback.partName,
            identity: identity,
            boot: DownloadScenario.boot
        )
        var machine = try DownloadMachine.begun(from: progress)
        let asked = machine.handle(.surveyed(FileSurvey(final: nil, part: nil)), at: .epoch)
        #expect(asked.last == .connect(Self.first, .whole))
        #expect(machine.progress.segments == SegmentMap(length: Self.length))
    }

    @Test func holdsForAStream() throws {
        var first = try Attempt(to: .standardOutput)
        try first.answers(Answer(fields: [.eTag: "\"a\""], length: Self.length))
        first.breaks()
        var next = try Attempt(from: try #require(first.end).progress, to: .standardOutput)
        try next.answers(Self.same)
        #expect(next.requests == [.whole] && next.limits == [Self.length])
    }

    /// A later length is one that its body is framed by.
    @Test func anotherLengthIsTakenFromAnAnswerThatGivesOne() throws {
        var attempt = try Attempt(from: try Self.progress())
        try attempt.answers(Answer(fields: [.eTag: "\"a\""], length: 600))
        #expect(attempt.progress.segments.length == 600)
    }
}
