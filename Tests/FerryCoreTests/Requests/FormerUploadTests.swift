import FerryCore
import HTTPTypes
import Testing

/// A file that was sent to a URL before is sent again only if the server does not certainly have it.
@Suite("A file that was sent before")
struct FormerUploadTests {
    private static let now = Instant(seconds: 1_800_000_000)
    private static let (early, late) = ("Fri, 15 Jan 2027 07:00:00 GMT", "Fri, 15 Jan 2027 07:00:01 GMT")

    private static let signature =
        "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=c&X-Amz-Date=20270115T070000Z&X-Amz-Expires=60"
        + "&X-Amz-SignedHeaders=host&X-Amz-Signature=1"

    private static func file(length: Int64 = 3, modified: Int64? = 5) -> PinnedFile {
        let entry = FileSurvey.Entry(
            identity: FileIdentity(device: 1, inode: 1),
            length: length,
            kind: .file,
            modified: modified
        )
        return PinnedFile(path: "/a", entry)
    }

    /// An upload that was completed with these fields in the answer.
    private static func completed(_ fields: [(String, String)], _ file: PinnedFile) throws -> RequestWork {
        var work = RequestWork(try put(file))
        work.progress.response = response(fields)
        return work
    }

    private static func put(_ file: PinnedFile) throws -> RequestSpecification {
        var put = try RequestSpecification(
            method: .put,
            url: HTTPURL(parsing: "https://up.example/a"),
            body: StoredBody(file)
        )
        put.replacesUnfinished = true
        return put
    }

    private static func response(_ fields: [(String, String)], _ status: Int = 200) -> StoredResponse {
        StoredResponse(status: status, fields: fields.map { HeaderField(name: $0, value: $1) }, body: [])
    }

    /// The machine of the same upload, which has asked what the server has.
    private static func asking(
        _ specification: RequestSpecification,
        after completed: RequestWork
    ) -> (RequestMachine, [RequestMachine.Action]) {
        var work = RequestWork(specification)
        work.update(completed)
        var machine = RequestMachine(work)
        let actions = machine.handle(.begin, at: now)
        return (machine, actions)
    }

    private typealias Fields = [(String, String)]

    /// What the server said then, what it says now, and why that is no proof; `nil` if it is one.
    private static let answers: [(then: Fields, now: Fields, doubt: FormerUpload.Doubt?)] = [
        ([("ETag", "\"1\"")], [("ETag", "\"1\"")], nil),
        ([("ETag", "\"1\"")], [("ETag", "\"2\"")], .otherVersion),
        ([("ETag", "1")], [("ETag", "\"1\"")], nil),
        ([("ETag", "W/\"1\"")], [("ETag", "W/\"1\"")], .noVersion),
        ([("ETag", "W/\"1\""), ("Date", late)], [("ETag", "W/\"1\""), ("Last-Modified", late)], nil),
        ([("ETag", "\"1\""), ("Date", late)], [("ETag", "\"2\""), ("Last-Modified", early)], .otherVersion),
        ([("Date", late)], [("ETag", "\"1\""), ("Last-Modified", early)], nil),
        ([("Date", late)], [("Last-Modified", late)], nil),
        ([("Date", early)], [("Last-Modified", late)], .otherVersion),
        ([("Date", late)], [("Last-Modified", "Fri, 15 Jan 2027 06:59:01 GMT")], nil),
        // An older file of the same length was put back.
        ([("Date", late)], [("Last-Modified", "Fri, 15 Jan 2027 06:59:00 GMT")], .otherVersion),
        ([("Date", early)], [], .noVersion),
        ([], [("Last-Modified", early)], .noVersion),
        ([("Date", "soon")], [("Last-Modified", early)], .noVersion),
        ([("ETag", "\"1\""), ("Date", late)], [("Last-Modified", early)], .noVersion),
        ([], [], .noVersion),
    ]

    @Test(arguments: answers.indices)
    func onlyAProofCounts(_ index: Int) throws {
        let (then, now, doubt) = Self.answers[index]
        let completed = try Self.completed(then, Self.file())
        let cases: [(String, FormerUpload.Doubt?)] = [("3", doubt), ("4", .otherVersion), ("", .unproved)]
        for (length, doubt) in cases {
            let (asking, actions) = Self.asking(try Self.put(Self.file()), after: completed)
            var machine = asking
            guard case .send(let question)? = actions.first else {
                Issue.record("no question")
                return
            }
            #expect(question.method == .head && question.body.isEmpty)
            let answer = RequestMachine.Answer(Self.response(now + [("Content-Length", length)]))
            let next = machine.handle(.answered(answer), at: Self.now)
            if let doubt {
                guard case .record(let progress)? = next.first else {
                    Issue.record("\(next)")
                    return
                }
                #expect(progress.former == nil && progress.sent == Self.now)
                #expect(progress.note == doubt.note(at: "up.example"))
                continue
            }
            guard case .finish(.completed, let progress)? = next.first else {
                Issue.record("\(next)")
                return
            }
            #expect(progress.note?.code == .upToDate && progress.sent == nil && progress.received == 3)
        }
    }

    @Test(arguments: [401, 403, 404, 405, 410, 412, 500, 501])
    func withoutAnAnswerItIsSent(_ status: Int) throws {
        let completed = try Self.completed([("ETag", "\"1\"")], Self.file())
        var (machine, _) = Self.asking(try Self.put(Self.file()), after: completed)
        let fields = [("ETag", "\"1\""), ("Content-Length", "3")]
        let next = machine.handle(.answered(.init(Self.response(fields, status))), at: Self.now)
        guard case .record(let progress)? = next.first else {
            Issue.record("\(next)")
            return
        }
        let doubt: FormerUpload.Doubt = [404, 410].contains(status) ? .gone : .unproved
        #expect(progress.note == doubt.note(at: "up.example"))
    }

    @Test func aLaterAttemptStillTellsWhyItIsSentAgain() throws {
        let completed = try Self.completed([("ETag", "\"1\"")], Self.file())
        var (machine, _) = Self.asking(try Self.put(Self.file()), after: completed)
        let sending = machine.handle(.answered(.init(Self.response([], 404))), at: Self.now)
        guard case .record(let progress)? = sending.first else {
            Issue.record("\(sending)")
            return
        }
        var later = RequestMachine(RequestWork(try Self.put(Self.file()), progress))
        let repeated = later.handle(.begin, at: Self.now)
        guard case .record(let again)? = repeated.first else {
            Issue.record("\(repeated)")
            return
        }
        #expect(progress.note != nil && again.note == progress.note)
    }

    @Test func theFileIsSentWhenNoAnswerTellsWhatTheServerHas() throws {
        let completed = try Self.completed([("ETag", "\"1\"")], Self.file())
        let lost = Problem.transient(.connectionLost, "The connection broke.")
        for event in [
            RequestMachine.Event.answered(.init(Self.response([], 503))), .failed(lost, hasLeft: true),
        ] {
            var (machine, _) = Self.asking(try Self.put(Self.file()), after: completed)
            guard case .record(let progress)? = machine.handle(event, at: Self.now).first else {
                Issue.record("not sent")
                return
            }
            #expect(progress.former == nil && progress.sent == Self.now)
        }
        var (machine, _) = Self.asking(try Self.put(Self.file()), after: completed)
        #expect(machine.handle(.ask(.release), at: Self.now) == [.disconnect])
        guard case .finish(.released, _)? = machine.handle(.failed(lost, hasLeft: true), at: Self.now).first
        else {
            Issue.record("not released")
            return
        }
    }

    /// The server has neither what was sent nor the version that may be replaced.
    @Test func anotherVersionIsNotReplacedAgainstACondition() throws {
        let completed = try Self.completed([("ETag", "\"1\"")], Self.file())
        for (tag, isSent) in [("\"2\"", false), ("\"3\"", true)] {
            var put = try Self.put(Self.file())
            put.exchange.headers = [HeaderField(name: "If-Match", value: "\"3\"")]
            var (machine, _) = Self.asking(put, after: completed)
            let fields = [("ETag", tag), ("Content-Length", "3")]
            let next = machine.handle(.answered(.init(Self.response(fields))), at: Self.now)
            switch next.first {
            case .record(let progress)?:
                #expect(isSent && progress.note == FormerUpload.Doubt.otherVersion.note(at: "up.example"))
            case .finish(.failed(let problem), let progress)?:
                #expect(!isSent && problem.failure.code == .refused && progress.note == nil)
            default: Issue.record("\(next)")
            }
        }
    }

    @Test func nothingIsAskedWithoutAReason() throws {
        let completed = try Self.completed([("ETag", "\"1\"")], Self.file())
        func isAsked(
            _ file: PinnedFile = Self.file(),
            after former: RequestWork? = nil,
            _ change: (inout RequestSpecification) throws -> Void = { _ in }
        ) throws -> Bool {
            var put = try Self.put(file)
            try change(&put)
            let (_, actions) = Self.asking(put, after: former ?? completed)
            if case .send? = actions.first { return true }
            return false
        }
        #expect(try isAsked())
        #expect(try !isAsked(Self.file(length: 4)))
        #expect(try !isAsked(Self.file(modified: 6)))
        let undated = try Self.completed([("ETag", "\"1\"")], Self.file(modified: nil))
        #expect(try !isAsked(Self.file(modified: nil), after: undated))
        #expect(try !isAsked { $0.sendsAgain = true })
        #expect(try !isAsked { $0.replacesUnfinished = false })
        #expect(try !isAsked { $0.url = try HTTPURL(parsing: "https://up.example/a?" + Self.signature) })
        var failed = completed
        failed.progress.response?.status = 500
        #expect(try !isAsked(after: failed))
    }

    @Test func fieldsThatAreStoredWithItMustBeTold() throws {
        let completed = try Self.completed([("ETag", "\"1\"")], Self.file())
        for (name, value, isThere) in [
            ("Content-Type", "text/plain", true), ("Content-Type", "image/png", false),
            ("x-amz-acl", "private", false), ("If-None-Match", "*", true), ("X-Own", "1", true),
        ] {
            var put = try Self.put(Self.file())
            put.exchange.headers = [HeaderField(name: name, value: value)]
            let (asking, actions) = Self.asking(put, after: completed)
            var machine = asking
            if case .send(let question)? = actions.first {
                #expect(question.exchange.headers.map(\.name) == (name == "X-Own" ? ["X-Own"] : []))
            }
            let fields = [("ETag", "\"1\""), ("Content-Length", "3"), ("content-type", "text/plain")]
            let next = machine.handle(.answered(.init(Self.response(fields))), at: Self.now)
            if case .finish(.completed, _)? = next.first {
                #expect(isThere, "\(name)")
            } else {
                #expect(!isThere, "\(name)")
            }
        }
    }
}
