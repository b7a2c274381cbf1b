import Ferry
import FerryTesting
import HTTPTypes
import Testing

/// What a program that imports only `Ferry` gets from what it awaits.
@Suite("A caller that awaits a result gets it, or an error that says why not", .timeLimit(.minutes(10)))
struct AwaitingTests {
    @Test func aFailedFetchIsAFailureOfTransfers() async throws {
        let bench = try Bench()
        bench.transport.order(.answer(status: 404, [:]), at: bench.url)
        let fetch = bench.engine().fetch(from: bench.url, limit: 20_000)
        let failure = await #expect(throws: TransferFailure.self) { try await fetch.value() }
        #expect(failure?.code == .notFound && failure?.remedies.first == .checkURL)
    }

    @Test func aFetchThatGaveWaySaysSo() async throws {
        let bench = try Bench()
        let engine = bench.engine()
        var queue = TransferQueue("pictures")
        queue.slots = 1
        queue.overflow = .cancelOldest
        try await engine.setQueue(queue)
        bench.transport.order(.stallBeforeHead, at: bench.url)
        let older = engine.fetch(from: bench.url, limit: 20_000, queue: "pictures")
        try await bench.transport.nextStall()
        let url = try HTTPURL(parsing: "http://origin.example/newer")
        bench.transport.set(ScriptedResource([1]), at: url)
        let newer = try await engine.data(from: url, limit: 20_000, queue: "pictures")
        let failure = await #expect(throws: TransferFailure.self) { try await older.value() }
        #expect(newer == [1] && failure?.code == .gaveWay)
        #expect(failure?.remedies == [.callAgain, .letQueueWait(queue: "pictures")])
    }

    /// The body of a refusal often says why.
    @Test func theAnswerOfARefusedRequestIsKept() async throws {
        let bench = try Bench()
        bench.transport.order(.answer(status: 422, [.contentType: "text/plain"]), at: bench.url)
        let engine = bench.engine()
        let handle = try await engine.send(RequestSpecification(method: .post, url: bench.url))
        let failure = await #expect(throws: TransferFailure.self) {
            try await bench.running(engine) { try await handle.response() }
        }
        #expect(failure?.code == .refused)
        let transfer = try await bench.client().snapshot(of: handle.id)
        #expect(transfer.result == nil)
        #expect(transfer.response?.status == 422)
        #expect(transfer.response?.fields.map(\.name) == ["Content-Type"])
    }

    @Test func anotherKindOfResultIsRefusedAtOnce() async throws {
        let bench = try Bench()
        bench.transport.order(.stallAfter(100), at: bench.url)
        let engine = bench.engine()
        let download = try await engine.download(from: bench.url, to: bench.destination)
        let request = try await engine.start(
            NewTransfer(RequestSpecification(url: bench.url), after: [download.id])
        )
        try await bench.running(engine) {
            try await bench.transport.nextStall()
            // Neither has ended.
            await #expect(throws: NoResult.otherKind(download.id, .download)) {
                try await download.response()
            }
            await #expect(throws: NoResult.otherKind(request.id, .request)) { try await request.value() }
            bench.transport.release()
            guard case .download(let file) = try await download.result() else {
                Issue.record("the result of a download is one")
                return
            }
            let response = try await request.response()
            #expect(file.length == Int64(bench.bytes.count) && response.status == 200)
            #expect(try await request.result() == .request(response))
        }
        // Those that have ended are refused as well, also where no engine runs.
        let client = bench.client()
        await #expect(throws: NoResult.otherKind(download.id, .download)) {
            try await client.transfer(download.id).response()
        }
        await #expect(throws: NoResult.otherKind(request.id, .request)) {
            try await client.transfer(request.id).value()
        }
    }
}
