import Ferry
import FerryCore
import FerryTesting
import HTTPTypes
import Testing

@Suite("Requests that must arrive", .timeLimit(.minutes(10)))
struct SendingRequestsTests {
    private static let body = Array("{\"amount\":1}".utf8)

    private func order(_ bench: Bench, key: Bool = false) throws -> RequestSpecification {
        var request = try RequestSpecification(
            method: .post,
            url: bench.url,
            body: StoredBody(Self.body),
            key: key ? IdempotencyKey(value: "\"k-1\"") : nil
        )
        request.exchange.headers = [.init(name: "Content-Type", value: "application/json")]
        request.exchange.credentials = .bearer(token: "s3cret")
        return request
    }

    @Test func isSentWholeAndItsResponseIsKept() async throws {
        let bench = try Bench()
        let engine = bench.engine()
        let handle = try await engine.send(try order(bench, key: true))
        let response = try await bench.running(engine) { try await handle.response() }
        #expect(response.status == 200 && response.body == bench.bytes && !response.isTruncated)
        #expect(response.fields.contains { $0.name == "ETag" && $0.value == "\"v1\"" })
        let sent = try #require(bench.transport.requests.first)
        #expect(bench.transport.requests.count == 1)
        #expect(sent.method == .post && sent.bodyBytes == Self.body)
        #expect(sent.headers[.contentType] == "application/json")
        #expect(sent.headers[try #require(HTTPField.Name("Idempotency-Key"))] == "\"k-1\"")
        #expect(sent.headers[.authorization] == "Bearer s3cret")
        // After a restart, and in another process, the response is still there.
        let later = bench.engine()
        #expect(try await later.transfer(handle.id).snapshot.request?.progress.response == response)
    }

    /// A server that reports an error in a body with 200.
    @Test func aRuleForItsTypeJudgesTheResponse() async throws {
        let bench = try Bench()
        bench.transport.set(ScriptedResource(Array("error".utf8)), at: bench.url)
        let engine = bench.engine(
            .everything(untilDrained: true),
            configure: { configuration in
                configuration.responseRules["order"] = { response in
                    response.body == Array("error".utf8) ? .refused : nil
                }
            }
        )
        let judged = try await engine.start(NewTransfer(order(bench, key: true), type: "order"))
        let other = try await engine.start(NewTransfer(order(bench, key: true), type: "other"))
        try await engine.run()
        #expect(try await other.snapshot.state == .completed)
        let refused = try await judged.snapshot
        guard case .failed(let failure) = refused.state else {
            Issue.record("\(refused.state)")
            return
        }
        #expect(failure.code == .refused && failure.message.contains("rule"), "\(failure.message)")
        #expect(refused.response?.status == 200)
    }

    @Test func savesNoFileToVerify() async throws {
        let bench = try Bench()
        let engine = bench.engine()
        let handle = try await engine.send(try order(bench))
        _ = try await bench.running(engine) { try await handle.response() }
        let refusal = StoreError.notPossible(
            handle.id,
            "Transfer \(handle.id) is a request, which saves no file."
        )
        await #expect(throws: refusal) { try await engine.verify(handle.id) }
    }

    @Test func aLongResponseIsKeptUpToItsLimit() async throws {
        let bench = try Bench()
        let engine = bench.engine()
        var request = try order(bench)
        request.responseLimit = 100
        let handle = try await engine.send(request)
        let response = try await bench.running(engine) { try await handle.response() }
        #expect(response.body == Array(bench.bytes.prefix(100)) && response.isTruncated)
    }

    /// The kernel reads a file until its peer has acknowledged it, so a change that is found only afterwards counts.
    @Test func aFileThatWasChangedUntilTheAnswerCameIsNoSuccess() async throws {
        let bodies = MemoryBodyFiles(changedWhileSent: true)
        bodies.put([1, 2, 3], at: "/data/photo")
        let file = try await bodies.pin("/data/photo")
        for method in [HTTPRequest.Method.put, .post] {
            let bench = try Bench()
            let engine = bench.engine(bodies: bodies)
            let request = try RequestSpecification(method: method, url: bench.url, body: StoredBody(file))
            let handle = try await engine.send(request)
            let failure = await #expect(throws: TransferFailure.self) {
                try await bench.running(engine) { try await handle.response() }
            }
            #expect(failure?.code == (method == .put ? .bodyChanged : .outcomeUnknown))
            #expect(failure?.message.contains("changed") == true)
        }
    }

    /// 303 becomes GET, and 307 keeps method and body. Secrets stay with their origin (I7).
    @Test(arguments: [(303, false), (307, false), (307, true)])
    func redirectsAreFollowed(status: Int, leavesOrigin: Bool) async throws {
        let bench = try Bench()
        let target = try HTTPURL(
            parsing: leavesOrigin ? "http://other.example/there" : "http://origin.example/there"
        )
        var moved = ScriptedResource([])
        moved.redirect = (status, target.absoluteString)
        bench.transport.set(moved, at: bench.url)
        bench.transport.set(ScriptedResource([1]), at: target)
        let engine = bench.engine()
        let handle = try await engine.send(try order(bench, key: !(status == 307 && leavesOrigin)))
        _ = try await bench.running(engine) { try await handle.response() }
        let note = try await engine.transfer(handle.id).snapshot.request?.progress.note
        #expect(note?.code == (status == 303 ? .methodChanged : nil))
        #expect(note?.message.contains("GET \(target.absoluteString), which") == (status == 303 ? true : nil))
        let last = try #require(bench.transport.requests.last)
        #expect(
            (last.headers[.contentType] != nil) == (status != 303),
            "what describes the body goes with it"
        )
        #expect(last.method == (status == 303 ? .get : .post))
        #expect(last.bodyBytes == (status == 303 ? [] : Self.body))
        #expect((last.headers[.authorization] != nil) == !leavesOrigin)
        let key = try #require(HTTPField.Name("Idempotency-Key"))
        #expect((last.headers[key] != nil) == !leavesOrigin)
    }

    /// A key makes a `POST` repeatable until a redirect drops the key. A `GET` that a redirect makes of it needs none.
    @Test(arguments: [false, true], [(303, true), (303, false), (307, true), (307, false)])
    func onlyTheFirstOriginKnowsTheKey(isKeyed: Bool, redirect: (status: Int, isHome: Bool)) async throws {
        let bench = try Bench()
        let (status, isHome) = redirect
        let target = isHome ? "http://origin.example/there" : "http://other.example/there"
        var moved = ScriptedResource([])
        moved.redirect = (status, target)
        bench.transport.set(moved, at: bench.url)
        bench.transport.set(ScriptedResource([1]), at: try HTTPURL(parsing: target))
        let engine = bench.engine()
        let handle = try await engine.send(try order(bench, key: isKeyed))
        do {
            _ = try await bench.running(engine) { try await handle.response() }
        } catch let failure as TransferFailure {
            #expect(failure.code == .redirectRefused && isKeyed && !isHome && status == 307)
        }
        let requests = bench.transport.requests
        #expect(requests.first?.isRepeatable == isKeyed)
        #expect(requests.last?.isRepeatable == (isKeyed || (requests.count > 1 && status == 303)))
    }

    /// Another server does not know the key, so the request could take effect twice.
    @Test func aKeyedRequestIsNotSentToAnotherOrigin() async throws {
        let bench = try Bench()
        var moved = ScriptedResource([])
        moved.redirect = (307, "http://other.example/there")
        bench.transport.set(moved, at: bench.url)
        let engine = bench.engine()
        let handle = try await engine.send(try order(bench, key: true))
        let failure = await #expect(throws: TransferFailure.self) {
            try await bench.running(engine) { try await handle.response() }
        }
        #expect(failure?.code == .redirectRefused && bench.transport.requests.count == 1)
        // A retry would meet the same redirect.
        #expect(failure?.remedies == [.sendToTarget])
        #expect(failure?.message.contains("http://other.example/there") == true)
    }

    /// The server has acted on the request, but its result cannot be fetched (I8).
    @Test func whatARedirectLedToIsNoReasonToSendItAgain() async throws {
        let bench = try Bench()
        let result = try HTTPURL(parsing: "http://origin.example/result")
        var moved = ScriptedResource([])
        moved.redirect = (303, result.absoluteString)
        bench.transport.set(moved, at: bench.url)
        bench.transport.order(.answer(status: 503, [:]), at: result)
        let engine = bench.engine()
        let handle = try await engine.send(try order(bench))
        let failure = await #expect(throws: TransferFailure.self) {
            try await bench.running(engine) { try await handle.response() }
        }
        #expect(failure?.code == .outcomeUnknown)
        #expect(bench.transport.requests.map(\.method) == [.post, .get])
        await #expect(throws: StoreError.self) { try await engine.resume(handle.id) }
    }

    /// A connection that was never made has sent nothing.
    @Test func whatNeverLeftIsTriedAgain() async throws {
        let bench = try Bench()
        let late = Problem.transient(.timeout, "No connection was made in time.")
        bench.transport.order(.refuse(late), at: bench.url)
        let engine = bench.engine()
        let handle = try await engine.send(try order(bench))
        let clock = bench.clock
        let response = try await bench.running(engine) {
            async let response = handle.response()
            let waiting = await handle.reaches(.waiting)
            #expect(waiting?.request?.progress.sent == nil)
            clock.advance(by: .seconds(60))
            return try await response
        }
        #expect(response.status == 200)
    }

    @Test func aBusyServerIsAskedAgainLater() async throws {
        let bench = try Bench()
        bench.transport.order(.answer(status: 503, [.retryAfter: "7"]), at: bench.url)
        let engine = bench.engine()
        let handle = try await engine.send(try order(bench))
        let clock = bench.clock
        let response = try await bench.running(engine) {
            async let response = handle.response()
            _ = await handle.reaches(.waiting)
            clock.advance(by: .seconds(60))
            return try await response
        }
        #expect(response.status == 200 && bench.transport.requests.count == 2)
    }

    @Test func whatTheServerRefusesFailsWithItsAnswer() async throws {
        let bench = try Bench()
        bench.transport.order(.answer(status: 422, [:]), at: bench.url)
        let engine = bench.engine()
        let handle = try await engine.send(try order(bench))
        await #expect(throws: TransferFailure.self) {
            try await bench.running(engine) { try await handle.response() }
        }
        let failed = try await engine.snapshot(of: handle.id)
        #expect(failed.request?.progress.response?.status == 422)
        #expect(bench.transport.requests.count == 1)
    }

    /// The server refused it and so did not act. If the next attempt sends nothing, it is retried.
    @Test func whatWasRefusedIsInNoDoubtWhenItIsSentAnew() async throws {
        let bench = try Bench()
        bench.transport.order(.answer(status: 404, [:]), at: bench.url)
        let noOne = Problem.transient(.connectionRefused, "No listener.")
        bench.transport.order(.refuse(noOne), at: bench.url)
        let engine = bench.engine()
        let handle = try await engine.send(try order(bench))
        await #expect(throws: TransferFailure.self) {
            try await bench.running(engine) { try await handle.response() }
        }
        let later = bench.engine(.everything(untilDrained: false))
        try await later.resume(handle.id)
        let clock = bench.clock
        let again = later.transfer(handle.id)
        let response = try await bench.running(later) {
            async let response = again.response()
            _ = await again.reaches(.waiting)
            clock.advance(by: .seconds(60))
            return try await response
        }
        #expect(response.status == 200 && bench.transport.requests.count == 3)
    }

    /// The process dies while it waits for the answer. The request is sent again only with a key (I8).
    @Test(arguments: [true, false])
    func aDeathWhileTheAnswerIsAwaited(key: Bool) async throws {
        let bench = try Bench()
        bench.transport.order(.stallBeforeHead, at: bench.url)
        let first = bench.machine.spawn()
        let dying = bench.engine(as: first)
        let handle = try await dying.send(try order(bench, key: key))
        let work = Task { try await dying.run() }
        try await bench.transport.nextStall()
        let sent = try await bench.store.transfer(handle.id)?.request?.progress.sent
        #expect(sent != nil, "it was recorded before it was sent")
        bench.machine.kill(first)
        let engine = bench.engine(.everything(untilDrained: true))
        try await engine.run()
        let left = try #require(try await bench.store.transfer(handle.id))
        if key {
            #expect(left.state == .completed && bench.transport.requests.count == 2)
            let keys = bench.transport.requests.map { request in
                request.headers.first { $0.name.canonicalName == "idempotency-key" }?.value
            }
            #expect(keys == ["\"k-1\"", "\"k-1\""])
        } else {
            #expect(left.latestFailure?.code ?? left.failure?.code == .outcomeUnknown)
            #expect(bench.transport.requests.count == 1, "it is not sent again automatically")
        }
        bench.transport.release()
        work.cancel()
        _ = await work.result
    }

    /// One commit does for both. A request that may not be repeated is recorded as sent only by its attempt, so that one
    /// that was claimed and not sent is known.
    @Test(arguments: [true, false])
    func theClaimRecordsThatItIsSentIfItMayBeRepeated(key: Bool) async throws {
        let bench = try Bench()
        let engine = bench.engine(.everything(untilDrained: true))
        let handle = try await engine.send(try order(bench, key: key))
        let (rows, row) = AsyncStream.makeStream(of: Transfer?.self)
        bench.store.beforeNextClaimReturns { [store = bench.store] in
            do {
                row.yield(try await store.transfer(handle.id))
            } catch {
                Issue.record(error)
            }
            row.finish()
        }
        try await engine.run()
        for await claimed in rows {
            #expect(claimed?.state == .active && (claimed?.request?.progress.sent != nil) == key)
        }
        let end = try await handle.snapshot
        #expect(end.state == .completed && end.request?.progress.sent != nil)
        #expect(bench.transport.requests.count == 1)
    }

    /// A stop waits for the answer to a request that must not be repeated.
    @Test func aStopWaitsForTheAnswer() async throws {
        let bench = try Bench()
        bench.transport.order(.stallBeforeHead, at: bench.url)
        let engine = bench.engine(whenStopped: .pause)
        let handle = try await engine.send(try order(bench))
        let work = Task { try await engine.run() }
        try await bench.transport.nextStall()
        engine.stop()
        bench.transport.release()
        try await work.value
        #expect(try await bench.store.transfer(handle.id)?.state == .completed)
    }

    /// A process that was stopped, and continues, takes its connections for dead. The answer may be there all the same.
    @Test func whatMayNotBeRepeatedWaitsForItsAnswerAfterAStandstill() async throws {
        let bench = try Bench()
        bench.transport.order(.stallBeforeHead, at: bench.url)
        let engine = bench.engine()
        let handle = try await engine.send(try order(bench))
        let response = try await bench.running(engine) {
            async let response = handle.response()
            try await bench.transport.nextStall()
            engine.restartConnections()
            bench.transport.release()
            return try await response
        }
        #expect(response.status == 200 && bench.transport.requests.count == 1)
    }

    /// With a key it is sent again at once, on another connection.
    @Test func whatMayBeRepeatedIsSentAgainAfterAStandstill() async throws {
        let bench = try Bench()
        bench.transport.order(.stallBeforeHead, at: bench.url)
        let engine = bench.engine()
        let handle = try await engine.send(try order(bench, key: true))
        let response = try await bench.running(engine) {
            async let response = handle.response()
            try await bench.transport.nextStall()
            engine.restartConnections()
            return try await response
        }
        #expect(response.status == 200 && bench.transport.requests.count == 2)
    }

    /// The server has answered, but its answer is not whole.
    @Test func anAnswerThatBreaksOffKeepsItsStatus() async throws {
        let bench = try Bench()
        bench.transport.order(.breakAfter(1), at: bench.url)
        let engine = bench.engine()
        let handle = try await engine.send(try order(bench))
        let failure = await #expect(throws: TransferFailure.self) {
            try await bench.running(engine) { try await handle.response() }
        }
        #expect(failure?.code == .outcomeUnknown && failure?.message.contains("200") == true)
        let kept = try #require(try await engine.snapshot(of: handle.id).response)
        #expect(kept.status == 200 && kept.isTruncated)
        #expect(bench.transport.requests.count == 1)
    }

    @Test func standsInLineWithDownloads() async throws {
        let bench = try Bench()
        let engine = bench.engine(slots: 1)
        let download = try await engine.download(from: bench.url, to: bench.destination)
        let call = try await engine.start(NewTransfer(order(bench), after: [download.id]))
        let (file, response) = try await bench.running(engine) {
            (try await download.value(), try await call.response())
        }
        #expect(file.length == Int64(bench.bytes.count) && response.status == 200)
        #expect(bench.transport.requests.map(\.method) == [.get, .post])
    }
}
