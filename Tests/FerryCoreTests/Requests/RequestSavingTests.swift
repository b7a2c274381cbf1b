import FerryCore
import FerryTesting
import HTTPTypes
import Testing

/// A response that is to be saved in a file: which file has it is recorded before that file gets its name.
@Suite("Saving a response")
struct RequestSavingTests {
    private typealias Machine = RequestMachine
    private static let now = Instant(seconds: 1_800_000_000)
    private static let full = Problem.condition(
        .diskSpace(needed: 1),
        .diskFull,
        "Cannot write /d/reply: the disk is full."
    )
    private static let lost = Problem.transient(.connectionLost, "The connection broke.")

    private static func claim() throws -> PartFileClaim {
        PartFileClaim(
            name: try FileName(userGiven: "0.part"),
            identity: FileIdentity(device: 1, inode: 2),
            boot: BootID(rawValue: "boot")
        )
    }

    private static func request(key: Bool) throws -> RequestSpecification {
        var request = try RequestSpecification(
            method: .post,
            url: HTTPURL(parsing: "https://api.example/orders"),
            key: key ? IdempotencyKey(value: "\"1\"") : nil
        )
        request.responseFile = ResponseFile(directory: "/d", name: try FileName(userGiven: "reply"))
        return request
    }

    /// A machine whose request was answered with 201, and what it does then.
    private static func answered(
        _ saving: Machine.Answer.Saving,
        body: [UInt8] = [],
        savedLength: Int64? = nil,
        loss: Problem? = nil,
        key: Bool = false,
        asked: StopOrder? = nil
    ) throws -> (machine: Machine, actions: [Machine.Action]) {
        var machine = Machine(RequestWork(try request(key: key)))
        _ = machine.handle(.begin, at: now)
        _ = machine.handle(.recorded, at: now)
        if let asked { _ = machine.handle(.ask(asked), at: now) }
        var response = StoredResponse(status: 201, fields: [], body: body, isTruncated: saving == .lost)
        response.savedLength = savedLength
        var answer = Machine.Answer(response)
        (answer.saving, answer.loss) = (saving, loss)
        let actions = machine.handle(.answered(answer), at: now)
        return (machine, actions)
    }

    private static func end(_ actions: [Machine.Action]) -> (AttemptOutcome, RequestProgress)? {
        if case .finish(let outcome, let progress)? = actions.last { (outcome, progress) } else { nil }
    }

    @Test("the file is recorded before it gets its name, and forgotten when it has it")
    func recorded() throws {
        let claim = try Self.claim()
        for asked in [nil, StopOrder.release, .cancel(keepingPart: false)] {
            var (machine, actions) = try Self.answered(.file(claim), savedLength: 9, asked: asked)
            guard case .record(let noted)? = actions.last, actions.count == 1 else {
                Issue.record("\(actions)")
                return
            }
            #expect(noted.unsaved == .file(claim) && noted.response?.savedLength == 9)
            #expect(machine.handle(.ask(.release), at: Self.now).isEmpty)
            #expect(machine.handle(.recorded, at: Self.now) == [.publish(claim, length: 9)])
            #expect(machine.handle(.ask(.cancel(keepingPart: false)), at: Self.now).isEmpty)
            let (outcome, progress) = try #require(Self.end(machine.handle(.published, at: Self.now)))
            #expect(outcome == .completed && progress.unsaved == nil && progress.response?.savedLength == 9)
        }
    }

    @Test("an attempt after a crash sends nothing, and gives the file its name", arguments: [true, false])
    func found(hasKey: Bool) throws {
        let claim = try Self.claim()
        let (_, actions) = try Self.answered(.file(claim), savedLength: 9, key: hasKey)
        guard case .record(let noted)? = actions.last else { return }
        let work = RequestWork(try Self.request(key: hasKey), noted)
        #expect(!work.outcomeIsUnknown && work.failureAfterDeath == nil)
        var machine = Machine(work, isRenewable: true)
        #expect(machine.handle(.begin, at: Self.now) == [.publish(claim, length: 9)])
        #expect(Self.end(machine.handle(.published, at: Self.now))?.0 == .completed)
    }

    @Test("a name that is taken fails it, and the next attempt tries again")
    func taken() throws {
        let claim = try Self.claim()
        var (machine, _) = try Self.answered(.file(claim), savedLength: 9)
        _ = machine.handle(.recorded, at: Self.now)
        let problem = Problem.permanent(.destinationExists, "/d/reply already exists.")
        let (outcome, progress) = try #require(Self.end(machine.handle(.notSaved(problem), at: Self.now)))
        #expect(outcome == .failed(problem) && progress.unsaved == .file(claim))
    }

    @Test("when the file is gone, the request is sent again only if it may be", arguments: [true, false])
    func gone(hasKey: Bool) throws {
        var (machine, _) = try Self.answered(.file(try Self.claim()), savedLength: 9, key: hasKey)
        _ = machine.handle(.recorded, at: Self.now)
        let actions = machine.handle(.fileLost, at: Self.now)
        guard hasKey else {
            let (outcome, progress) = try #require(Self.end(actions))
            guard case .failed(let problem) = outcome else { return }
            #expect(problem.failure.code == .responseLost && problem.disposition == .permanent)
            let work = RequestWork(try Self.request(key: false), progress)
            #expect(work.outcomeIsUnknown)
            return
        }
        guard case .record(let noted)? = actions.last else {
            Issue.record("\(actions)")
            return
        }
        #expect(noted.unsaved == nil && noted.response == nil && noted.sent == Self.now)
        #expect(machine.handle(.recorded, at: Self.now) == [.send(try Self.request(key: true))])
    }

    @Test(
        "what no file could take is stored, and saved by the next attempt without sending",
        arguments: [true, false]
    )
    func stored(hasKey: Bool) throws {
        let (_, actions) = try Self.answered(.stored, body: [1, 2, 3], loss: Self.full, key: hasKey)
        let (outcome, progress) = try #require(Self.end(actions))
        guard case .failed(let problem) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(problem.failure.code == .diskFull && problem.disposition == Self.full.disposition)
        #expect(problem.failure.message.contains("201") && progress.unsaved == .stored)
        let work = RequestWork(try Self.request(key: hasKey), progress)
        #expect(work.failureAfterDeath == nil && work.directoryThatNeedsRoom == "/d")

        let claim = try Self.claim()
        var machine = Machine(work)
        #expect(machine.handle(.begin, at: Self.now) == [.save([1, 2, 3])])
        var again = machine
        #expect(Self.end(again.handle(.notSaved(Self.full), at: Self.now))?.1 == progress)
        guard case .record(let noted)? = machine.handle(.saved(claim), at: Self.now).last else {
            Issue.record("it is not recorded")
            return
        }
        #expect(noted.response?.body == [] && noted.response?.savedLength == 3)
        #expect(machine.handle(.recorded, at: Self.now) == [.publish(claim, length: 3)])
    }

    @Test("what was too long to store is asked for again, or lost if it may not be")
    func tooLong() throws {
        let (_, again) = try Self.answered(.lost, body: [1], loss: Self.full, key: true)
        #expect(Self.end(again)?.0 == .failed(Self.full))
        let (_, actions) = try Self.answered(.lost, body: [1], loss: Self.full)
        let (outcome, progress) = try #require(Self.end(actions))
        guard case .failed(let problem) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(problem.failure.code == .responseLost && problem.failure.cause == .diskFull)
        #expect(problem.failure.message.contains("201") && problem.failure.message.contains("full"))
        #expect(progress.response?.body == [1] && progress.response?.isTruncated == true)
    }

    @Test("a cancelled request leaves no file")
    func cancelled() throws {
        let claim = try Self.claim()
        let (_, actions) = try Self.answered(.file(claim), savedLength: 9)
        guard case .record(let noted)? = actions.last else { return }
        var work = RequestWork(try Self.request(key: false), noted)
        let place = FilePlace(directory: "/d", name: try FileName(userGiven: "reply"), part: claim.name)
        #expect(work.residue == .partFile(place, claim))
        work.settleResidue(as: .owed)
        #expect(work.residue != nil)
        work.settleResidue(as: .removed)
        #expect(work.residue == nil)
    }
}
