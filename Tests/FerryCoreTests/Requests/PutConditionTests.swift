import FerryCore
import HTTPTypes
import Testing

/// Some servers ignore the conditions of a `PUT`, so they are asked before the file is sent.
@Suite("Uploads with a condition")
struct PutConditionTests {
    private static let now = Instant(seconds: 1_800_000_000)
    private static let lost = Problem.transient(.connectionLost, "The connection broke.")
    private static let (match, noneMatch) = ("If-Match", "If-None-Match")

    private static func put(
        _ conditions: [(name: String, value: String)],
        _ url: String = "https://up.example/a"
    ) throws -> RequestSpecification {
        var put = try RequestSpecification(
            method: .put,
            url: HTTPURL(parsing: url),
            body: StoredBody([1, 2, 3])
        )
        put.exchange.headers = conditions.map { HeaderField(name: $0.name, value: $0.value) }
        put.replacesUnfinished = true
        return put
    }

    private static func answer(_ status: Int, tag: String? = nil) -> RequestMachine.Answer {
        let fields = tag.map { [HeaderField(name: "etag", value: $0)] } ?? []
        return RequestMachine.Answer(StoredResponse(status: status, fields: fields, body: []))
    }

    /// The machine of an upload that has asked the server.
    private static func asking(
        _ put: RequestSpecification,
        sent: Instant? = nil,
        isRenewable: Bool = false
    ) throws -> RequestMachine {
        var work = RequestWork(put)
        work.progress.sent = sent
        #expect(!work.isRecordedByClaims, "a claim would record that it is sent")
        var machine = RequestMachine(work, isRenewable: isRenewable)
        var actions = machine.handle(.begin, at: now)
        if isRenewable {
            guard case .authorise(_, isRefused: false)? = actions.first else {
                Issue.record("not authorised: \(actions)")
                return machine
            }
            actions = machine.handle(.authorised(nil), at: now)
        }
        guard case .send(let question)? = actions.first else {
            Issue.record("not asked: \(actions)")
            return machine
        }
        #expect(question.method == .head && question.body.isEmpty && question.exchange.headers.isEmpty)
        return machine
    }

    /// The problem of an attempt that has ended; `nil` if the upload goes on.
    private static func problem(_ actions: [RequestMachine.Action]) -> Problem? {
        if case .finish(.failed(let problem), _)? = actions.last { problem } else { nil }
    }

    /// What the upload asks for, what the server answers to `HEAD`, and what the message says; `nil` if the file is sent.
    private static let answers: [(name: String, value: String, status: Int, tag: String?, says: String?)] = [
        (noneMatch, "*", 404, nil, nil),
        (noneMatch, "*", 410, nil, nil),
        (noneMatch, "*", 200, nil, "already has something"),
        (noneMatch, " * ", 204, "\"1\"", "already has something"),
        (noneMatch, "\"1\"", 200, "\"1\"", "already has something"),
        (noneMatch, "\"1\"", 200, "\"2\"", nil),
        (match, "\"1\"", 200, "\"1\"", nil),
        (match, "\"1\"", 200, "W/\"1\"", nil),
        (match, "\"1\"", 200, "1", nil),
        (match, "\"1\"", 200, "\"2\"", "has another version"),
        (match, "\"1\"", 200, nil, "tells no version"),
        (match, "\"1\"", 404, nil, "has nothing"),
        (match, "\"1\", W/\"a,b\"", 200, "\"a,b\"", nil),
        (match, "\"1\", W/\"a,b\"", 200, "\"a\"", "has another version"),
        (match, "1", 200, "\"1\"", nil),
        (match, "*", 200, nil, nil),
        (match, "*", 410, nil, "has nothing"),
        (match, "\"1\"", 403, "\"2\"", nil),
        (match, "\"1\"", 405, nil, nil),
        (noneMatch, "*", 501, nil, nil),
    ]

    @Test("nothing is sent if the server shows that the condition is false", arguments: answers.indices)
    func aFalseConditionKeepsTheFileHere(_ index: Int) throws {
        let (name, value, status, tag, says) = Self.answers[index]
        let put = try Self.put([(name, value)])
        var machine = try Self.asking(put)
        let actions = machine.handle(.answered(Self.answer(status, tag: tag)), at: Self.now)
        guard let says else {
            guard case .record(let progress)? = actions.first else {
                Issue.record("not sent: \(actions)")
                return
            }
            #expect(progress.sent == Self.now)
            // The condition goes along, because another client may come between.
            let sending = machine.handle(.recorded, at: Self.now)
            #expect(sending == [.send(put)])
            return
        }
        let problem = try #require(Self.problem(actions))
        #expect(problem.failure.message.contains(says), "\(problem.failure.message)")
        #expect(problem.failure.message.contains("nothing was sent"))
        #expect(problem.failure.code == .refused && problem.disposition == .permanent)
    }

    @Test("one false condition of several is enough")
    func several() throws {
        var machine = try Self.asking(Self.put([(Self.noneMatch, "\"9\""), (Self.match, "\"1\"")]))
        let actions = machine.handle(.answered(Self.answer(200, tag: "\"2\"")), at: Self.now)
        #expect(Self.problem(actions)?.failure.code == .refused)
    }

    @Test("a server that cannot answer now is asked again later", arguments: [408, 429, 500, 503, 507])
    func later(_ status: Int) throws {
        var machine = try Self.asking(Self.put([(Self.noneMatch, "*")]))
        let actions = machine.handle(.answered(Self.answer(status)), at: Self.now)
        let problem = try #require(Self.problem(actions))
        #expect(problem.disposition != .permanent, "\(problem)")
    }

    @Test("without any answer nothing is sent")
    func nothingIsSentWithoutAnAnswer() throws {
        var machine = try Self.asking(Self.put([(Self.match, "\"1\"")]))
        let actions = machine.handle(.failed(Self.lost, hasLeft: true), at: Self.now)
        #expect(Self.problem(actions) == Self.lost)
    }

    @Test("refused credentials are renewed before the server is asked again")
    func renewed() throws {
        var machine = try Self.asking(Self.put([(Self.noneMatch, "*")]), isRenewable: true)
        var refusal = Self.answer(401)
        refusal.refusesCredentials = true
        let renewing = machine.handle(.answered(refusal), at: Self.now)
        let asking = machine.handle(.authorised(nil), at: Self.now)
        guard case .authorise(_, isRefused: true)? = renewing.first,
            case .send(let question)? = asking.first
        else {
            Issue.record("not asked again")
            return
        }
        #expect(question.method == .head)
        let actions = machine.handle(.answered(Self.answer(200)), at: Self.now)
        #expect(Self.problem(actions)?.failure.code == .refused)
        var other = try Self.asking(Self.put([(Self.noneMatch, "*")]))
        let end = other.handle(.answered(Self.answer(401)), at: Self.now)
        #expect(Self.problem(end)?.failure.code == .notAuthorised)
    }

    @Test("what an earlier attempt may have sent itself is told")
    func doubtful() throws {
        var machine = try Self.asking(Self.put([(Self.noneMatch, "*")]), sent: Self.now)
        let actions = machine.handle(.answered(Self.answer(200)), at: Self.now)
        let problem = try #require(Self.problem(actions))
        #expect(problem.failure.message.contains("It may be this body"), "\(problem.failure.message)")
    }

    @Test("an answer that something was replaced puts the condition in doubt", arguments: [200, 201, 204])
    func replaced(_ status: Int) throws {
        for (name, value) in [(Self.noneMatch, "*"), (Self.match, "*")] {
            var machine = try Self.asking(Self.put([(name, value)]))
            _ = machine.handle(.answered(Self.answer(405)), at: Self.now)
            _ = machine.handle(.recorded, at: Self.now)
            let actions = machine.handle(.answered(Self.answer(status)), at: Self.now)
            guard case .finish(.completed, let progress)? = actions.last else {
                Issue.record("\(actions)")
                continue
            }
            let isDoubtful = name == Self.noneMatch && status != 201
            #expect(progress.note?.code == (isDoubtful ? .conditionInDoubt : nil))
        }
    }

    @Test("a request that is no upload, or whose signature is for PUT only, is not asked about")
    func unasked() throws {
        var plain = try Self.put([(Self.noneMatch, "*")])
        plain.replacesUnfinished = false
        let signature =
            "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=c&X-Amz-Date=20270115T070000Z&X-Amz-Expires=60"
            + "&X-Amz-SignedHeaders=host&X-Amz-Signature=1"
        let signed = try Self.put([(Self.noneMatch, "*")], "https://up.example/a?" + signature)
        for put in [plain, signed, try Self.put([]), try Self.put([("If-Modified-Since", "x")])] {
            var machine = RequestMachine(RequestWork(put))
            guard case .record? = machine.handle(.begin, at: Self.now).first else {
                Issue.record("\(put) is asked about")
                continue
            }
        }
    }
}
