import Ferry
import FerryCore
import FerryTesting
import HTTPTypes
import Testing

@Suite("Without a network", .timeLimit(.minutes(10)))
struct EngineNetworkLossTests {
    static let scopes: [EngineConfiguration.Scope] = [.followed, .everything(untilDrained: false)]
    private static let other = "http://other.example/file.bin"

    @Test(arguments: scopes)
    func aLostRouteIsWaitedForWithoutCountingAndTheFileGoesOnFromTheSameByte(
        _ scope: EngineConfiguration.Scope
    ) async throws {
        let bench = try Bench()
        bench.transport.order(.stallAfter(4_000), at: bench.url)
        let engine = bench.engine(scope)
        let handle = try await engine.download(from: bench.url, to: bench.destination)
        try await bench.running(engine) {
            try await bench.transport.nextStall()
            await bench.network.nextQuestion()
            bench.network.lose()
            let waiting = try #require(await handle.reaches(.waiting))
            #expect(waiting.state == .waiting(.network) && waiting.attempts == 0)
            #expect(waiting.downloadProgress.segments.received == 4_000)
            #expect(waiting.latestFailure?.code == .networkUnreachable)
            // An unrelated change: it still waits.
            bench.network.stir()
            bench.network.restore()
            // The clock does not move. It resumes because of the change.
            try await handle.arrives()
        }
        #expect(bench.transport.requests.map { $0.headers[.range] } == [nil, "bytes=4000-"])
        #expect(try bench.published == bench.bytes)
    }

    static let ofTheNetwork: [Problem] = [
        .transient(.nameNotResolved, "No such name."), .transient(.connectionLost, "It broke."),
        .transient(.timeout, "Nothing came."), .transient(.proxyFailed, "The proxy is away."),
        .condition(.network, .networkUnreachable, "No route."),
    ]

    @Test(arguments: ofTheNetwork)
    func aFailureWithoutARouteIsTheNetworks(_ problem: Problem) async throws {
        let bench = try Bench()
        bench.network.lose()
        bench.transport.order(.refuse(problem), at: bench.url)
        let engine = bench.engine()
        var options = DownloadOptions()
        options.retries = 1
        let handle = try await engine.download(from: bench.url, to: bench.destination, options: options)
        try await bench.running(engine) {
            let waiting = try #require(await handle.reaches(.waiting))
            #expect(waiting.state == .waiting(.network) && waiting.attempts == 0)
            bench.network.restore()
            try await handle.arrives()
        }
    }

    @Test(arguments: ofTheNetwork)
    func withoutRetriesAFailureWithoutARouteIsFinal(_ problem: Problem) async throws {
        let bench = try Bench()
        bench.network.lose()
        bench.transport.order(.refuse(problem), at: bench.url)
        var options = DownloadOptions()
        options.retries = 0
        let transfer = try await bench.fetch(options)
        #expect(transfer.state.name == .failed && transfer.latestFailure?.code == .networkUnreachable)
        #expect(bench.transport.requests.count == 1)
    }

    @Test func withoutRetriesANetworkThatIsLostMeanwhileIsNotWaitedFor() async throws {
        let bench = try Bench()
        bench.transport.order(.stallAfter(4_000), at: bench.url)
        bench.transport.order(.refuse(Self.ofTheNetwork[0]), at: bench.url)
        let engine = bench.engine()
        var options = DownloadOptions()
        options.retries = 0
        let handle = try await engine.download(from: bench.url, to: bench.destination, options: options)
        try await bench.running(engine) {
            try await bench.transport.nextStall()
            await bench.network.nextQuestion()
            bench.network.lose()
            let failed = try #require(await handle.reaches(.failed))
            #expect(failed.latestFailure?.code == .networkUnreachable)
            #expect(failed.downloadProgress.segments.received == 4_000)
        }
        #expect(bench.transport.requests.count == 2)
    }

    @Test func whatIsNotTheNetworksFailsWithoutARouteAsWell() async throws {
        let bench = try Bench()
        bench.network.lose()
        bench.transport.order(.answer(status: 404, [:]), at: bench.url)
        #expect(try await bench.fetch().state.name == .failed)
    }

    @Test(arguments: [true, false])
    func aHostOfWhichTheResolverKnowsNothingIsGivenUpWhereTheNetworkIsThere(_ isWatched: Bool) async throws {
        let bench = try Bench()
        if !isWatched { bench.network.forget() }
        var problem = Self.ofTheNetwork[0]
        problem.isUnknownHost = true
        for _ in 0..<4 { bench.transport.order(.refuse(problem), at: bench.url) }
        let engine = bench.engine()
        let handle = try await engine.download(from: bench.url, to: bench.destination)
        try await bench.advancing { try await engine.run() }
        // A resolver without a network may have given the same error.
        #expect(try await handle.snapshot.state.name == (isWatched ? .failed : .completed))
        #expect(bench.transport.requests.count == (isWatched ? 3 : 5))
    }

    @Test func aHostOfWhichTheResolverKnowsNothingIsWaitedForWhileTheNetworkIsAway() async throws {
        let bench = try Bench()
        bench.network.lose()
        var problem = Self.ofTheNetwork[0]
        problem.isUnknownHost = true
        bench.transport.order(.refuse(problem), at: bench.url)
        let engine = bench.engine()
        let handle = try await engine.download(from: bench.url, to: bench.destination)
        try await bench.running(engine) {
            let waiting = try #require(await handle.reaches(.waiting))
            #expect(waiting.state == .waiting(.network) && waiting.ledger.unknownHosts == 0)
            bench.network.restore()
            try await handle.arrives()
        }
    }

    @Test func whereNobodyWatchesItIsTriedAgainAndCounts() async throws {
        let bench = try Bench()
        bench.network.forget()
        bench.transport.order(
            .refuse(.condition(.network, .networkUnreachable, "There is no route.")),
            at: bench.url
        )
        let engine = bench.engine()
        let handle = try await engine.download(from: bench.url, to: bench.destination)
        try await bench.running(engine) {
            let waiting = try #require(await handle.reaches(.waiting))
            guard case .waiting(.retry) = waiting.state else {
                Issue.record("it waits for \(waiting.state)")
                return
            }
            #expect(waiting.attempts == 1)
        }
    }

    @Test func aWaitThatAnotherProcessLeftEndsWhereNobodyWatches() async throws {
        let bench = try Bench()
        let id = try await bench.waitingForNetwork()
        bench.network.forget()
        let engine = bench.engine(.everything(untilDrained: true))
        try await engine.run()
        #expect(try await engine.snapshot(of: id).state == .completed)
    }

    @Test func aWaitThatAnotherProcessLeftEndsWhenThereIsARoute() async throws {
        let bench = try Bench()
        let id = try await bench.waitingForNetwork()
        let engine = bench.engine(.everything(untilDrained: true))
        async let work: Void = engine.run()
        await bench.network.nextQuestion()
        #expect(try await engine.snapshot(of: id).state == .waiting(.network))
        bench.network.restore()
        try await work
        #expect(try await engine.snapshot(of: id).state == .completed)
    }

    @Test func aWaitEndsInASecondRunOfTheSameEngine() async throws {
        let bench = try Bench()
        let engine = bench.engine(.everything(untilDrained: true))
        try await engine.run()
        let id = try await bench.waitingForNetwork()
        async let work: Void = engine.run()
        await bench.network.nextQuestion()
        bench.network.restore()
        try await work
        #expect(try await engine.snapshot(of: id).state == .completed)
    }

    @Test func onlyConnectionsWhoseRouteIsLostAreCut() async throws {
        let bench = try Bench()
        let other = try HTTPURL(parsing: Self.other)
        bench.transport.set(ScriptedResource(bench.bytes, entityTag: "\"v1\""), at: other)
        for url in [bench.url, other] { bench.transport.order(.stallAfter(4_000), at: url) }
        let engine = bench.engine()
        let stays = try await engine.download(from: bench.url, to: bench.destination)
        let goes = try await engine.download(
            from: other,
            to: .file(directory: "/d", name: try FileName(userGiven: "other.bin"))
        )
        try await bench.running(engine) {
            for _ in 0..<2 {
                try await bench.transport.nextStall()
                await bench.network.nextQuestion()
            }
            bench.network.lose("other.example")
            let waiting = try #require(await goes.reaches(.waiting))
            #expect(waiting.state == .waiting(.network))
            #expect(try await stays.snapshot.state == .active)
            bench.network.restore("other.example")
            try await goes.arrives()
            #expect(try await stays.snapshot.state == .active)
            bench.transport.release()
            try await stays.arrives()
        }
        let asked = bench.transport.requests.filter { $0.url == bench.url }
        #expect(asked.map { $0.headers[.range] } == [nil])
    }

    static let changes: [@Sendable (ScriptedNetworkMonitor) -> Void] = [
        { $0.restore(over: 2) }, { $0.wake() },
    ]

    @Test(arguments: changes.indices, [0, 19])
    func anotherRouteOrAMachineThatSleptRestartsConnectionsAtOnce(_ change: Int, retries: Int) async throws {
        let bench = try Bench()
        bench.transport.order(.stallAfter(4_000), at: bench.url)
        let engine = bench.engine()
        var options = DownloadOptions()
        options.retries = retries
        let handle = try await engine.download(from: bench.url, to: bench.destination, options: options)
        try await bench.running(engine) {
            try await bench.transport.nextStall()
            await bench.network.nextQuestion()
            Self.changes[change](bench.network)
            try await handle.arrives()
        }
        #expect(bench.transport.requests.map { $0.headers[.range] } == [nil, "bytes=4000-"])
        let transfer = try await handle.snapshot
        #expect(transfer.attempts == 1 && transfer.downloadProgress.status == 200)
    }

    @Test func theQueueIsNotDrainedWhileATransferWaitsForTheNetwork() async throws {
        let bench = try Bench()
        bench.network.lose()
        bench.transport.order(.refuse(Self.ofTheNetwork[0]), at: bench.url)
        let engine = bench.engine(.everything(untilDrained: true))
        let handle = try await engine.download(from: bench.url, to: bench.destination)
        async let work: Void = engine.run()
        _ = try #require(await handle.reaches(.waiting))
        for _ in 0..<5 { bench.network.stir() }
        bench.network.restore()
        try await work
        #expect(try await handle.snapshot.state == .completed)
    }

    @Test func whatHadFailedBeforeTheNetworkWentStillCounts() async throws {
        let bench = try Bench()
        bench.transport.order(.breakAfter(0), at: bench.url)
        bench.transport.order(.stallBeforeHead, at: bench.url)
        let engine = bench.engine()
        let handle = try await engine.download(from: bench.url, to: bench.destination)
        try await bench.running(engine) {
            #expect(await handle.reaches(.waiting)?.attempts == 1)
            await bench.network.nextQuestion()
            bench.clock.advance(by: .seconds(2))
            try await bench.transport.nextStall()
            bench.network.lose()
            for await update in handle.events where update.transfer.state == .waiting(.network) {
                #expect(update.transfer.attempts == 1)
                break
            }
            bench.network.restore()
            _ = try await handle.value()
        }
        #expect(try await handle.snapshot.attempts == 2)
    }

    @Test func theHostThatARedirectNamesIsTheOneThatCounts() async throws {
        let bench = try Bench()
        var redirect = ScriptedResource([])
        redirect.redirect = (302, Self.other)
        let other = try HTTPURL(parsing: Self.other)
        bench.transport.set(redirect, at: bench.url)
        bench.transport.set(ScriptedResource(bench.bytes, entityTag: "\"v1\""), at: other)
        bench.transport.order(.refuse(Self.ofTheNetwork[1]), at: other)
        bench.network.lose("other.example")
        let engine = bench.engine()
        let handle = try await engine.download(from: bench.url, to: bench.destination)
        try await bench.running(engine) {
            #expect(await handle.reaches(.waiting)?.state == .waiting(.network))
            for _ in 0..<20 {
                bench.network.stir()
                await bench.network.nextQuestion(about: "other.example")
            }
            // The first host always had a route, and did not get repeated requests.
            #expect(bench.transport.requests.count == 2)
            bench.network.restore("other.example")
            try await handle.arrives()
        }
    }

    @Test func aProxyIsTheHostThatCounts() async throws {
        let bench = try Bench()
        bench.network.lose("origin.example")
        bench.transport.order(.stallAfter(4_000), at: bench.url)
        var options = DownloadOptions()
        options.connection.proxy = Proxy(scheme: .http, host: "proxy.example", port: 3128)
        let engine = bench.engine()
        let handle = try await engine.download(from: bench.url, to: bench.destination, options: options)
        try await bench.running(engine) {
            try await bench.transport.nextStall()
            await bench.network.nextQuestion(about: "proxy.example")
            bench.network.lose("proxy.example")
            #expect(await handle.reaches(.waiting)?.state == .waiting(.network))
            bench.network.restore("proxy.example")
            try await handle.arrives()
        }
        #expect(!bench.network.questions.contains("origin.example"))
    }

    @Test func aPauseWhileItWaitsIsNotTakenBackByTheNetwork() async throws {
        let bench = try Bench()
        let other = try HTTPURL(parsing: Self.other)
        for url in [bench.url, other] {
            bench.network.lose(url.host)
            bench.transport.order(.refuse(Self.ofTheNetwork[0]), at: url)
        }
        let engine = bench.engine(.everything(untilDrained: false))
        let handle = try await engine.download(from: bench.url, to: bench.destination)
        let witness = try await engine.download(
            from: other,
            to: .file(directory: "/d", name: try FileName(userGiven: "other.bin"))
        )
        try await bench.running(engine) {
            _ = await handle.reaches(.waiting)
            _ = await witness.reaches(.waiting)
            try await handle.pause()
            bench.network.restore(bench.url.host)
            bench.network.forgetQuestions()
            // The check in progress, one that began after the network came back, and its end.
            for _ in 0..<3 {
                bench.network.stir()
                await bench.network.nextQuestion(about: other.host)
            }
            #expect(try await handle.snapshot.state == .paused)
            try await handle.resume()
            try await handle.arrives()
        }
    }
}

extension TransferHandle {
    /// Waits until all bytes are there.
    fileprivate func arrives() async throws {
        let length = try await value().length
        #expect(length == 10_000)
    }
}

extension Bench {
    /// A transfer that waits for the network without an owner, as a dead process leaves it.
    fileprivate func waitingForNetwork() async throws -> TransferID {
        network.lose()
        transport.order(.refuse(EngineNetworkLossTests.ofTheNetwork[0]), at: url)
        let engine = engine(.everything(untilDrained: false))
        let handle = try await engine.download(from: url, to: destination)
        try await running(engine) { _ = await handle.reaches(.waiting) }
        network.forgetQuestions()
        return handle.id
    }
}
