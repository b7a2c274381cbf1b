import Ferry
import FerryCore
import FerryTesting
import HTTPTypes
import Synchronization
import Testing

@Suite("The application says what became of a request", .timeLimit(.minutes(10)))
struct ResolvingTests {
    private struct Refusal: Error {}

    private typealias Outcome = @Sendable (TransferID, HTTPURL) async throws -> RequestOutcome?

    private func engine(
        _ bench: Bench,
        _ scope: EngineConfiguration.Scope = .followed,
        as process: Bench.Process? = nil,
        _ outcome: Outcome?
    ) -> TransferEngine {
        bench.engine(scope, as: process, configure: { $0.resolveOutcome = outcome })
    }

    /// A request that the server may have acted on before it failed.
    private func request(_ bench: Bench) throws -> RequestSpecification {
        bench.transport.order(.answer(status: 500, [:]), at: bench.url)
        return try RequestSpecification(method: .post, url: bench.url, body: StoredBody("a".utf8))
    }

    @Test(arguments: RequestOutcome.allCases)
    func anAnswerEndsTheDoubtAndNoFailureIsSeen(_ outcome: RequestOutcome) async throws {
        let bench = try Bench()
        let asked = Mutex<[HTTPURL]>([])
        let engine = engine(bench) { _, url in
            asked.withLock { $0.append(url) }
            return outcome
        }
        let handle = try await engine.send(try request(bench))
        let events = handle.events
        let seen = try await bench.running(engine) {
            var seen: [TransferState.Name] = []
            for await update in events {
                seen.append(update.transfer.state.name)
                if update.transfer.state.isFinal { break }
            }
            return seen
        }
        #expect(seen.last == .completed && !seen.contains(.failed), "\(seen)")
        #expect(asked.withLock { $0 } == [bench.url])
        #expect(bench.transport.requests.count == (outcome == .arrived ? 1 : 2))
    }

    @Test func theCopyOfABodyGoesWithTheRequestThatHasArrived() async throws {
        let bench = try Bench()
        let engine = engine(bench) { _, _ in .arrived }
        let (parts, input) = AsyncStream.makeStream(of: [UInt8].self)
        input.yield([1])
        input.finish()
        bench.transport.order(.answer(status: 500, [:]), at: bench.url)
        let body = try await engine.copyBody(parts)
        let handle = try await engine.send(
            try RequestSpecification(method: .post, url: bench.url, body: body)
        )
        #expect(bench.bodies.copies.count == 1)
        let end = try await bench.running(engine) { await handle.reaches(.completed) }
        #expect(end != nil && bench.bodies.copies.isEmpty)
    }

    @Test func whatTheApplicationDoesNotKnowIsLeftToAPersonAndNotAskedAgain() async throws {
        let bench = try Bench()
        let count = Mutex(0)
        let engine = engine(bench, .everything(untilDrained: true)) { _, _ in
            count.withLock { $0 += 1 }
            return nil
        }
        let handle = try await engine.send(try request(bench))
        async let failed = handle.reaches(.failed)
        try await engine.run()
        #expect(await failed != nil)
        try await engine.run()
        #expect(count.withLock { $0 } == 1)
        // After a person has had it sent again, there is a new doubt.
        bench.transport.order(.answer(status: 500, [:]), at: bench.url)
        bench.clock.advance(by: .seconds(1))
        try await engine.resolve(handle.id, as: .notArrived)
        try await bench.advancing { try await engine.run() }
        #expect(count.withLock { $0 } == 2)
    }

    @Test func oneThatThrowsIsAskedAgainAndThenItIsLeftToAPerson() async throws {
        let bench = try Bench()
        let count = Mutex(0)
        let engine = engine(bench) { _, _ in
            count.withLock { $0 += 1 }
            throw Refusal()
        }
        var request = try request(bench)
        request.retries = 2
        let handle = try await engine.send(request)
        let failure = await #expect(throws: TransferFailure.self) {
            try await bench.running(engine) { try await bench.advancing { try await handle.response() } }
        }
        #expect(failure?.code == .outcomeUnknown && count.withLock { $0 } == 3)
    }

    /// Left by an engine that could not ask, and by a process that died.
    @Test(arguments: [true, false], [true, false])
    func whatAnEarlierProcessLeftIsAskedAbout(isDead: Bool, isDrained: Bool) async throws {
        let bench = try Bench()
        let process = bench.machine.spawn()
        let first = bench.engine(as: process)
        let request = try request(bench)
        if isDead {
            let url = try HTTPURL(parsing: "http://origin.example/stalled")
            bench.transport.set(ScriptedResource([1]), at: url)
            bench.transport.order(.stallBeforeHead, at: url)
            let handle = try await first.send(try RequestSpecification(method: .post, url: url))
            let work = Task { try await first.run() }
            try await bench.transport.nextStall()
            bench.machine.kill(process)
            try await resolve(handle.id, isDrained: isDrained, bench)
            work.cancel()
            bench.transport.release()
            _ = await work.result
        } else {
            let handle = try await first.send(request)
            _ = await #expect(throws: TransferFailure.self) {
                try await bench.running(first) { try await handle.response() }
            }
            try await resolve(handle.id, isDrained: isDrained, bench)
        }
    }

    private func resolve(_ id: TransferID, isDrained: Bool, _ bench: Bench) async throws {
        let engine = engine(bench, .everything(untilDrained: isDrained)) { _, _ in .arrived }
        let events = engine.transfer(id).events
        async let seen = {
            for await update in events where update.transfer.state.isFinal {
                return update.transfer.state.name
            }
            return .queued
        }()
        async let work: Void = engine.run()
        #expect(await seen == .completed)
        engine.stop()
        try await work
        #expect(try await bench.store.transfer(id)?.state == .completed)
    }

    @Test func whatAPersonSaysMeanwhileTakesPrecedence() async throws {
        let bench = try Bench()
        let client = bench.client()
        let engine = engine(bench) { id, _ in
            try await client.resolve(id, as: .arrived)
            return .notArrived
        }
        let handle = try await engine.send(try request(bench))
        let end = try await bench.running(engine) { await handle.reaches(.completed) }
        #expect(end != nil && bench.transport.requests.count == 1)
    }
}
