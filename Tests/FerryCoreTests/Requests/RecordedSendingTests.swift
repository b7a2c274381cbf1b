import FerryCore
import HTTPTypes
import Testing

/// A claim may record that its attempt sends a request, so that one commit does for both.
@Suite("A claim that records the sending")
struct RecordedSendingTests {
    private static let earlier = Instant(seconds: 1_800_000_000)
    private static let now = earlier.advanced(by: .seconds(60))
    private static let later = earlier.advanced(by: .seconds(61))
    private static let owner = OwnerID(rawValue: 1)
    private static let lost = Problem.transient(.connectionLost, "The connection broke.")

    private static func work(
        _ method: HTTPRequest.Method = .post,
        key: Bool = true,
        sent: Instant? = nil
    ) throws -> RequestWork {
        var work = RequestWork(
            try RequestSpecification(
                method: method,
                url: HTTPURL(parsing: "https://api.example/orders"),
                key: key ? IdempotencyKey(value: "\"1\"") : nil
            )
        )
        work.progress.sent = sent
        return work
    }

    private static func claimed(_ work: RequestWork) -> (transfer: Transfer, isRecorded: Bool) {
        var transfer = Transfer(
            id: TransferID(rawValue: 7),
            adding: NewTransfer(work.specification),
            at: earlier
        )
        transfer.work = .request(work)
        let isRecorded = transfer.becomeActive(for: owner, token: 1, recordsSending: true, at: now)
        return (transfer, isRecorded)
    }

    /// The machine of a claimed request that was sent before, or never.
    private static func machine(sentBefore former: Instant?) throws -> RequestMachine {
        let (transfer, isRecorded) = claimed(try work(sent: former))
        #expect(isRecorded)
        return RequestMachine(try #require(transfer.request), isRecorded: isRecorded)
    }

    private static func progress(_ actions: [RequestMachine.Action]) -> RequestProgress? {
        if case .finish(_, let progress)? = actions.last { progress } else { nil }
    }

    @Test("it records only what may be repeated, and what the attempt sends first")
    func recorded() throws {
        let entry = FileSurvey.Entry(
            identity: FileIdentity(device: 1, inode: 1),
            length: 3,
            kind: .file,
            modified: 5
        )
        let file = PinnedFile(path: "/a", entry)
        var unsaved = try Self.work(sent: Self.earlier)
        unsaved.progress.unsaved = .stored
        var asking = try Self.work(.put, key: false)
        asking.progress.former = FormerUpload(of: file, as: file, "\"1\"", [])
        try #require(asking.progress.former != nil)
        let works: [(work: RequestWork, isRecorded: Bool)] = [
            (try Self.work(), true), (try Self.work(.get, key: false), true),
            (try Self.work(.put, key: false), true), (try Self.work(sent: Self.earlier), true),
            (try Self.work(key: false), false), (unsaved, false), (asking, false),
        ]
        for (work, isRecorded) in works {
            let claimed = Self.claimed(work)
            #expect(claimed.isRecorded == isRecorded, "\(work)")
            let progress = try #require(claimed.transfer.request).progress
            if isRecorded {
                #expect(progress.sent == Self.now && progress.sentBefore == work.progress.sent)
            } else {
                #expect(progress == work.progress)
            }
        }
    }

    @Test func itForgetsTheAnswerToTheAttemptBefore() throws {
        var work = try Self.work(.put, sent: Self.earlier)
        work.progress.response = StoredResponse(status: 503, fields: [], body: [7])
        work.progress.values = ["id": .json("7")]
        let progress = try #require(Self.claimed(work).transfer.request).progress
        #expect(progress.response == nil && progress.values == work.progress.values)
        #expect(progress.upload?.sent == 0)
    }

    @Test(arguments: [nil, earlier])
    func theAttemptSendsWithoutAnotherRecord(former: Instant?) throws {
        for (hasLeft, sent) in [(true, Self.now), (false, former)] {
            var machine = try Self.machine(sentBefore: former)
            #expect(machine.handle(.begin, at: Self.later) == [.send(try Self.work().specification)])
            let end = machine.handle(.failed(Self.lost, hasLeft: hasLeft), at: Self.later)
            let progress = try #require(Self.progress(end))
            #expect(progress.sent == sent && progress.sentBefore == nil)
        }
    }

    /// Only an earlier attempt makes it doubtful what a conflict means.
    @Test(arguments: [nil, earlier])
    func theAttemptKnowsWhetherAnotherWasBefore(former: Instant?) throws {
        var machine = try Self.machine(sentBefore: former)
        _ = machine.handle(.begin, at: Self.later)
        let conflict = RequestMachine.Answer(StoredResponse(status: 409, fields: [], body: []))
        let expected: RequestVerdict = former == nil ? .refused : .tryAgain
        #expect(machine.verdict(on: conflict) == expected)
    }

    @Test(arguments: [nil, earlier])
    func whatEndsBeforeItBeginsWasNotSent(former: Instant?) throws {
        for order in [StopOrder.release, .cancel(keepingPart: true)] {
            var machine = try Self.machine(sentBefore: former)
            let end = machine.handle(.ask(order), at: Self.later)
            let progress = try #require(Self.progress(end))
            #expect(progress.sent == former && progress.sentBefore == nil)
        }
    }

    @Test func everyOrderOfEventsSendsAtMostOnceAndEndsOnce() throws {
        let answer = RequestMachine.Answer(StoredResponse(status: 200, fields: [], body: []))
        let events: [RequestMachine.Event] = [
            .begin, .recorded, .answered(answer), .failed(Self.lost, hasLeft: true),
            .failed(Self.lost, hasLeft: false), .ask(.release), .ask(.cancel(keepingPart: true)),
        ]
        for number in 0..<(events.count * events.count * events.count * events.count) {
            var machine = try Self.machine(sentBefore: nil)
            var (sent, ended) = (0, 0)
            var rest = number
            for _ in 0..<4 {
                for action in machine.handle(events[rest % events.count], at: Self.later) {
                    switch action {
                    case .send: sent += 1
                    case .disconnect: #expect(sent == 1 && ended == 0)
                    case .finish(_, let progress):
                        ended += 1
                        if sent == 0 { #expect(progress.sent == nil) }
                    case .record, .note, .authorise, .save, .publish:
                        Issue.record("order \(number): \(action)")
                    }
                }
                rest /= events.count
            }
            #expect(sent <= 1 && ended <= 1, "order \(number)")
        }
    }

    /// It counts as sent, which the next attempt must know.
    @Test func aDeathBeforeItIsSentQueuesItAsSent() throws {
        var (transfer, _) = Self.claimed(try Self.work())
        transfer.lostOwner(.died, isAlone: true, at: Self.later)
        #expect(transfer.state == .queued && transfer.request?.mayHaveArrived == true)
        transfer.becomeActive(for: Self.owner, token: 2, recordsSending: true, at: Self.later)
        let progress = try #require(transfer.request).progress
        #expect(progress.sent == Self.later && progress.sentBefore == Self.now)
    }

    /// Fresh credentials are asked for first, so such an engine lets no claim record anything.
    @Test func anAttemptWithoutSuchAClaimRecordsAsBefore() throws {
        var (transfer, _) = Self.claimed(try Self.work())
        transfer.lostOwner(.died, isAlone: true, at: Self.later)
        transfer.becomeActive(for: Self.owner, token: 2, at: Self.later)
        var machine = RequestMachine(try #require(transfer.request))
        var recorded = RequestProgress()
        recorded.sent = Self.later
        #expect(machine.handle(.begin, at: Self.later) == [.record(recorded)])
    }
}
