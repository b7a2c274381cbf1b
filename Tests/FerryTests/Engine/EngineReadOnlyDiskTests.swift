import Ferry
import FerryCore
import FerryTesting
import Testing

/// A file system that became read-only, as Linux remounts one after an error.
@Suite("Files on a read-only disk", .timeLimit(.minutes(10)))
struct EngineReadOnlyDiskTests {
    /// A download that has 4,000 bytes, or that has not begun.
    private func download(in bench: Bench, hasBytes: Bool) async throws -> TransferID {
        guard hasBytes else { return try await bench.client().add(from: bench.url, to: bench.destination).id }
        let engine = bench.engine()
        let (handle, work) = try await bench.stalled(after: 4_000, under: engine)
        engine.stop()
        try await work.value
        return handle.id
    }

    @Test(arguments: [true, false])
    func theDownloadWaitsAndResumesWhenTheDiskIsWritable(hasBytes: Bool) async throws {
        let bench = try Bench()
        let id = try await download(in: bench, hasBytes: hasBytes)
        bench.files.setReadOnly(true)
        let engine = bench.engine(.everything(untilDrained: false))
        try await bench.running(engine) {
            try await bench.advance { try await engine.snapshot(of: id).state == .waiting(.diskMount) }
            let waiting = try await engine.snapshot(of: id)
            #expect(waiting.attempts == 0 && waiting.waitsForWritableDisk)
            #expect(waiting.downloadProgress.segments.received == (hasBytes ? 4_000 : 0))

            let (start, asked) = (bench.clock.elapsed, bench.transport.requests.count)
            try await bench.advance { bench.clock.elapsed - start >= .seconds(60) }
            #expect(await engine.isResponsive())
            #expect(try await engine.snapshot(of: id).updated == waiting.updated)
            #expect(bench.transport.requests.count == asked)

            bench.files.setReadOnly(false)
            try await bench.advance { try await engine.snapshot(of: id).state == .completed }
        }
        #expect(try bench.published == bench.bytes)
    }

    @Test func anEngineThatOnlyFollowsLeavesTheWaitToThePerson() async throws {
        let bench = try Bench()
        let id = try await download(in: bench, hasBytes: true)
        bench.files.setReadOnly(true)
        let waiting = try await bench.resume(id)
        #expect(waiting.waitsForWritableDisk && waiting.downloadProgress.segments.received == 4_000)
    }
}
