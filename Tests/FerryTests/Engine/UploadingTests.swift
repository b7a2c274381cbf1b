import FerryCore
import FerryTesting
import HTTPTypes
import Testing

@testable import Ferry

/// Uploads that resume, from the engine to a server of tus.
@Suite("Uploads that resume", .timeLimit(.minutes(10)))
struct UploadingTests {
    private let bench: Bench
    private let origin = TusOrigin()

    init() throws {
        bench = try Bench()
        bench.bodies.put(bench.bytes, at: "/a.bin")
    }

    private func engine(
        _ scope: EngineConfiguration.Scope = .everything(untilDrained: true),
        whenStopped: EngineConfiguration.StopPolicy = .release
    ) -> TransferEngine {
        bench.engine(scope, whenStopped: whenStopped, transport: origin)
    }

    private func upload(partSize: Int64? = 4000) async throws -> UploadSpecification {
        var upload = UploadSpecification(try await bench.bodies.pin("/a.bin"), to: bench.url, by: .tus)
        upload.partSize = partSize
        upload.exchange.credentials = .bearer(token: "s3cret")
        return upload
    }

    /// Runs an engine until a transfer has ended, through all of its waits.
    private func end(of handle: TransferHandle, under engine: TransferEngine) async throws {
        let clock = bench.clock
        try await bench.running(engine) {
            for await update in handle.events where !update.transfer.state.isFinal {
                if case .waiting = update.transfer.state { clock.advance(by: .seconds(600)) }
            }
        }
    }

    private var methods: [HTTPRequest.Method] { origin.requests.map(\.method) }

    @Test func aFileArrivesInParts() async throws {
        let engine = engine()
        let handle = try await engine.upload(try await upload())
        try await engine.run()
        #expect(origin.objects == [bench.bytes])
        #expect(methods == [.options, .post, .patch, .patch, .patch])
        guard case .upload(let response) = try await handle.result() else {
            Issue.record("no result")
            return
        }
        #expect(response.status == 204)
        let progress = try await handle.snapshot.recordedProgress
        #expect(progress.received == Int64(bench.bytes.count) && progress.total == progress.received)
        let work = try #require(try await handle.snapshot.upload)
        #expect(work.progress.handle == nil && work.specification.exchange.credentials == nil)
    }

    /// The timer of all attempts may reach one at the moment at which it ends.
    @Test func aTickAfterTheEndTellsNothing() async throws {
        origin.order(.answer)
        origin.order(.stallAfter(10))
        let engine = engine(.everything(untilDrained: false))
        let (origin, handle) = (origin, try await engine.upload(try await upload()))
        let updates = engine.updates()
        try await bench.running(engine) {
            try await origin.nextStall()
            let runners = engine.scheduler.attempts.runners
            #expect(runners.count == 1)
            origin.release()
            _ = try await handle.result()
            while engine.scheduler.attempts.count > 0 { await Task.yield() }
            for runner in runners { runner.tick() }
        }
        var states: [TransferState.Name] = []
        for await update in updates { states.append(update.transfer.state.name) }
        #expect(states.last == .completed, "\(states)")
    }

    /// What a broken request has brought is not sent again.
    @Test(arguments: [1, 3999, 4000])
    func aBrokenUploadIsResumedWhereTheServerIs(count: Int) async throws {
        origin.order(.loseAnswer)
        origin.order(.answer)
        origin.order(.breakAfter(count))
        let engine = engine(.followed)
        let handle = try await engine.upload(try await upload())
        try await end(of: handle, under: engine)
        #expect(try await handle.snapshot.state == .completed)
        #expect(origin.objects == [bench.bytes])
        // The answer that named the first upload was lost.
        #expect(methods.filter { $0 == .post }.count == 2 && origin.openUploads == 1)
        #expect(methods.filter { $0 == .head }.count == 1)
        let sent = origin.requests.compactMap { $0.method == .patch ? $0.body.length : nil }
        #expect(sent.first == 4000 && sent.dropFirst().reduce(0, +) == Int64(bench.bytes.count - count))
    }

    @Test func aLostLastAnswerMakesNoSecondObject() async throws {
        let engine = engine(.followed)
        let handle = try await engine.upload(try await upload(partSize: nil))
        // The request that creates the upload is answered.
        origin.order(.answer)
        origin.order(.loseAnswer)
        try await end(of: handle, under: engine)
        #expect(try await handle.snapshot.state == .completed)
        #expect(origin.objects == [bench.bytes] && origin.openUploads == 0)
    }

    /// No server of tus can be asked for a file that it has whole.
    @Test func aCompletedUploadIsNotRepeatedUnlessTheFileWasChanged() async throws {
        let client = bench.client()
        var ids: Set<TransferID> = []
        func again(_ change: (inout UploadSpecification) -> Void = { _ in }) async throws {
            var upload = try await upload()
            change(&upload)
            ids.insert(try await client.add([NewTransfer(upload)])[0].transfer.id)
            try await engine().run()
        }
        for _ in 0..<3 { try await again() }
        #expect(ids.count == 1 && origin.objects.count == 1)
        try await again { $0.sendsAgain = true }
        #expect(ids.count == 2 && origin.objects.count == 2)
        bench.bodies.change("/a.bin")
        try await again()
        #expect(ids.count == 3 && origin.objects.count == 3)
        await client.close()
    }

    @Test func anotherProcessResumes() async throws {
        let first = engine(.followed, whenStopped: .release)
        let handle = try await first.upload(try await upload())
        origin.order(.answer)
        origin.order(.stallAfter(1000))
        let work = Task { try await first.run() }
        try await origin.nextStall()
        first.stop()
        try await work.value
        #expect(origin.openUploads == 1)
        try await engine().run()
        #expect(try await handle.snapshot.state == .completed)
        #expect(origin.objects == [bench.bytes] && methods.filter { $0 == .post }.count == 1)
    }

    /// The server chooses the URL of the upload. Only the first origin gets the secrets.
    @Test func anotherOriginGetsNoCredentials() async throws {
        origin.place(uploadsUnder: try HTTPURL(parsing: "https://elsewhere.example/"))
        let engine = engine()
        let handle = try await engine.upload(try await upload())
        try await engine.run()
        #expect(try await handle.snapshot.state == .completed)
        for request in origin.requests {
            let isHome = request.url.origin == bench.url.origin
            #expect((request.headers[.authorization] == "Bearer s3cret") == isHome, "\(request.method)")
        }
        #expect(origin.requests.contains { $0.url.host == "elsewhere.example" })
    }

    @Test(arguments: [true, false])
    func aChangedFileIsNeverMixed(startsOver: Bool) async throws {
        var upload = try await upload()
        upload.startsOverOnChange = startsOver
        origin.order(.stallAfter(0))
        origin.order(.stallAfter(1000))
        let engine = engine()
        let handle = try await engine.upload(upload)
        let work = Task { try await engine.run() }
        try await origin.nextStall()
        origin.release()
        try await origin.nextStall()
        bench.bodies.change("/a.bin")
        origin.release()
        try await work.value
        let end = try await handle.snapshot
        #expect(origin.openUploads == 0, "what came of the former version is removed")
        guard startsOver else {
            #expect(end.latestFailure?.code == .bodyChanged && origin.objects.isEmpty)
            return
        }
        #expect(end.state == .completed && origin.objects == [bench.bytes.map { $0 ^ 0xFF }])
    }

    // MARK: What a cancelled upload leaves

    /// A paused upload, part of which is at the server.
    private func paused() async throws -> TransferHandle {
        let engine = engine(.followed, whenStopped: .pause)
        let handle = try await engine.upload(try await upload())
        origin.order(.stallAfter(0))
        origin.order(.stallAfter(1000))
        let work = Task { try await engine.run() }
        try await origin.nextStall()
        origin.release()
        try await origin.nextStall()
        try await handle.pause()
        _ = await handle.reaches(.paused)
        engine.stop()
        try await work.value
        #expect(origin.openUploads == 1, "a pause leaves what is there")
        return handle
    }

    @Test func aCancelWhileItRunsRemovesItAtOnce() async throws {
        let engine = engine(.followed)
        let handle = try await engine.upload(try await upload())
        origin.order(.stallAfter(0))
        origin.order(.stallAfter(1000))
        let origin = origin
        try await bench.running(engine) {
            try await origin.nextStall()
            origin.release()
            try await origin.nextStall()
            try await handle.cancel()
            _ = await handle.reaches(.cancelled)
        }
        #expect(origin.openUploads == 0 && methods.last == .delete)
        let end = try await handle.snapshot
        #expect(end.state == .cancelled && end.remover == .noOne)
    }

    @Test func theNextEngineRemovesWhatWasCancelledWhileNoneRan() async throws {
        let handle = try await paused()
        let client = bench.client()
        try await client.cancel(handle.id)
        await #expect(throws: StoreError.self) { try await client.remove([handle.id]) }
        #expect(origin.openUploads == 1)
        let engine = engine(.everything(untilDrained: false))
        try await bench.running(engine) {
            while try await client.snapshot(of: handle.id).remover == .anyEngine { await Task.yield() }
        }
        #expect(origin.openUploads == 0 && methods.last == .delete)
        let removal = try #require(origin.requests.last)
        #expect(removal.headers[.authorization] == "Bearer s3cret")
        let end = try await client.snapshot(of: handle.id)
        #expect(end.upload?.specification.exchange.credentials == nil)
        try await client.remove([handle.id])
        await client.close()
    }

    /// As `ferry run` does after `ferry cancel`.
    @Test func anEngineThatDrainsTheQueueRemovesItBeforeItEnds() async throws {
        let handle = try await paused()
        let client = bench.client()
        try await client.cancel(handle.id)
        try await engine().run()
        #expect(origin.openUploads == 0 && methods.last == .delete)
        #expect(try await client.snapshot(of: handle.id).remover == .noOne)
        await client.close()
    }

    @Test func anEngineThatDrainsTheQueueDoesNotWaitForAnUnreachableServer() async throws {
        let handle = try await paused()
        let client = bench.client()
        try await client.cancel(handle.id)
        origin.set(away: true)
        try await engine().run()
        #expect(origin.refusals == 1 && origin.openUploads == 1)
        #expect(try await client.snapshot(of: handle.id).remover == .anyEngine)
        await client.close()
    }

    @Test func anUnreachableServerIsAskedAgainLater() async throws {
        let handle = try await paused()
        let client = bench.client()
        try await client.cancel(handle.id)
        origin.set(away: true)
        let engine = engine(.everything(untilDrained: false))
        let (origin, clock) = (origin, bench.clock)
        try await bench.running(engine) {
            while origin.refusals == 0 { await Task.yield() }
            origin.set(away: false)
            while try await client.snapshot(of: handle.id).remover == .anyEngine {
                clock.advance(by: .seconds(31))
                await Task.yield()
            }
        }
        #expect(origin.openUploads == 0)
        await client.close()
    }

    @Test func itCanBeLeftAtTheServer() async throws {
        let handle = try await paused()
        let client = bench.client()
        try await client.cancel(handle.id)
        try await client.cancel(handle.id, keepingPart: true)
        let end = try await client.snapshot(of: handle.id)
        #expect(end.remover == .noOne && end.work.progress.note?.code == .leftAtServer)
        #expect(origin.openUploads == 1 && !methods.contains(.delete))
        try await client.remove([handle.id])
        await client.close()
    }
}
