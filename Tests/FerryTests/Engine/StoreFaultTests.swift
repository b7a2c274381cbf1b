import Ferry
import FerryCore
import FerryTesting
import Testing

@Suite("When the store fails", .timeLimit(.minutes(10)))
struct StoreFaultTests {
    static let errors: [StoreError] = [
        .corrupt(path: "/s", "a page could not be read"), .unavailable(path: "/s", "disk I/O error"),
    ]

    @Test(arguments: errors)
    func oneFailureEndsTheEngineAndAnotherOneGoesOn(_ error: StoreError) async throws {
        let bench = try Bench()
        let process = bench.machine.spawn()
        let engine = bench.engine(.everything(untilDrained: false), as: process)
        let (handle, work) = try await bench.stalled(after: 5_000, under: engine)
        bench.store.failNextWrite(with: error)
        // Makes it check everything again, and claim free transfers.
        try await engine.follow([handle.id])
        await #expect(throws: error) { try await work.value }
        #expect(bench.transport.requests.count == 1, "what was stopped must not begin again")
        #expect(try bench.published == nil)

        bench.machine.kill(process)
        try await bench.engine(.everything(untilDrained: true)).run()
        #expect(try bench.published == bench.bytes)
        #expect(try await bench.store.transfer(handle.id)?.state == .completed)
    }

    @Test(arguments: errors)
    func whoeverLeavesWithAnUnobeyedCancellationLeavesNoPartFile(_ error: StoreError) async throws {
        let bench = try Bench()
        let engine = bench.engine()
        let (handle, work) = try await bench.stalled(after: 5_000, under: engine)
        // When it records progress, it notices that the store is unusable.
        bench.store.failNextWrite(with: error)
        bench.clock.advance(by: .milliseconds(400))
        await #expect(throws: error) { try await work.value }
        let wish = Wish.cancel(keepingPart: false)
        #expect(try await bench.store.ask(wish, of: handle.id, at: bench.clock.now).state == .active)
        await engine.close()
        #expect(bench.files.names(in: "/d") == [])
    }

    @Test(arguments: errors)
    func anAddingThatFailsIsNotAcknowledged(_ error: StoreError) async throws {
        let bench = try Bench()
        let engine = bench.engine()
        bench.store.failNextWrite(with: error)
        await #expect(throws: error) { try await engine.download(from: bench.url, to: bench.destination) }
        #expect(try await bench.store.transfers(.all, after: nil, limit: 1).isEmpty)
        _ = try await engine.download(from: bench.url, to: bench.destination)
        try await engine.run()
        #expect(try bench.published == bench.bytes)
    }

    private static let full = StoreError.writeFailed(path: "/s", "full", isDiskFull: true)

    /// An engine whose store fails to record the answer to a request that may not be sent again.
    private func withUnrecordedAnswer(
        failures: Int,
        _ body: @escaping @Sendable (Bench, TransferEngine, TransferHandle) async throws -> Void
    ) async throws {
        let bench = try Bench()
        let engine = bench.engine(configure: {
            $0.responseRules["order"] = { _ in
                for _ in 0..<failures { bench.store.failNextWrite(with: Self.full) }
                return .success
            }
        })
        let request = try RequestSpecification(method: .post, url: bench.url)
        let handle = try await engine.start(NewTransfer(request, type: "order"))
        try await body(bench, engine, handle)
    }

    @Test func anAnswerThatWouldBeLostIsKeptUntilTheDiskHasRoom() async throws {
        try await withUnrecordedAnswer(failures: 2) { bench, engine, handle in
            let response = try await bench.running(engine) {
                try await bench.advancing { try await handle.response() }
            }
            #expect(response.status == 200 && response.body == bench.bytes)
            #expect(bench.transport.requests.count == 1)
        }
    }

    @Test func aStopEndsTheWaitForRoom() async throws {
        try await withUnrecordedAnswer(failures: 1_000) { bench, engine, handle in
            let work = Task { try await engine.run() }
            _ = await bench.clock.nextTimer()
            engine.stop()
            await #expect(throws: Self.full) {
                try await bench.advancing { try await work.value }
            }
            let state = try await bench.store.transfer(handle.id)?.state
            #expect(state == .active)
        }
    }
}
