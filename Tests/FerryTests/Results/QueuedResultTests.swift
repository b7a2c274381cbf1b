import Ferry
import FerryCore
import FerryTesting
import HTTPTypes
import Testing

@Suite("Small results stand in queues, as transfers do", .timeLimit(.minutes(10)))
struct QueuedResultTests {
    private let bench: Bench
    private let engine: TransferEngine

    init() throws {
        bench = try Bench()
        engine = bench.engine(.everything(untilDrained: false))
    }

    private func picture(_ number: Int) throws -> HTTPURL {
        let url = try HTTPURL(parsing: "http://origin.example/\(number).png")
        bench.transport.set(ScriptedResource([UInt8(number)], entityTag: "\"v1\""), at: url)
        return url
    }

    private func set(_ change: (inout TransferQueue) -> Void) async throws {
        var queue = TransferQueue("pictures")
        change(&queue)
        try await engine.setQueue(queue)
    }

    private func fetch(
        _ url: HTTPURL,
        queue: String? = "pictures",
        retries: Int = 0,
        waitsForNetwork: Bool = true
    ) -> ResultHandle {
        engine.fetch(from: url, limit: 99, queue: queue, retries: retries, waitsForNetwork: waitsForNetwork)
    }

    private func failure(of result: ResultHandle) async throws -> TransferFailure.Code {
        try await #require(throws: TransferFailure.self) { try await result.value() }.code
    }

    private var asked: [String] { bench.transport.requests.map(\.url.path) }

    // MARK: Slots

    @Test func theSlotsOfAQueueBindTransfersAndResultsTogether() async throws {
        try await set { $0.slots = 1 }
        bench.transport.order(.stallAfter(100), at: bench.url)
        let download = try await engine.download(from: bench.url, to: bench.destination, queue: "pictures")
        let picture = try picture(1)
        try await bench.running(engine) {
            try await bench.transport.nextStall()
            let result = fetch(picture)
            // One of no queue comes meanwhile, and one that stands in the queue does not.
            #expect(try await fetch(try self.picture(2), queue: nil).value() == [2])
            #expect(asked == ["/file.bin", "/2.png"])
            try await download.cancel()
            #expect(try await result.value() == [1])
        }
    }

    @Test func aTransferWaitsForTheSlotOfAResult() async throws {
        try await set { $0.slots = 1 }
        let picture = try picture(1)
        bench.transport.order(.stallBeforeHead, at: picture)
        let result = fetch(picture)
        try await bench.transport.nextStall()
        let download = try await engine.download(from: bench.url, to: bench.destination, queue: "pictures")
        try await bench.running(engine) {
            #expect(await engine.isResponsive())
            let waiting = try await download.snapshot
            #expect(waiting.state == .queued)
            bench.transport.release()
            let bytes = try await result.value()
            let file = try await download.value()
            #expect(bytes == [1] && file.length == 10_000)
        }
        #expect(asked == ["/1.png", "/file.bin"])
    }

    @Test func aPausedQueueHoldsResultsUntilItIsResumed() async throws {
        try await engine.pauseQueue("pictures")
        let result = fetch(try picture(1))
        // One that stands behind it in the task, and not in the queue.
        #expect(try await fetch(try picture(2), queue: nil).value() == [2])
        #expect(asked == ["/2.png"])
        try await engine.resumeQueue("pictures")
        #expect(try await result.value() == [1])
    }

    @Test func theRateLimitOfTheQueueHoldsForResults() async throws {
        let limit = try RateLimit(parsing: "64K")
        try await set { $0.rateLimit = limit }
        _ = try await fetch(try picture(1)).value()
        _ = try await fetch(try picture(2), queue: nil).value()
        #expect(bench.transport.requests.map { $0.pace.portion(of: 1 << 20) } == [4096, 1 << 20])
    }

    // MARK: Sharing and ending

    @Test func equalRequestsAreSentOnceAndEachCallerMayLeave() async throws {
        let picture = try picture(1)
        bench.transport.order(.stallBeforeHead, at: picture)
        let results = [fetch(picture), fetch(picture), fetch(picture)]
        try await bench.transport.nextStall()
        results[0].cancel()
        await #expect(throws: CancellationError.self) { try await results[0].value() }
        bench.transport.release()
        #expect(try await results[1].value() == [1])
        #expect(try await results[2].value() == [1])
        #expect(asked == ["/1.png"])
    }

    @Test func whoCancelsTheTaskEndsTheFetch() async throws {
        let picture = try picture(1)
        bench.transport.order(.stallBeforeHead, at: picture)
        let work = Task { try await engine.data(from: picture, limit: 99) }
        try await bench.transport.nextStall()
        work.cancel()
        await #expect(throws: CancellationError.self) { try await work.value }
        // The exchange was cut: the next one is a new one.
        #expect(try await engine.data(from: picture, limit: 99) == [1])
        #expect(asked == ["/1.png", "/1.png"])
    }

    @Test func aClosedEngineEndsWhatIsFetched() async throws {
        let picture = try picture(1)
        bench.transport.order(.stallBeforeHead, at: picture)
        let result = fetch(picture)
        try await bench.transport.nextStall()
        await engine.close()
        await #expect(throws: CancellationError.self) { try await result.value() }
        await #expect(throws: CancellationError.self) { try await fetch(picture).value() }
        #expect(bench.transport.isShutDown && asked == ["/1.png"])
    }

    @Test func aStoreThatCannotBeReadFailsWhatStandsInAQueue() async throws {
        await bench.store.close()
        await #expect(throws: StoreError.self) { try await fetch(try picture(1)).value() }
        #expect(try await fetch(try picture(2), queue: nil).value() == [2])
    }

    // MARK: Displacement

    @Test func afterAnHourOfflineOnlyTheLatestOfAScrollingListCome() async throws {
        try await set { ($0.slots, $0.overflow) = (2, .cancelOldestAlsoWaiting) }
        bench.network.lose()
        let pictures = try (0..<6).map(picture)
        let cut = Problem.transient(.connectionLost, "It broke.")
        for picture in pictures { bench.transport.order(.refuse(cut), at: picture) }
        let results = pictures.map { fetch($0, retries: 9) }
        for result in results[..<4] { #expect(try await failure(of: result) == .gaveWay) }
        // Scrolled back to: it is the latest again.
        let again = fetch(pictures[0], retries: 9)
        #expect(try await failure(of: results[4]) == .gaveWay)
        bench.network.restore()
        try await bench.advancing {
            let latest = [try await again.value(), try await results[5].value()]
            #expect(latest == [[0], [5]])
        }
        #expect(Set(asked).isSubset(of: ["/0.png", "/1.png", "/2.png", "/3.png", "/4.png", "/5.png"]))
    }

    @Test func whatRunsGivesWayToTheNewest() async throws {
        try await set { ($0.slots, $0.overflow) = (1, .cancelOldest) }
        let old = try picture(1)
        bench.transport.order(.stallBeforeHead, at: old)
        let result = fetch(old)
        try await bench.transport.nextStall()
        #expect(try await fetch(try picture(2)).value() == [2])
        #expect(try await failure(of: result) == .gaveWay)
    }

    // MARK: Failures

    @Test func isTriedAgainAsOftenAsItWasAskedForAndNotBeforeTheServerSaid() async throws {
        let picture = try picture(1)
        for _ in 0..<2 {
            bench.transport.order(.answer(status: 503, [.retryAfter: "7"]), at: picture)
        }
        let start = bench.clock.elapsed
        let result = fetch(picture, retries: 2)
        #expect(try await bench.advancing { try await result.value() } == [1])
        #expect(bench.clock.elapsed - start >= .seconds(14) && asked.count == 3)
        bench.transport.order(.answer(status: 503, [.retryAfter: "7"]), at: picture)
        #expect(try await failure(of: fetch(picture)) == .serverOverloaded)
    }

    @Test(arguments: [true, false])
    func waitsForTheNetworkUnlessItWasAskedNotTo(waits: Bool) async throws {
        let picture = try picture(1)
        bench.network.lose("origin.example")
        bench.transport.order(.refuse(.transient(.connectionLost, "It broke.")), at: picture)
        let result = fetch(picture, waitsForNetwork: waits)
        guard waits else {
            #expect(try await failure(of: result) == .networkUnreachable)
            return
        }
        // By the second question it is known that there is no route.
        for _ in 0..<2 { await bench.network.nextQuestion(about: "origin.example") }
        bench.network.restore("origin.example")
        #expect(try await bench.advancing { try await result.value() } == [1])
        #expect(asked.count == 2)
    }

    // MARK: The application

    @Test func inTheBackgroundNothingIsUnderWayAndComesAfterwards() async throws {
        let picture = try picture(1)
        bench.transport.order(.stallBeforeHead, at: picture)
        let result = fetch(picture, queue: nil)
        try await bench.transport.nextStall()
        await engine.applicationDidEnterBackground(.stop)
        while bench.transport.stalled > 0 { await Task.yield() }
        let other = fetch(try self.picture(2), queue: nil)
        #expect(asked == ["/1.png"])
        engine.applicationWillEnterForeground()
        #expect(try await result.value() == [1])
        #expect(try await other.value() == [2])
        #expect(asked.count == 3)
    }
}
