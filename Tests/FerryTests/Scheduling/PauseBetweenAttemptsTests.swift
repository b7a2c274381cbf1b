import Ferry
import FerryCore
import FerryTesting
import Testing

@Suite("A pause between attempts", .timeLimit(.minutes(10)))
struct PauseBetweenAttemptsTests {
    private static let pause: Duration = .milliseconds(700)

    private func engine(
        _ bench: Bench,
        _ scope: EngineConfiguration.Scope = .everything(untilDrained: false),
        pause: Duration = Self.pause
    ) -> TransferEngine {
        bench.engine(scope, configure: { $0.pauseBetweenAttempts = pause })
    }

    /// URLs of `count` files.
    private func urls(_ bench: Bench, _ count: Int) throws -> [HTTPURL] {
        try (0..<count).map { number in
            let url = try HTTPURL(parsing: "http://origin.example/\(number).bin")
            bench.transport.set(ScriptedResource(bench.bytes, entityTag: "\"v1\""), at: url)
            return url
        }
    }

    private func add(_ urls: [HTTPURL], to engine: TransferEngine) async throws -> [TransferHandle] {
        var handles: [TransferHandle] = []
        for url in urls {
            handles.append(
                try await engine.download(from: url, to: .file(directory: "/d", name: nil))
            )
        }
        return handles
    }

    @Test func theNextAttemptStartsWhenThePauseIsOverAndNotBefore() async throws {
        let bench = try Bench()
        let urls = try urls(bench, 2)
        let engine = engine(bench)
        try await bench.running(engine) {
            let handles = try await add(urls, to: engine)
            _ = try await handles[0].value()
            // The loop sets its own timer: no regular look is that early.
            while let timer = await bench.clock.nextTimer(), timer != Self.pause {}
            bench.clock.advance(by: Self.pause - .milliseconds(1))
            #expect(await engine.isResponsive())
            #expect(bench.transport.requests.count == 1)
            bench.clock.advance(by: .milliseconds(1))
            _ = try await handles[1].value()
        }
        #expect(bench.clock.elapsed == Self.pause)
        #expect(bench.transport.requests.map(\.url) == urls)
    }

    @Test func oneAttemptRunsAtATime() async throws {
        let bench = try Bench()
        let urls = try urls(bench, 3)
        for url in urls { bench.transport.order(.stallAfter(1_000), at: url) }
        let engine = engine(bench)
        try await bench.running(engine) {
            _ = try await add(urls, to: engine)
            try await bench.transport.nextStall()
            #expect(await engine.isResponsive())
            #expect(try await engine.counts()[.active] == 1)
            #expect(bench.transport.requests.count == 1)
        }
    }

    @Test func aRetryWaitsForThePauseToo() async throws {
        let bench = try Bench()
        bench.transport.order(.breakAfter(4_000), at: bench.url)
        let engine = engine(bench, pause: .seconds(3600))
        try await bench.running(engine) {
            let handle = try await engine.download(from: bench.url, to: bench.destination)
            let waiting = try #require(await handle.reaches(.waiting))
            guard case .waiting(.retry(let due)) = waiting.state else {
                Issue.record("it waits for \(waiting.state)")
                return
            }
            #expect(due < waiting.updated.advanced(by: .seconds(60)))
            try await bench.advance { try await handle.snapshot.state == .completed }
            let started = try #require(try await handle.snapshot.attemptStarted)
            #expect(started >= waiting.updated.advanced(by: .seconds(3600)))
        }
        #expect(bench.transport.requests.count == 2)
    }

    @Test(
        "after the last attempt, an engine that is to end does not wait",
        arguments: [EngineConfiguration.Scope.followed, .everything(untilDrained: true)]
    )
    func doesNotWaitAfterTheLast(scope: EngineConfiguration.Scope) async throws {
        let bench = try Bench()
        let engine = engine(bench, scope)
        _ = try await engine.download(from: bench.url, to: bench.destination)
        try await engine.run()
        #expect(bench.clock.elapsed == .zero)
        #expect(try bench.published == bench.bytes)
    }

    @Test(
        "an engine that is to end when none is left runs all of them",
        arguments: [EngineConfiguration.Scope.followed, .everything(untilDrained: true)]
    )
    func runsAll(scope: EngineConfiguration.Scope) async throws {
        let bench = try Bench()
        let urls = try urls(bench, 3)
        let engine = engine(bench, scope)
        let handles = try await add(urls, to: engine)
        try await bench.advancing { try await engine.run() }
        var earlier: Transfer?
        for handle in handles {
            let transfer = try await handle.snapshot
            #expect(transfer.state == .completed)
            let started = try #require(transfer.attemptStarted)
            if let end = earlier?.finished { #expect(started >= end.advanced(by: Self.pause)) }
            earlier = transfer
        }
    }

    @Test func aClockThatIsSetBackDoesNotMakeThePauseLonger() async throws {
        let bench = try Bench()
        let urls = try urls(bench, 2)
        let engine = engine(bench, pause: .seconds(10))
        try await bench.running(engine) {
            let handles = try await add(urls, to: engine)
            _ = try await handles[0].value()
            let end = bench.clock.now
            bench.clock.jump(to: end.advanced(by: .seconds(-36_000)))
            try await bench.advance { try await handles[1].snapshot.state == .completed }
            #expect(bench.clock.now < end, "it waited until the clock showed the moment again")
        }
    }
}
