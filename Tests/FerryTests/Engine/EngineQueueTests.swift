import Ferry
import FerryCore
import FerryTesting
import HTTPTypes
import Testing

@Suite("Queues, over all engines of a store", .timeLimit(.minutes(10)))
struct EngineQueueTests {
    private func add(
        _ names: [String],
        to queue: String,
        of bench: Bench,
        by engine: TransferEngine,
        stallingAt stall: Int? = nil
    ) async throws -> [TransferHandle] {
        let transfers = try names.map { name in
            let url = try HTTPURL(parsing: "http://origin.example/\(name)")
            bench.transport.set(ScriptedResource(bench.bytes, entityTag: "\"v1\""), at: url)
            if let stall { bench.transport.order(.stallAfter(stall), at: url) }
            return NewTransfer(
                DownloadSpecification(url: url, destination: .file(directory: "/d", name: nil)),
                queue: queue
            )
        }
        return try await engine.download(transfers).map { engine.transfer($0.transfer.id) }
    }

    @Test func twoEnginesShareTheSlotsOfAQueue() async throws {
        let bench = try Bench()
        let one = bench.engine(.everything(untilDrained: false))
        let two = bench.engine(.everything(untilDrained: false))
        let queue = TransferQueue("narrow") { $0.slots = 1 }
        try await one.setQueue(queue)
        let first = try await add(["a"], to: "narrow", of: bench, by: one, stallingAt: 100)[0]
        try await bench.running(one) {
            try await bench.transport.nextStall()
            let second = try await add(["b"], to: "narrow", of: bench, by: two)[0]
            try await bench.running(two) {
                _ = await second.reaches(.queued)
                let summaries = try await one.queues()
                #expect(summaries == [QueueSummary(queue, running: 1, waiting: 1)])
                try await first.cancel()
                _ = try await second.value()
            }
        }
        #expect(try await first.snapshot.attempts == 1)
    }

    @Test func aQueueThatIsPausedStopsWhatRunsAndGoesOnWithItsBytes() async throws {
        let bench = try Bench()
        let engine = bench.engine(.everything(untilDrained: false))
        let handle = try await add(["a"], to: "q", of: bench, by: engine, stallingAt: 4_000)[0]
        try await bench.running(engine) {
            try await bench.transport.nextStall()
            #expect(try await engine.pauseQueue("q").isPaused)
            let stopped = await handle.reaches(.queued)
            #expect(stopped?.downloadProgress.segments.received == 4_000 && stopped?.wish == nil)
            try await engine.resumeQueue("q")
            #expect(try await handle.value().length == 10_000)
        }
        #expect(bench.transport.requests.last?.headers[.range] == "bytes=4000-")
    }

    @Test func theOldestGivesWayAndSaysWhy() async throws {
        let bench = try Bench()
        let engine = bench.engine(.everything(untilDrained: false))
        let queue = TransferQueue("images") { ($0.slots, $0.overflow) = (1, .cancelOldest) }
        try await engine.setQueue(queue)
        let old = try await add(["old"], to: "images", of: bench, by: engine, stallingAt: 4_000)[0]
        try await bench.running(engine) {
            try await bench.transport.nextStall()
            let new = try await add(["new"], to: "images", of: bench, by: engine)[0]
            _ = try await new.value()
            do {
                _ = try await old.value()
                Issue.record("it completed")
            } catch NoResult.gaveWay(let id, let reason) {
                #expect(id == old.id && reason.message.contains("transfer \(new.id)"))
            }
        }
        #expect(bench.files.names(in: "/d") == ["new"], "its part file is gone")
    }

    @Test func aDrainingEngineWaitsForRoomButNotForAPausedQueue() async throws {
        let bench = try Bench()
        let busy = bench.engine(.everything(untilDrained: false))
        let draining = bench.engine(.everything(untilDrained: true))
        let queue = TransferQueue("narrow") { $0.slots = 1 }
        try await busy.setQueue(queue)
        let first = try await add(["a"], to: "narrow", of: bench, by: busy, stallingAt: 100)[0]
        let paused = try await add(["p"], to: "paused", of: bench, by: draining)[0]
        try await draining.pauseQueue("paused")
        try await bench.running(busy) {
            try await bench.transport.nextStall()
            let second = try await add(["b"], to: "narrow", of: bench, by: draining)[0]
            async let drained: Void = draining.run()
            _ = await second.reaches(.queued)
            try await first.cancel()
            try await drained
            #expect(try await second.snapshot.state == .completed)
        }
        #expect(try await paused.snapshot.state == .queued)
    }

    @Test func allTransfersOfAQueueKeepToItsLimitTogether() async throws {
        let bench = try Bench()
        let engine = bench.engine(.everything(untilDrained: false))
        let limit = try RateLimit(parsing: "2K")
        let queue = TransferQueue("slow") { $0.rateLimit = limit }
        try await engine.setQueue(queue)
        try await bench.running(engine) {
            let handles = try await add(["a", "b"], to: "slow", of: bench, by: engine)
            try await bench.advance {
                for handle in handles where try await handle.snapshot.state != .completed { return false }
                return true
            }
        }
        #expect(bench.clock.elapsed >= .seconds(9))
    }

    @Test func stopAllPausesWhatRunsAndWhatWaits() async throws {
        let bench = try Bench()
        let engine = bench.engine(.everything(untilDrained: false))
        let queue = TransferQueue("narrow") { $0.slots = 1 }
        try await engine.setQueue(queue)
        let handles = try await add(["a", "b"], to: "narrow", of: bench, by: engine, stallingAt: 100)
        try await bench.running(engine) {
            try await bench.transport.nextStall()
            let stopped = try await engine.pauseAll()
            #expect(stopped == 2)
            for handle in handles { _ = await handle.reaches(.paused) }
            let more = try await engine.pauseAll()
            #expect(more == 0)
        }
    }

    @Test func aQueueThatMeansNothingIsRefused() async throws {
        let bench = try Bench()
        let engine = bench.engine()
        await #expect(throws: TransferQueue.Flaw.self) { try await engine.setQueue(TransferQueue("a b")) }
        var edit = QueueEdit()
        edit.overflow = .cancelOldest
        await #expect(throws: TransferQueue.Flaw.neverFull) { try await engine.editQueue("default", edit) }
        #expect(try await engine.queues() == [])
    }
}

extension TransferQueue {
    /// A queue that was changed.
    fileprivate init(_ name: String, _ change: (inout TransferQueue) -> Void) {
        self.init(name)
        change(&self)
    }
}
