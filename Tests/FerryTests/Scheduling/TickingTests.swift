import Ferry
import FerryCore
import FerryTesting
import Testing

@Suite("Progress while an attempt runs", .timeLimit(.minutes(10)))
struct TickingTests {
    /// A run that finds nothing to do must not take the timer from the next one.
    @Test(arguments: [false, true])
    func progressIsRecordedAtTheInterval(_ isSecondRun: Bool) async throws {
        let bench = try Bench()
        let engine = bench.engine(.everything(untilDrained: true))
        if isSecondRun { try await engine.run() }
        bench.transport.order(.stallAfter(4_000), at: bench.url)
        let handle = try await engine.download(from: bench.url, to: bench.destination)
        try await bench.running(engine) {
            try await bench.transport.nextStall()
            try await bench.advance(until: {
                try await bench.store.transfer(handle.id)?.downloadProgress.segments.received == 4_000
            })
        }
    }
}
