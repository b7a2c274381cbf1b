import Ferry
import FerryCore
import FerryTesting
import Testing

/// Only a few transfers find out that a host is unreachable, for any number of transfers in the queue.
@Suite("Transfers of an unreachable host", .timeLimit(.minutes(10)))
struct HeldHostsTests {
    static let scopes: [EngineConfiguration.Scope] = [.followed, .everything(untilDrained: true)]
    private static let slots = 4

    @Test(arguments: scopes)
    func aFewAreTriedHoweverManyStandInLineAndAllGoOnWhenThereIsAWay(
        _ scope: EngineConfiguration.Scope
    ) async throws {
        let bench = try Bench()
        bench.network.lose()
        let engine = bench.offlineEngine(scope, slots: Self.slots)
        let handles = try await bench.download(
            300,
            from: "origin.example",
            with: engine,
            isFollowed: scope == .followed
        )
        let added = try await bench.all()
        try await bench.running(engine) {
            _ = try #require(await handles[0].reaches(.waiting))
            bench.network.forgetQuestions()
            // The first check may begin before the other transfers wait.
            for _ in 0..<3 { try await bench.pass(untilAskedFor: "origin.example") }
            let rows = try await bench.all()
            let tried = rows.filter { $0.state == .waiting(.network) }
            #expect(tried.count <= Self.slots && tried.allSatisfy { $0.attempts == 0 })
            let untouched = Set(added.filter { old in !tried.contains { $0.id == old.id } })
            #expect(untouched == Set(rows).subtracting(tried), "nothing is written for the others")
            let requests = bench.transport.requests.count
            for _ in 0..<40 { try await bench.pass(untilAskedFor: "origin.example") }
            #expect(try await bench.all() == rows, "nor for any other, after any time")
            #expect(bench.transport.requests.count == requests)
            bench.network.restore()
            // The clock does not move.
            for handle in handles { _ = try await handle.value() }
        }
        #expect(bench.transport.requests.count == 300)
    }

    @Test func theQueueIsNotDrainedBeforeThoseBehindHaveGoneEvenIfTheFewWereCancelled() async throws {
        let bench = try Bench()
        bench.network.lose()
        let engine = bench.offlineEngine(.everything(untilDrained: true), slots: 1)
        let handles = try await bench.download(3, from: "origin.example", with: engine)
        async let work: Void = engine.run()
        _ = try #require(await handles[0].reaches(.waiting))
        try await handles[0].cancel()
        for _ in 0..<3 { try await bench.pass(untilAskedFor: "origin.example") }
        #expect(try await bench.all().map(\.state) == [.cancelled, .queued, .queued])
        bench.network.restore()
        try await work
        #expect(try await bench.all().map(\.state) == [.cancelled, .completed, .completed])
    }

    @Test func aRunEndsWhenAllBehindAHostAreGivenUp() async throws {
        let bench = try Bench()
        bench.network.lose()
        let engine = bench.offlineEngine(.everything(untilDrained: true), slots: 1)
        let handles = try await bench.download(3, from: "origin.example", with: engine)
        let work = Task { try await engine.run() }
        _ = try #require(await handles[0].reaches(.waiting))
        for handle in handles { try await handle.cancel() }
        try await bench.advancing { try await work.value }
        #expect(bench.network.isAway)
    }

    @Test func anotherHostIsNotHeldBack() async throws {
        let bench = try Bench()
        bench.network.lose("away.example")
        let engine = bench.offlineEngine(.everything(untilDrained: false), slots: 1)
        let away = try await bench.download(20, from: "away.example", with: engine)
        let near = try await bench.download(20, from: "near.example", with: engine)
        try await bench.running(engine) {
            for handle in near { _ = try await handle.value() }
            bench.network.restore("away.example")
            for handle in away { _ = try await handle.value() }
        }
    }

    @Test func whatAnotherProcessLeftWaitingHoldsBackWhoComesAfterIt() async throws {
        let bench = try Bench()
        bench.network.lose()
        let first = bench.offlineEngine(.everything(untilDrained: false), slots: 1)
        let handles = try await bench.download(30, from: "origin.example", with: first)
        try await bench.running(first) { _ = try #require(await handles[0].reaches(.waiting)) }
        let second = bench.offlineEngine(.everything(untilDrained: true), slots: 1)
        async let work: Void = second.run()
        for _ in 0..<20 { try await bench.pass(untilAskedFor: "origin.example") }
        // A new engine may try one more transfer before its first check.
        #expect(try await bench.all().count { $0.state == .waiting(.network) } <= 2)
        bench.network.restore()
        try await work
        #expect(try await bench.all().allSatisfy { $0.state == .completed })
    }

    @Test func oneWithAMirrorThatCanBeReachedIsNotHeldForEver() async throws {
        let bench = try Bench()
        bench.network.lose("away.example")
        let engine = bench.offlineEngine(.everything(untilDrained: false), slots: 1)
        let away = try await bench.download(1, from: "away.example", with: engine)
        try await bench.running(engine) {
            _ = try #require(await away[0].reaches(.waiting))
            var options = DownloadOptions()
            let mirror = try HTTPURL(parsing: "http://mirror.example/file.bin")
            bench.transport.set(ScriptedResource(bench.bytes, entityTag: "\"v1\""), at: mirror)
            options.mirrors = [mirror]
            let mirrored = try await engine.download(
                from: try HTTPURL(parsing: "http://away.example/other.bin"),
                to: bench.destination,
                options: options
            )
            let download = try await bench.advancing { try await mirrored.value() }
            #expect(download.length == 10_000)
            #expect(try await away[0].snapshot.state == .waiting(.network))
        }
    }
}

/// The transport of a machine that may have no network.
private struct OfflineTransport: HTTPTransport {
    let base: ScriptedTransport
    let network: ScriptedNetworkMonitor

    func withResponse<Result: Sendable>(
        to request: TransportRequest,
        _ handle: @Sendable (ResponseHead, any ResponseBody) async throws -> Result
    ) async throws -> Result {
        guard network.hasRoute(to: request.url.host) else {
            throw Problem.transient(.nameNotResolved, "The name \(request.url.host) could not be resolved.")
        }
        return try await base.withResponse(to: request, handle)
    }

    func shutdown() async { await base.shutdown() }
}

extension Bench {
    fileprivate func offlineEngine(_ scope: EngineConfiguration.Scope, slots: Int) -> TransferEngine {
        var configuration = EngineConfiguration(dataDirectory: "/unused")
        configuration.scope = scope
        configuration.slots = slots
        let seams = EngineSeams(
            client: ClientSeams(
                store: store,
                files: files,
                bodies: MemoryBodyFiles(),
                clock: clock,
                host: machine.spawn()
            ),
            transport: OfflineTransport(base: transport, network: network),
            network: network,
            random: SeededRandom(seed: 1)
        )
        return TransferEngine(configuration, seams: seams)
    }

    /// Small files of one host.
    fileprivate func download(
        _ count: Int,
        from host: String,
        with engine: TransferEngine,
        isFollowed: Bool = false
    ) async throws -> [TransferHandle] {
        var requests: [NewTransfer] = []
        for number in 0..<count {
            let url = try HTTPURL(parsing: "http://\(host)/\(number)")
            transport.set(ScriptedResource([1, 2, 3], entityTag: "\"v1\""), at: url)
            let name = try FileName(userGiven: "\(host)-\(number)")
            requests.append(
                NewTransfer(DownloadSpecification(url: url, destination: .file(directory: "/d", name: name)))
            )
        }
        // They have no owner, unless this engine only follows the transfers that it runs.
        let additions = try await isFollowed ? engine.download(requests) : engine.add(requests)
        return additions.map { engine.transfer($0.transfer.id) }
    }

    fileprivate func all() async throws -> [Transfer] {
        try await store.transfers(.all, after: nil, limit: .max)
    }

    /// Lets time pass until the engine has checked the routes again.
    fileprivate func pass(untilAskedFor host: String) async throws {
        network.forgetQuestions()
        try await advancing { await self.network.nextQuestion(about: host) }
    }
}
