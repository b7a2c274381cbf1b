import Ferry
import FerryCore
import FerryTesting
import Testing

@Suite("An engine that runs during a scope", .timeLimit(.minutes(10)))
struct ScopeTests {
    private struct Refusal: Error {}

    @Test func whatTheUseGivesIsTheResult() async throws {
        let bench = try Bench()
        let engine = bench.engine(.everything(untilDrained: false))
        let result = await engine.running { engine in
            try await engine.download(from: bench.url, to: bench.destination).value()
        }
        #expect(try result.get().length == Int64(bench.bytes.count))
        #expect(try bench.published == bench.bytes)
    }

    @Test func whatIsUnderWayAtTheEndIsCheckpointedAndLetGo() async throws {
        let bench = try Bench()
        bench.transport.order(.stallAfter(5_000), at: bench.url)
        let engine = bench.engine(.everything(untilDrained: false))
        let result = await engine.running { engine in
            let handle = try await engine.download(from: bench.url, to: bench.destination)
            try await bench.transport.nextStall()
            return handle.id
        }
        let left = try #require(try await bench.store.transfer(result.get()))
        #expect(
            left.state == .queued && left.claim == nil && left.downloadProgress.segments.received == 5_000
        )
    }

    @Test func aUseThatEndsAtOnceEndsTheEngineToo() async throws {
        let bench = try Bench()
        let result = await bench.engine(.everything(untilDrained: false)).running { _ in 7 }
        #expect(try result.get() == 7)
    }

    @Test func whatTheUseThrowsIsThrown() async throws {
        let bench = try Bench()
        let result = await bench.engine(.everything(untilDrained: false)).running { _ in throw Refusal() }
        #expect(throws: Refusal.self) { try result.get() }
    }

    @Test func anEngineWithNothingLeftDoesNotEndItsUse() async throws {
        let bench = try Bench()
        let engine = bench.engine(.everything(untilDrained: true))
        let result = await engine.running { engine in
            // No more updates come after its end.
            for await _ in engine.updates() {}
            try Task.checkCancellation()
            return 7
        }
        #expect(try result.get() == 7)
    }

    @Test func aStoreThatFailsCancelsTheUseAndIsTheReason() async throws {
        let bench = try Bench()
        let error = StoreError.unavailable(path: "/s", "disk I/O error")
        let engine = bench.engine(.everything(untilDrained: false))
        let result = await engine.running { engine in
            _ = try await engine.download(from: bench.url, to: bench.destination)
            bench.store.failNextWrite(with: error)
            let (never, _) = AsyncStream.makeStream(of: Void.self)
            // Forever, without the cancellation.
            for await _ in never {}
            try Task.checkCancellation()
        }
        #expect(throws: error) { try result.get() }
    }

    @Test func cancellingTheTaskCancelsTheUseAndStopsTheEngine() async throws {
        let bench = try Bench()
        bench.transport.order(.stallAfter(5_000), at: bench.url)
        let engine = bench.engine(.everything(untilDrained: false))
        let work = Task {
            await engine.running { engine in
                try await engine.download(from: bench.url, to: bench.destination).value()
            }
        }
        try await bench.transport.nextStall()
        work.cancel()
        await #expect(throws: CancellationError.self) { try await work.value.get() }
        let left = try #require(try await bench.store.transfers(.all, after: nil, limit: 1).first)
        #expect(left.state == .queued && left.downloadProgress.segments.received == 5_000)
    }

    @Test func oneDownloadStandsInTheQueueAndOrderThatAreNamed() async throws {
        let bench = try Bench()
        let engine = bench.engine()
        let first = try await engine.add(from: bench.url, to: bench.destination, queue: "q", priority: 3)
        let other = try await engine.download(
            from: bench.url,
            to: .file(directory: "/d", name: FileName(userGiven: "other")),
            queue: "r",
            priority: -1,
            after: [first.id]
        )
        let (row, otherRow) = (try await first.snapshot, try await other.snapshot)
        #expect(row.queue == "q" && row.priority == 3 && row.claim == nil)
        #expect(otherRow.queue == "r" && otherRow.priority == -1 && otherRow.dependencies == [first.id])
    }
}
