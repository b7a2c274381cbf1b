import Ferry
import FerryCore
import FerryTesting
import HTTPTypes
import Testing

@Suite("Retries after transient failures, on the clock", .timeLimit(.minutes(10)))
struct RetryingTests {
    @Test func aBrokenConnectionGoesOnAfterTheBackoff() async throws {
        let bench = try Bench()
        bench.transport.order(.breakAfter(4_000), at: bench.url)
        let engine = bench.engine(.everything(untilDrained: false))
        let length = try await bench.running(engine) {
            let handle = try await engine.download(from: bench.url, to: bench.destination)
            let waiting = try #require(await handle.reaches(.waiting))
            guard case .waiting(.retry(let at)) = waiting.state else {
                Issue.record("it waits for \(waiting.state)")
                return Int64(-1)
            }
            #expect(at <= bench.clock.now.advanced(by: .seconds(1)))
            #expect(waiting.latestFailure?.code == .connectionLost && waiting.attempts == 1)
            let first = bench.clock.now
            #expect(waiting.attemptStarted == first)
            bench.clock.advance(by: .seconds(2))
            let length = try await handle.value().length
            #expect(try await handle.snapshot.attemptStarted == first.advanced(by: .seconds(2)))
            #expect(try await engine.attempts(of: handle.id).map(\.started) == [first])
            return length
        }
        #expect(length == 10_000)
        #expect(bench.transport.requests.map { $0.headers[.range] } == [nil, "bytes=4000-"])
        #expect(try bench.published == bench.bytes)
    }

    @Test func aRetryKeepsTheStatusOfTheFirstAnswerAndALaterCommandDoesNot() async throws {
        let bench = try Bench()
        for _ in 0..<2 { bench.transport.order(.breakAfter(4_000), at: bench.url) }
        let engine = bench.engine()
        let handle = try await engine.download(from: bench.url, to: bench.destination)
        try await bench.advancing { try await engine.run() }
        #expect(bench.transport.requests.map { $0.headers[.range] } == [nil, "bytes=4000-", "bytes=8000-"])
        #expect(try await handle.snapshot.downloadProgress.status == 200)

        let other = try Bench()
        let stopped = other.engine()
        let (first, work) = try await other.stalled(after: 4_000, under: stopped)
        work.cancel()
        try await work.value
        #expect(try await first.snapshot.downloadProgress.status == 200)
        let again = other.engine()
        let resumed = try await again.download(from: other.url, to: other.destination)
        try await again.run()
        #expect(try await resumed.snapshot.downloadProgress.status == 206)
    }

    @Test(arguments: UInt64(0)..<4)
    func aPowerCutDuringTheWaitCostsNoByte(seed: UInt64) async throws {
        let bench = try Bench()
        bench.transport.order(.breakAfter(4_000), at: bench.url)
        let engine = bench.engine(.everything(untilDrained: false))
        try await bench.running(engine) {
            let handle = try await engine.download(from: bench.url, to: bench.destination)
            let waiting = try #require(await handle.reaches(.waiting))
            #expect(waiting.downloadProgress.segments.durableBytes == 4_000)
        }
        // The sync of such a short file does not make its name durable. Another file in the directory does.
        bench.files.put(.file, as: try FileName(userGiven: "bystander"), in: "/d")
        bench.machine.reboot()
        bench.files.losePower(seed: seed)
        let again = bench.engine(.everything(untilDrained: true))
        try await bench.advancing { try await again.run() }
        #expect(bench.transport.requests.map { $0.headers[.range] } == [nil, "bytes=4000-"], "seed \(seed)")
        #expect(try bench.published == bench.bytes, "seed \(seed)")
    }

    @Test func aRetryIsNotDelayedByAClockThatIsSetBack() async throws {
        let bench = try Bench()
        bench.transport.order(.answer(status: 503, [.retryAfter: "1800"]), at: bench.url)
        let engine = bench.engine(.everything(untilDrained: false))
        try await bench.running(engine) {
            let handle = try await engine.download(from: bench.url, to: bench.destination)
            let waiting = try #require(await handle.reaches(.waiting))
            bench.clock.jump(to: waiting.updated.advanced(by: .seconds(-3600)))
            try await bench.advance { try await handle.snapshot.state == .completed }
            #expect(bench.clock.now < waiting.updated, "it waited until the clock showed the moment again")
        }
        #expect(try bench.published == bench.bytes)
    }

    @Test func withoutRetriesOneFailureIsTheEnd() async throws {
        let bench = try Bench()
        bench.transport.order(.breakAfter(4_000), at: bench.url)
        let engine = bench.engine()
        var options = DownloadOptions()
        options.retries = 0
        let handle = try await engine.download(from: bench.url, to: bench.destination, options: options)
        try await engine.run()
        await #expect(throws: TransferFailure.self) { try await handle.value() }
        #expect(bench.transport.requests.count == 1)
        #expect(bench.files.names(in: "/d") == ["file.bin.part"])
        // The same command resumes from there.
        let again = bench.engine()
        let revived = try await again.download(from: bench.url, to: bench.destination)
        try await again.run()
        #expect(revived.id == handle.id)
        #expect(bench.transport.requests.last?.headers[.range] == "bytes=4000-")
        #expect(try bench.published == bench.bytes)
    }

    @Test func aFailedTransferGoesOnWhenItIsResumedInTheSameEngine() async throws {
        let bench = try Bench()
        bench.transport.order(.answer(status: 404, [:]), at: bench.url)
        let engine = bench.engine(.everything(untilDrained: false))
        let length = try await bench.running(engine) {
            let handle = try await engine.download(from: bench.url, to: bench.destination)
            await #expect(throws: TransferFailure.self) { try await handle.value() }
            try await handle.resume()
            return try await handle.value().length
        }
        #expect(length == 10_000)
    }

    @Test func aNewVersionStartsOverAndIsNeverMixed() async throws {
        let bench = try Bench()
        bench.transport.order(.breakAfter(4_000), at: bench.url)
        let engine = bench.engine(.everything(untilDrained: false))
        let fresh = [UInt8](repeating: 0xAB, count: 7_000)
        try await bench.running(engine) {
            let handle = try await engine.download(from: bench.url, to: bench.destination)
            _ = await handle.reaches(.waiting)
            bench.transport.set(ScriptedResource(fresh, entityTag: "\"v2\""), at: bench.url)
            bench.clock.advance(by: .seconds(2))
            _ = try await handle.value()
        }
        #expect(try bench.published == fresh)
    }

    @Test func aDueTransferOfSomebodyElseIsNoReasonToWakeUp() async throws {
        let bench = try Bench()
        let others = try HTTPURL(parsing: "http://origin.example/other")
        bench.transport.order(.refuse(.transient(.connectionRefused, "No listener.")), at: others)
        let queue = bench.engine(.everything(untilDrained: false))
        let specification = DownloadSpecification(
            url: others,
            destination: .file(directory: "/d", name: try FileName(userGiven: "other"))
        )
        try await bench.running(queue) {
            let id = try await queue.add([NewTransfer(specification)])[0].transfer.id
            _ = await queue.transfer(id).reaches(.waiting)
        }
        bench.clock.advance(by: .seconds(600))
        bench.transport.order(.stallAfter(1_000), at: bench.url)
        let engine = bench.engine()
        _ = try await engine.download(from: bench.url, to: bench.destination)
        async let work: Void = engine.run()
        try await bench.transport.nextStall()
        // Only the ticks of the attempt, the search for dead owners and the removal of old transfers: no timer of a millisecond.
        #expect(bench.clock.sleepers <= 3)
        bench.transport.release()
        try await work
        #expect(bench.transport.requests.count == 2)
    }
}
