import FerryCore
import FerryTesting
import HTTPTypes
import Testing

@Suite("A transfer that is a request")
struct RequestTransferTests {
    private static let now = Instant(seconds: 1_800_000_000)
    private static let owner = OwnerID(rawValue: 1)

    private func active(key: Bool, sent: Bool) throws -> Transfer {
        let request = try RequestSpecification(
            method: .post,
            url: HTTPURL(parsing: "https://user:s3cret@api.example/orders?token=s3cret"),
            body: StoredBody("s3cret".utf8),
            key: key ? IdempotencyKey(value: "\"s3cret\"") : nil
        )
        var transfer = Transfer(id: TransferID(rawValue: 7), adding: NewTransfer(request), at: Self.now)
        transfer.becomeActive(for: Self.owner, token: 1, at: Self.now)
        if sent {
            var progress = RequestProgress()
            progress.sent = Self.now
            transfer.work.progress = .request(progress)
        }
        return transfer
    }

    /// A request of a dead process may have arrived, so it is never sent again automatically (I8).
    @Test(arguments: [true, false], [true, false])
    func aDeathBehindTheSendingLeavesTheOutcomeUnknown(key: Bool, sent: Bool) throws {
        for end in OwnerEnd.allCases {
            var transfer = try active(key: key, sent: sent)
            transfer.lostOwner(end, isAlone: true, at: Self.now)
            guard sent, !key else {
                #expect(transfer.state == .queued)
                continue
            }
            guard case .failed(let failure) = transfer.state else {
                Issue.record("\(transfer.state)")
                continue
            }
            #expect(failure.code == .outcomeUnknown)
            #expect(failure.remedies == [.confirmArrival])
            #expect(throws: StoreError.self) { try transfer.requeue(holder: nil, token: 2, at: Self.now) }
        }
    }

    @Test("the body of an error is no progress, and that of a PUT is")
    func progress() throws {
        var progress = RequestProgress()
        for (status, total) in [(200, 4), (404, nil), (503, nil)] as [(Int, Int64?)] {
            progress.response = StoredResponse(status: status, fields: [], body: [1, 2, 3, 4])
            #expect(progress.total == total && progress.received == total ?? 0, "\(status)")
        }
        let url = try HTTPURL(parsing: "https://api.example/a")
        let body = StoredBody([1, 2, 3])
        #expect(try RequestSpecification(method: .put, url: url, body: body).uploadLength == 3)
        #expect(try RequestSpecification(method: .post, url: url, body: body).uploadLength == nil)
    }

    /// A pause that was asked for does not hide it, and a cancellation ends it.
    @Test func aWishDoesNotHideThatItMayHaveArrived() throws {
        var paused = try active(key: false, sent: true)
        try paused.ask(.pause, at: Self.now)
        paused.lostOwner(.died, isAlone: true, at: Self.now)
        #expect(paused.state.name == .failed)
        var cancelled = try active(key: false, sent: true)
        try cancelled.ask(.cancel(keepingPart: false), at: Self.now)
        cancelled.lostOwner(.died, isAlone: true, at: Self.now)
        #expect(cancelled.state == .cancelled && cancelled.request?.progress.sent != nil)
    }

    private static let exhausted = TransferFailure(.attemptsExhausted, "It is so.", cause: .connectionLost)

    /// Its key lets it be sent again. A person may also say what the server knows of it.
    @Test(arguments: RequestOutcome.allCases, [true, false])
    func aFailedRequestThatMayHaveArrivedIsRetriedOrResolved(_ outcome: RequestOutcome, sent: Bool) throws {
        var transfer = try active(key: true, sent: sent)
        (transfer.claim, transfer.state) = (nil, .failed(Self.exhausted))
        var retried = transfer
        try retried.requeue(holder: nil, token: 2, at: Self.now)
        #expect(retried.state == .queued && (retried.request?.progress.sent != nil) == sent)
        guard sent else {
            #expect(throws: StoreError.self) { try transfer.resolve(outcome, at: Self.now) }
            return
        }
        try transfer.resolve(outcome, at: Self.now)
        #expect(transfer.state == (outcome == .arrived ? .completed : .queued))
        #expect((transfer.request?.progress.sent != nil) == (outcome == .arrived))
        #expect((transfer.request?.progress.note != nil) == (outcome == .arrived))
    }

    /// What only reads has no effect to arrive.
    @Test func aReadingRequestIsNotResolved() throws {
        let request = try RequestSpecification(url: HTTPURL(parsing: "https://api.example/orders"))
        var transfer = Transfer(id: TransferID(rawValue: 7), adding: NewTransfer(request), at: Self.now)
        var progress = RequestProgress()
        progress.sent = Self.now
        transfer.work.progress = .request(progress)
        transfer.state = .failed(Self.exhausted)
        #expect(transfer.work.withRemedies(Self.exhausted).remedies == [.retry])
        for outcome in RequestOutcome.allCases {
            #expect(throws: StoreError.self) { try transfer.resolve(outcome, at: Self.now) }
        }
    }

    @Test func aFailureSaysThatItMayBeCountedAsArrived() throws {
        let redirect = TransferFailure(.redirectRefused, "It is so.", remedies: [.sendToTarget])
        for (failure, remedies) in [
            (Self.exhausted, [.retry]), (TransferFailure(.timeout, "It is so."), [.retry]),
            (TransferFailure(.deadlinePassed, "It is so."), [.giveDeadline, .retry]),
        ] as [(TransferFailure, [Remedy])] {
            #expect(try active(key: true, sent: false).work.withRemedies(failure).remedies == remedies)
            let work = try active(key: true, sent: true).work
            #expect(work.withRemedies(failure).remedies == remedies + [.countAsArrived])
            #expect(work.withRemedies(work.withRemedies(failure)) == work.withRemedies(failure))
        }
        #expect(try active(key: true, sent: true).work.withRemedies(redirect) == redirect)
    }

    @Test func twoEqualRequestsAreTwo() throws {
        #expect(try active(key: true, sent: false).work.identity == nil)
    }

    /// A transfer never stands for one of another kind, nor for another request.
    @Test func sharesNoTransfer() throws {
        let new = NewTransfer(try RequestSpecification(url: HTTPURL(parsing: "https://api.example/orders")))
        var request = try active(key: true, sent: false)
        #expect(throws: StoreError.notPossible(request.id, "Transfer 7 cannot be shared.")) {
            try request.meet(new, holder: nil, token: 2, at: Self.now)
        }
        let file = DownloadSpecification(url: new.work.url, destination: .file(directory: "/d", name: nil))
        var download = Transfer(id: request.id, adding: NewTransfer(file), at: Self.now)
        #expect(throws: StoreError.notPossible(request.id, "Transfer 7 cannot be shared.")) {
            try download.meet(new, holder: nil, token: 2, at: Self.now)
        }
        #expect(throws: StoreError.notPossible(request.id, "Transfer 7 cannot be shared.")) {
            try request.meet(NewTransfer(file), holder: nil, token: 2, at: Self.now)
        }
    }

    @Test func whatIsOverKeepsNoSecret() throws {
        var transfer = try active(key: true, sent: true)
        transfer.work.progress = .request(RequestProgress())
        var settlement = Settlement(.completed, progress: transfer.work.progress)
        settlement.ledger = AttemptLedger()
        transfer.settle(settlement, at: Self.now)
        let request = try #require(transfer.request?.specification)
        #expect(request.body.isEmpty && request.key == nil)
        #expect(!request.url.absoluteString.contains("s3cret"))
    }

    @Test("the length of a body that was sent stays when its bytes are dropped")
    func lengthOfDroppedBody() throws {
        var transfer = try active(key: false, sent: false)
        var machine = RequestMachine(try #require(transfer.request))
        _ = machine.handle(.begin, at: Self.now)
        _ = machine.handle(.recorded, at: Self.now)
        let answer = RequestMachine.Answer(StoredResponse(status: 200, fields: [], body: []))
        guard case .finish(_, let progress)? = machine.handle(.answered(answer), at: Self.now).last else {
            Issue.record("it does not end")
            return
        }
        transfer.settle(Settlement(.completed, progress: .request(progress)), at: Self.now)
        let work = try #require(transfer.request)
        #expect(work.specification.body.isEmpty && work.bodyLength == 6)
    }

    @Test func anotherOriginGetsNoSecret() throws {
        var transfer = try active(key: false, sent: false)
        (transfer.claim, transfer.state) = (nil, .queued)
        var edit = TransferEdit()
        edit.credentials = .bearer(token: "s3cret")
        edit.headers = [.init(name: "Cookie", value: "s3cret"), .init(name: "Accept", value: "*/*")]
        try transfer.apply(edit, at: Self.now)
        #expect(transfer.request?.specification.exchange.credentials != nil)
        var move = TransferEdit()
        move.url = try HTTPURL(parsing: "https://other.example/orders")
        try transfer.apply(move, at: Self.now)
        let exchange = try #require(transfer.request?.specification.exchange)
        #expect(exchange.credentials == nil && exchange.headers.map(\.name) == ["Accept"])
        var keyed = try active(key: true, sent: false)
        keyed.claim = nil
        keyed.state = .queued
        try keyed.apply(move, at: Self.now)
        #expect(keyed.request?.specification.key == nil, "another server does not know it")
        var options = TransferEdit()
        options.options = .download(DownloadOptions())
        let refusal = "Transfer 7 is not a download, and has no download options."
        #expect(throws: StoreError.notPossible(keyed.id, refusal)) { try keyed.apply(options, at: Self.now) }
    }

    @Test func aBodyThatIsTooLongIsRefused() throws {
        let url = try HTTPURL(parsing: "https://api.example/")
        let body = [UInt8](repeating: 0, count: RequestSpecification.longestBody + 1)
        #expect(throws: RequestSpecification.Flaw.bodyTooLong(body.count)) {
            try RequestSpecification(method: .post, url: url, body: StoredBody(body))
        }
        #expect(throws: RequestSpecification.Flaw.fieldName("a b")) {
            try RequestSpecification(url: url, key: IdempotencyKey(field: "a b", value: "1"))
        }
    }
}
