import Ferry
import FerryCore
import FerryTesting
import HTTPTypes
import Testing

/// Refusals that are not final (`DownloadOptions.retriedStatuses`).
@Suite("A status that is retried", .timeLimit(.minutes(10)))
struct EngineRetriedStatusTests {
    @Test func aNamedStatusIsRetriedUntilTheFileIsThere() async throws {
        let bench = try Bench()
        for _ in 0..<2 { bench.transport.order(.answer(status: 404, [:]), at: bench.url) }
        let engine = bench.engine(.everything(untilDrained: false))
        try await bench.running(engine) {
            var options = DownloadOptions()
            options.retriedStatuses = [404]
            let handle = try await engine.download(
                from: bench.url,
                to: bench.destination,
                options: options
            )
            try await bench.advance { try await handle.snapshot.state == .completed }
        }
        #expect(bench.transport.requests.count == 3)
        #expect(try bench.published == bench.bytes)
    }

    @Test(arguments: [404, 401])
    func anyOtherStatusIsFinal(status: Int) async throws {
        let bench = try Bench()
        bench.transport.order(.answer(status: status, [:]), at: bench.url)
        var options = DownloadOptions()
        options.retriedStatuses = [401, 409, 500]
        let state = try await bench.fetch(options).state
        #expect(state.isFinal && state.isFailed)
        #expect(bench.transport.requests.count == 1)
    }
}
