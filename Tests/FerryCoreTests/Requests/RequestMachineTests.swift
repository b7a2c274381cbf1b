import FerryCore
import FerryTesting
import HTTPTypes
import Testing

@Suite("One attempt at a request")
struct RequestMachineTests {
    private typealias Machine = RequestMachine
    private static let now = Instant(seconds: 1_800_000_000)
    private static let lost = Problem.transient(.connectionLost, "The connection broke.")

    private static func unknown() throws -> Problem {
        Problem(.outcomeUnknown(at: try HTTPURL(parsing: "https://api.example/orders")), .permanent)
    }

    private static func specification(
        _ method: HTTPRequest.Method = .post,
        key: Bool = false
    ) throws -> RequestSpecification {
        try RequestSpecification(
            method: method,
            url: HTTPURL(parsing: "https://api.example/orders"),
            body: StoredBody(method == .post ? [1, 2, 3] : []),
            key: key ? IdempotencyKey(value: "\"1\"") : nil
        )
    }

    /// A machine whose request is on its way.
    private static func sending(_ specification: RequestSpecification) -> Machine {
        var machine = Machine(RequestWork(specification))
        _ = machine.handle(.begin, at: now)
        _ = machine.handle(.recorded, at: now)
        return machine
    }

    private static func outcome(_ actions: [Machine.Action]) -> AttemptOutcome? {
        if case .finish(let outcome, _)? = actions.last { outcome } else { nil }
    }

    private static func progress(_ actions: [Machine.Action]) -> RequestProgress? {
        if case .finish(_, let progress)? = actions.last { progress } else { nil }
    }

    private static func answer(_ status: Int) -> Machine.Event {
        .answered(Machine.Answer(StoredResponse(status: status, fields: [], body: [7])))
    }

    @Test func thatItIsSentIsRecordedBeforeItIsSent() throws {
        var machine = Machine(RequestWork(try Self.specification()))
        var sent = RequestProgress()
        (sent.sent, sent.bodyLength) = (Self.now, 3)
        #expect(machine.handle(.begin, at: Self.now) == [.record(sent)])
        #expect(machine.handle(.recorded, at: Self.now) == [.send(try Self.specification())])
    }

    /// Every attempt sends the same message, and none without all values.
    @Test func itIsSentWithItsValuesOrNotAtAll() throws {
        let source = try #require(TransferUUID(bytes: Array(1...16)))
        var request = try Self.specification(key: true)
        request.url = try HTTPURL(parsing: "https://api.example/orders/{id}")
        try request.insert("id", from: source, at: "/id")
        var progress = RequestProgress()
        progress.values = ["id": .json("7")]
        for sent in [nil, Self.now] {
            progress.sent = sent
            var machine = Machine(RequestWork(request, progress))
            var recorded = progress
            (recorded.sent, recorded.bodyLength) = (Self.now, 3)
            #expect(machine.handle(.begin, at: Self.now) == [.record(recorded)])
            guard case .send(let message)? = machine.handle(.recorded, at: Self.now).first else {
                Issue.record("it is not sent")
                continue
            }
            #expect(message.url.path == "/orders/7" && message.key == request.key)
            let end = machine.handle(.failed(Self.lost, hasLeft: true), at: Self.now)
            #expect(Self.progress(end)?.values == progress.values)
        }
        progress.values = ["id": .missing("It is not there.")]
        progress.sent = nil
        var machine = Machine(RequestWork(request, progress))
        let failure = Problem(TransferFailure(.valueMissing, "It is not there."), .permanent)
        #expect(machine.handle(.begin, at: Self.now) == [.finish(.failed(failure), progress)])
    }

    /// The bytes of an upload are noted while it runs, and the next attempt begins with none.
    @Test func anUploadIsNotedWhileItRuns() throws {
        let identity = FileIdentity(device: 1, inode: 1)
        let entry = FileSurvey.Entry(identity: identity, length: 9, kind: .file)
        var request = try Self.specification(.put)
        try request.carry(StoredBody(PinnedFile(path: "/a", entry)))
        for (isLost, sent) in [(true, Int64(0)), (false, 9)] {
            var machine = Self.sending(request)
            guard case .note(let noted)? = machine.handle(.left(5), at: Self.now).first else {
                Issue.record("nothing is noted")
                continue
            }
            #expect(noted.received == 5 && noted.total == 9 && noted.sent != nil)
            #expect(machine.handle(.left(5), at: Self.now).isEmpty)
            let event = isLost ? Machine.Event.failed(Self.lost, hasLeft: true) : Self.answer(201)
            #expect(Self.progress(machine.handle(event, at: Self.now))?.upload?.sent == sent)
        }
        var small = Self.sending(try Self.specification())
        #expect(small.handle(.left(3), at: Self.now).isEmpty)
    }

    // MARK: Refused credentials

    private static let fresh = Credentials.bearer(token: "new")

    private static func renewable(_ specification: RequestSpecification, sent: Instant? = nil) -> Machine {
        var progress = RequestProgress()
        progress.sent = sent
        return Machine(RequestWork(specification, progress), isRenewable: true)
    }

    private static func refusal() -> Machine.Event {
        var answer = Machine.Answer(StoredResponse(status: 401, fields: [], body: []))
        answer.refusesCredentials = true
        return .answered(answer)
    }

    /// A 401 denies any effect, so it is sent again whatever its method is, and the row says meanwhile that it was not sent.
    @Test(arguments: [true, false])
    func refusedCredentialsAreReplacedInTheSameAttempt(isRepeatable: Bool) throws {
        var given = try Self.specification(key: isRepeatable)
        given.exchange.headers = [
            .init(name: "authorization", value: "Bearer old"), .init(name: "X-A", value: "1"),
        ]
        var machine = Self.renewable(given)
        #expect(machine.handle(.begin, at: Self.now) == [.authorise(given, isRefused: false)])
        _ = machine.handle(.authorised(nil), at: Self.now)
        #expect(machine.handle(.recorded, at: Self.now) == [.send(given)])
        let refused = machine.handle(Self.refusal(), at: Self.now)
        guard refused.count == 2, case .note(let noted) = refused[0] else {
            Issue.record("\(refused)")
            return
        }
        #expect(noted.sent == nil && refused[1] == .authorise(given, isRefused: true))
        let again = machine.handle(.authorised(Self.fresh), at: Self.now.advanced(by: .seconds(1)))
        guard case .record(let recorded)? = again.first else {
            Issue.record("\(again)")
            return
        }
        #expect(recorded.sent == Self.now.advanced(by: .seconds(1)))
        var renewed = given
        renewed.exchange.headers = [.init(name: "X-A", value: "1")]
        renewed.exchange.credentials = Self.fresh
        #expect(machine.handle(.recorded, at: Self.now.advanced(by: .seconds(1))) == [.send(renewed)])
        let end = machine.handle(Self.refusal(), at: Self.now.advanced(by: .seconds(2)))
        guard case .failed(let problem)? = Self.outcome(end) else {
            Issue.record("\(end)")
            return
        }
        #expect(problem.failure.code == .notAuthorised && problem.disposition == .permanent, "only once")
        #expect(Self.progress(end)?.sent == nil)
    }

    @Test func credentialsThatAreKnownToBeRefusedAreReplacedBeforeItIsSent() throws {
        var machine = Self.renewable(try Self.specification())
        _ = machine.handle(.begin, at: Self.now)
        _ = machine.handle(.authorised(Self.fresh), at: Self.now)
        guard case .send(let message)? = machine.handle(.recorded, at: Self.now).first else {
            Issue.record("it is not sent")
            return
        }
        #expect(message.exchange.credentials == Self.fresh)
    }

    @Test(arguments: [true, false])
    func withoutFreshCredentialsItEndsUnsent(wasRefused: Bool) throws {
        for sent in [nil, Self.now] {
            var machine = Self.renewable(try Self.specification(key: true), sent: sent)
            _ = machine.handle(.begin, at: Self.now)
            if wasRefused {
                _ = machine.handle(.authorised(nil), at: Self.now)
                _ = machine.handle(.recorded, at: Self.now)
                _ = machine.handle(Self.refusal(), at: Self.now)
            }
            let end = machine.handle(.unauthorised(Self.lost), at: Self.now)
            #expect(Self.outcome(end) == .failed(Self.lost) && Self.progress(end)?.sent == sent)
        }
    }

    @Test func withoutAnyOtherCredentialsARefusalEndsItAsBefore() throws {
        var machine = Self.renewable(try Self.specification())
        _ = machine.handle(.begin, at: Self.now)
        _ = machine.handle(.authorised(nil), at: Self.now)
        _ = machine.handle(.recorded, at: Self.now)
        _ = machine.handle(Self.refusal(), at: Self.now)
        var other = Self.sending(try Self.specification())
        let end = machine.handle(.unauthorised(nil), at: Self.now)
        #expect(Self.outcome(end) == Self.outcome(other.handle(Self.refusal(), at: Self.now)))
    }

    @Test(arguments: [StopOrder.release, .cancel(keepingPart: false)], [true, false])
    func aWaitForCredentialsEndsAtOnce(_ ending: StopOrder, isSent: Bool) throws {
        var machine = Self.renewable(try Self.specification())
        _ = machine.handle(.begin, at: Self.now)
        if isSent {
            _ = machine.handle(.authorised(nil), at: Self.now)
            _ = machine.handle(.recorded, at: Self.now)
            // It was asked to end while it was on its way, or while it waited.
            if ending == .release {
                _ = machine.handle(.ask(ending), at: Self.now)
                let end = machine.handle(Self.refusal(), at: Self.now)
                #expect(Self.outcome(end) == AttemptOutcome(ending) && Self.progress(end)?.sent == nil)
                return
            }
            _ = machine.handle(Self.refusal(), at: Self.now)
        }
        let end = machine.handle(.ask(ending), at: Self.now)
        #expect(Self.outcome(end) == AttemptOutcome(ending) && Self.progress(end)?.sent == nil)
        #expect(machine.handle(.authorised(Self.fresh), at: Self.now).isEmpty)
    }

    @Test func a401ThatCountsAsASuccessIsOne() throws {
        var request = try Self.specification()
        request.acceptedStatuses = [401]
        var machine = Self.renewable(request)
        _ = machine.handle(.begin, at: Self.now)
        _ = machine.handle(.authorised(nil), at: Self.now)
        _ = machine.handle(.recorded, at: Self.now)
        #expect(Self.outcome(machine.handle(Self.refusal(), at: Self.now)) == .completed)
    }

    @Test(arguments: [StopOrder.release, .cancel(keepingPart: false)])
    func whatIsAskedForBeforeItIsSentEndsItUnsent(_ ending: StopOrder) throws {
        var machine = Machine(RequestWork(try Self.specification()))
        _ = machine.handle(.begin, at: Self.now)
        #expect(machine.handle(.ask(ending), at: Self.now).isEmpty)
        let end = machine.handle(.recorded, at: Self.now)
        #expect(Self.outcome(end) == AttemptOutcome(ending) && Self.progress(end)?.sent == nil)
    }

    @Test func oneThatMayHaveArrivedIsNotSentAgain() throws {
        var progress = RequestProgress()
        progress.sent = Self.now
        var machine = Machine(RequestWork(try Self.specification(), progress))
        #expect(try Self.outcome(machine.handle(.begin, at: Self.now)) == .failed(Self.unknown()))
        for repeatable in [try Self.specification(key: true), try Self.specification(.put)] {
            var machine = Machine(RequestWork(repeatable, progress))
            #expect(machine.handle(.begin, at: Self.now).count == 1)
            #expect(machine.handle(.recorded, at: Self.now) == [.send(repeatable)])
        }
    }

    /// What is lost behind the first byte is sent again only where that may be done (I8).
    @Test(arguments: [true, false], [true, false])
    func aLostConnectionIsJudgedByWhatMayHaveLeft(isRepeatable: Bool, hasLeft: Bool) throws {
        var machine = Self.sending(try Self.specification(key: isRepeatable))
        let end = machine.handle(.failed(Self.lost, hasLeft: hasLeft), at: Self.now)
        let isUnknown = hasLeft && !isRepeatable
        #expect(try Self.outcome(end) == .failed(isUnknown ? Self.unknown() : Self.lost))
        #expect((Self.progress(end)?.sent != nil) == hasLeft)
    }

    @Test func aStopWaitsForTheAnswerOfWhatMayNotBeRepeated() throws {
        var machine = Self.sending(try Self.specification())
        #expect(machine.handle(.ask(.release), at: Self.now).isEmpty)
        #expect(Self.outcome(machine.handle(Self.answer(201), at: Self.now)) == .completed)
        var repeatable = Self.sending(try Self.specification(key: true))
        #expect(repeatable.handle(.ask(.release), at: Self.now) == [.disconnect])
        let end = repeatable.handle(.failed(Self.lost, hasLeft: true), at: Self.now)
        #expect(Self.outcome(end) == .released)
    }

    @Test func aCancellationCutsItWhateverItIs() throws {
        for specification in [try Self.specification(), try Self.specification(key: true)] {
            var machine = Self.sending(specification)
            #expect(machine.handle(.ask(.cancel(keepingPart: false)), at: Self.now) == [.disconnect])
            let end = machine.handle(.failed(Self.lost, hasLeft: true), at: Self.now)
            #expect(Self.outcome(end) == .cancelled)
        }
    }

    /// What a server refused had no effect. When it is sent anew and nothing leaves, nothing is unknown.
    @Test(arguments: [404, 422, 429, 503])
    func whatAServerHasNotActedOnIsInNoDoubt(status: Int) throws {
        let specification = try Self.specification()
        var machine = Self.sending(specification)
        let refused = try #require(Self.progress(machine.handle(Self.answer(status), at: Self.now)))
        #expect(refused.sent == nil && refused.response?.status == status)
        var again = Machine(RequestWork(specification, refused))
        _ = again.handle(.begin, at: Self.now)
        _ = again.handle(.recorded, at: Self.now)
        let end = again.handle(.failed(Self.lost, hasLeft: false), at: Self.now)
        let left = try #require(Self.progress(end))
        #expect(!RequestWork(specification, left).outcomeIsUnknown)
    }

    /// A later answer says nothing of an attempt before it. Without its key, the request is not sent again.
    @Test(arguments: [(503, false), (503, true), (404, false), (404, true), (409, false), (500, false)])
    func anAnswerEndsNoDoubtOfAnEarlierAttempt(status: Int, isRewritten: Bool) throws {
        var lost = Self.sending(try Self.specification(key: true))
        let doubt = Self.progress(lost.handle(.failed(Self.lost, hasLeft: true), at: Self.now))
        var again = Machine(RequestWork(try Self.specification(key: true), try #require(doubt)))
        _ = again.handle(.begin, at: Self.now)
        _ = again.handle(.recorded, at: Self.now)
        let response = StoredResponse(status: status, fields: [], body: [])
        let end = again.handle(
            .answered(Machine.Answer(response, isRewritten: isRewritten)),
            at: Self.now
        )
        let left = try #require(Self.progress(end))
        var bare = Machine(RequestWork(try Self.specification(), left))
        #expect(try Self.outcome(bare.handle(.begin, at: Self.now)) == .failed(Self.unknown()))
    }

    @Test func theAnswerIsKeptHoweverItIsJudged() throws {
        for status in [200, 404, 503, 500] {
            var machine = Self.sending(try Self.specification())
            let end = machine.handle(Self.answer(status), at: Self.now)
            #expect(Self.progress(end)?.response?.status == status)
        }
    }

    /// The status of an answer whose body was cut off is kept, and decides unless it is a success.
    @Test(arguments: [(200, false), (200, true), (404, false), (503, false), (500, false), (500, true)])
    func anAnswerThatWasCutOffKeepsItsStatus(status: Int, isRepeatable: Bool) throws {
        var answer = Machine.Answer(
            StoredResponse(status: status, fields: [], body: [], isTruncated: true)
        )
        answer.loss = Self.lost
        var machine = Self.sending(try Self.specification(key: isRepeatable))
        let end = machine.handle(.answered(answer), at: Self.now)
        #expect(Self.progress(end)?.response == answer.response)
        guard case .failed(let problem)? = Self.outcome(end) else {
            Issue.record("\(end)")
            return
        }
        let expected: TransferFailure.Code =
            switch (status, isRepeatable) {
            case (200, true): .connectionLost
            case (404, _): .notFound
            case (503, _): .serverOverloaded
            case (500, true): .serverError
            default: .outcomeUnknown
            }
        #expect(problem.failure.code == expected)
        #expect(expected != .outcomeUnknown || problem.failure.message.contains("with \(status)"))
        #expect((Self.progress(end)?.sent == nil) == [404, 503].contains(status))
    }

    @Test func anAnswerThatAStopCutsOffIsNoFailure() throws {
        var answer = Machine.Answer(
            StoredResponse(status: 200, fields: [], body: [], isTruncated: true)
        )
        answer.loss = Self.lost
        for key in [true, false] {
            var machine = Self.sending(try Self.specification(key: key))
            _ = machine.handle(.ask(.cancel(keepingPart: false)), at: Self.now)
            #expect(Self.outcome(machine.handle(.answered(answer), at: Self.now)) == .cancelled)
        }
        var machine = Self.sending(try Self.specification(key: true))
        _ = machine.handle(.ask(.release), at: Self.now)
        #expect(Self.outcome(machine.handle(.answered(answer), at: Self.now)) == .released)
    }

    /// The whole table: each status, with and without leave to repeat.
    @Test func everyStatusIsJudgedAsTheTableSays() {
        for status in 100...999 {
            for (isRepeatable, mayBeInProgress) in [(false, false), (true, false), (true, true)] {
                let expected: RequestVerdict =
                    switch status {
                    case 200...299: .success
                    case 408, 425, 429, 503, 507: .tryAgain
                    case 501, 505, 511: .refused
                    case 500...599: isRepeatable ? .tryAgain : .unknown
                    case 409: mayBeInProgress ? .tryAgain : .refused
                    default: .refused
                    }
                let verdict = RequestVerdict(
                    status,
                    isRepeatable: isRepeatable,
                    mayBeInProgress: mayBeInProgress
                )
                #expect(verdict == expected, "\(status)")
                let behind = RequestVerdict(
                    status,
                    isRepeatable: isRepeatable,
                    mayBeInProgress: mayBeInProgress,
                    isRewritten: true
                )
                let isSuccess = expected == .success
                #expect(behind == (isSuccess || isRepeatable ? expected : .unknown), "\(status)")
            }
        }
    }

    /// Whatever an application's rule says: a request that may not be repeated is not, if its status leaves open
    /// whether it had an effect (I8).
    @Test(arguments: ResponseMeaning.allCases, [true, false])
    func aRuleRepeatsNothingThatMayHaveHadItsEffect(_ rule: ResponseMeaning, isRepeatable: Bool) throws {
        for status in [200, 201, 400, 404, 409, 422, 429, 500, 501, 502, 503, 504, 599] {
            var machine = Machine(RequestWork(try Self.specification(key: isRepeatable))) { response in
                #expect(response.status == status && response.body == [7])
                return rule
            }
            _ = machine.handle(.begin, at: Self.now)
            _ = machine.handle(.recorded, at: Self.now)
            let actions = machine.handle(Self.answer(status), at: Self.now)
            let progress = try #require(Self.progress(actions))
            let usual = RequestVerdict(status, isRepeatable: isRepeatable)
            let deniesEffect = usual.deniesEffect(status, isRewritten: false)
            #expect((progress.sent == nil) == deniesEffect, "\(status)")
            switch (rule, Self.outcome(actions)) {
            case (.success, .completed?): break
            case (.refused, .failed(let problem)?):
                #expect(problem.disposition == .permanent && problem.failure.code != .outcomeUnknown)
            case (.retry, .failed(let problem)?) where isRepeatable || deniesEffect:
                #expect(problem.disposition == .transient(retryAfter: nil), "\(status)")
            case (.retry, .failed(let problem)?):
                #expect(problem.disposition == .permanent && problem.failure.code == .outcomeUnknown)
            case (_, let outcome): Issue.record("\(status): \(String(describing: outcome))")
            }
        }
    }

    /// With any events in any order, the request is sent at most once, only after that is recorded, and it ends once.
    @Test(arguments: [true, false])
    func everyOrderOfEventsSendsOnceAndEndsOnce(isRepeatable: Bool) throws {
        let events: [Machine.Event] = [
            .begin, .recorded, Self.answer(200), Self.answer(500), .failed(Self.lost, hasLeft: true),
            .failed(Self.lost, hasLeft: false), .ask(.release), .ask(.cancel(keepingPart: true)),
        ]
        let specification = try Self.specification(key: isRepeatable)
        var orders = 1
        for _ in 0..<5 { orders *= events.count }
        for number in 0..<orders {
            var machine = Machine(RequestWork(specification))
            var (recorded, sent, ended) = (0, 0, 0)
            var rest = number
            for _ in 0..<5 {
                for action in machine.handle(events[rest % events.count], at: Self.now) {
                    switch action {
                    case .record: recorded += 1
                    case .note: #expect(sent == 1 && ended == 0)
                    case .send:
                        sent += 1
                        #expect(recorded == 1)
                    case .disconnect: #expect(sent == 1 && ended == 0)
                    case .finish: ended += 1
                    case .authorise: Issue.record("no credentials can be had")
                    case .save, .publish: Issue.record("nothing is to be saved")
                    }
                }
                rest /= events.count
            }
            #expect(sent <= 1 && ended <= 1, "order \(number)")
        }
    }

    /// With any events in any order after the first sending, it is sent once more at most, only after a refusal, and each
    /// sending is recorded before.
    @Test(arguments: [true, false])
    func everyOrderOfEventsSendsOnceMoreAfterARefusalOnly(isRepeatable: Bool) throws {
        let events: [Machine.Event] = [
            .begin, .recorded, Self.answer(200), .failed(Self.lost, hasLeft: true),
            .failed(Self.lost, hasLeft: false), .ask(.release), .ask(.cancel(keepingPart: true)),
            .authorised(nil), .authorised(Self.fresh), .unauthorised(nil), .unauthorised(Self.lost),
            Self.refusal(),
        ]
        let specification = try Self.specification(key: isRepeatable)
        for number in 0..<(events.count * events.count * events.count * events.count) {
            var machine = Self.renewable(specification)
            _ = machine.handle(.begin, at: Self.now)
            _ = machine.handle(.authorised(nil), at: Self.now)
            _ = machine.handle(.recorded, at: Self.now)
            var (recorded, sent, ended, isRefused) = (1, 1, 0, false)
            var rest = number
            for _ in 0..<4 {
                let event = events[rest % events.count]
                for action in machine.handle(event, at: Self.now) {
                    switch action {
                    case .record: recorded += 1
                    case .note(let progress): #expect(progress.sent == nil)
                    case .send:
                        sent += 1
                        #expect(recorded == sent && isRefused)
                    case .disconnect: #expect(ended == 0)
                    case .authorise(_, let refused):
                        #expect(refused && !isRefused)
                        isRefused = true
                    case .save, .publish: Issue.record("nothing is to be saved")
                    case .finish(let outcome, let progress):
                        ended += 1
                        let isUnknown = progress.sent != nil && !isRepeatable
                        if case .failed(let problem) = outcome, isUnknown {
                            #expect(problem.failure.code == .outcomeUnknown)
                        }
                    }
                }
                rest /= events.count
            }
            #expect(sent <= 2 && ended <= 1, "order \(number)")
        }
    }
}
