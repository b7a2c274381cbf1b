import Ferry
import FerryCore
import FerryTesting
import HTTPTypes
import Testing

@Suite("Pause, resume and cancel, from here and from another process", .timeLimit(.minutes(10)))
struct EngineSteeringTests {
    @Test func aPauseKeepsTheBytesAndAResumptionGoesOn() async throws {
        let bench = try Bench()
        bench.transport.order(.stallAfter(4_000), at: bench.url)
        let engine = bench.engine(.everything(untilDrained: false))
        let length = try await bench.running(engine) {
            let handle = try await engine.download(from: bench.url, to: bench.destination)
            try await bench.transport.nextStall()
            try await handle.pause()
            let paused = await handle.reaches(.paused)
            #expect(paused?.downloadProgress.segments.received == 4_000)
            #expect(paused?.downloadProgress.segments.durableBytes == 4_000)
            try await handle.resume()
            return try await handle.value().length
        }
        #expect(length == 10_000)
        #expect(try bench.published == bench.bytes)
        #expect(bench.transport.requests.last?.headers[.range] == "bytes=4000-")
    }

    @Test func aWishOfAnotherProcessIsObeyed() async throws {
        let bench = try Bench()
        bench.transport.order(.stallAfter(3_000), at: bench.url)
        let engine = bench.engine()
        let other = bench.engine(.everything(untilDrained: false))
        let handle = try await engine.download(from: bench.url, to: bench.destination)
        async let work: Void = engine.run()
        try await bench.transport.nextStall()
        try await other.cancel(handle.id)
        try await work
        #expect(try await handle.snapshot.state == .cancelled)
        #expect(bench.files.names(in: "/d") == [])
    }

    @Test func aCancelledTransferMayKeepItsPartFile() async throws {
        let bench = try Bench()
        bench.transport.order(.stallAfter(3_000), at: bench.url)
        let engine = bench.engine()
        let handle = try await engine.download(from: bench.url, to: bench.destination)
        async let work: Void = engine.run()
        try await bench.transport.nextStall()
        try await handle.cancel(keepingPart: true)
        try await work
        #expect(bench.files.names(in: "/d") == ["file.bin.part"])
        await #expect(throws: NoResult.cancelled(handle.id)) { try await handle.value() }
    }

    @Test func aTransferThatNobodyRunsIsCancelledAtOnce() async throws {
        let bench = try Bench()
        let engine = bench.engine()
        let specification = DownloadSpecification(url: bench.url, destination: try bench.destination)
        let id = try await engine.add([NewTransfer(specification)])[0].transfer.id
        #expect(try await engine.cancel(id).state == .cancelled)
        await #expect(throws: StoreError.self) { try await engine.resume(id) }
    }

    @Test(arguments: [EngineConfiguration.StopPolicy.release, .pause])
    func aStopCheckpointsWhatRuns(_ policy: EngineConfiguration.StopPolicy) async throws {
        let bench = try Bench()
        bench.transport.order(.stallAfter(5_000), at: bench.url)
        let engine = bench.engine(whenStopped: policy)
        let handle = try await engine.download(from: bench.url, to: bench.destination)
        async let work: Void = engine.run()
        try await bench.transport.nextStall()
        engine.stop()
        try await work
        let transfer = try await handle.snapshot
        #expect(transfer.state == (policy == .pause ? .paused : .queued) && transfer.claim == nil)
        #expect(transfer.downloadProgress.segments.durableBytes == 5_000 && transfer.attempts == 0)
    }

    /// A command is stopped by a person or by the system, and pauses only for the first.
    @Test func aStopMayReleaseWhatTheConfigurationWouldPause() async throws {
        let bench = try Bench()
        bench.transport.order(.stallAfter(5_000), at: bench.url)
        let process = bench.machine.spawn()
        let engine = bench.engine(as: process, whenStopped: .pause, slots: 1)
        let running = try await engine.download(from: bench.url, to: bench.destination)
        let next = try await engine.download(
            from: bench.url,
            to: .file(directory: "/d", name: FileName(userGiven: "next.bin"))
        )
        async let work: Void = engine.run()
        try await bench.transport.nextStall()
        engine.stop(.release)
        // A later stop changes nothing.
        engine.stop()
        try await work
        let stopped = try await running.snapshot
        #expect(stopped.state == .queued && stopped.claim == nil && stopped.attempts == 0)
        #expect(stopped.downloadProgress.segments.durableBytes == 5_000)
        #expect(try await next.snapshot.state == .queued)
        bench.machine.kill(process)
        let other = bench.engine(.everything(untilDrained: true))
        try await other.run()
        for id in [running.id, next.id] {
            #expect(try await other.snapshot(of: id).state == .completed)
        }
    }

    @Test func aStopBeforeTheHeadReturns() async throws {
        let bench = try Bench()
        bench.transport.order(.stallBeforeHead, at: bench.url)
        let engine = bench.engine()
        _ = try await engine.download(from: bench.url, to: bench.destination)
        async let work: Void = engine.run()
        try await bench.transport.nextStall()
        engine.stop()
        try await work
    }

    @Test func aStopBeforeTheRunReturns() async throws {
        let bench = try Bench()
        let engine = bench.engine(.everything(untilDrained: false))
        engine.stop()
        try await engine.run()
    }

    @Test func cancellingTheTaskStopsGracefully() async throws {
        let bench = try Bench()
        let engine = bench.engine()
        let (handle, work) = try await bench.stalled(after: 5_000, under: engine)
        work.cancel()
        try await work.value
        #expect(try await handle.snapshot.downloadProgress.segments.durableBytes == 5_000)
    }
}
