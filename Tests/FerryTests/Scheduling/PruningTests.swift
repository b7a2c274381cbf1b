import FerryCore
import FerryTesting
import Testing

@testable import Ferry

/// A running engine removes old finished transfers.
struct PruningTests {
    /// Lets time pass until the engine has forgotten its only transfer, which takes 90 seconds or more.
    private func expectForgetting(by engine: TransferEngine, on bench: Bench) async throws {
        let ended = bench.clock.now
        try await bench.advancing {
            let changes = engine.changes()
            if try await engine.transfers(limit: 1).isEmpty { return }
            for await _ in changes {
                if try await engine.transfers(limit: 1).isEmpty { return }
            }
        }
        #expect(ended.duration(to: bench.clock.now) >= .seconds(90))
    }

    @Test func whatIsOlderThanIsKeptIsForgottenWhileTheEngineRuns() async throws {
        let bench = try Bench()
        let retention = Retention(age: .seconds(90), count: nil)
        let engine = bench.engine(.everything(untilDrained: false), retention: retention)
        try await bench.running(engine) {
            let handle = try await engine.download(from: bench.url, to: bench.destination)
            _ = try await handle.value()
            try await expectForgetting(by: engine, on: bench)
            #expect(try bench.published == bench.bytes)
        }
    }

    @Test func aDownloadThatFailedWithoutAByteIsForgottenWhileTheEngineRuns() async throws {
        let bench = try Bench()
        bench.transport.order(.answer(status: 404, [:]), at: bench.url)
        let retention = Retention(age: nil, count: nil, emptyFailureAge: .seconds(90))
        let engine = bench.engine(.everything(untilDrained: false), retention: retention)
        try await bench.running(engine) {
            let handle = try await engine.download(from: bench.url, to: bench.destination)
            let failure = await #expect(throws: TransferFailure.self) { try await handle.value() }
            #expect(failure?.code == .notFound)
            try await expectForgetting(by: engine, on: bench)
        }
    }
}
