import Ferry
import FerryCore
import FerryTesting
import Testing

@Suite("From enqueue to the finished file", .timeLimit(.minutes(10)))
struct CompletingTests {
    @Test func aDownloadArrivesWhole() async throws {
        let bench = try Bench()
        let engine = bench.engine()
        let handle = try await engine.download(from: bench.url, to: bench.destination)
        try await engine.run()
        let finished = try await handle.value()
        #expect(finished.path == "/d/file.bin" && finished.length == 10_000 && finished.assurance == .single)
        #expect(try bench.published == bench.bytes)
        #expect(bench.files.names(in: "/d") == ["file.bin"])
        await engine.close()
        #expect(bench.transport.isShutDown)
    }

    @Test func theEndCanBeAwaitedAfterARestart() async throws {
        let bench = try Bench()
        let first = bench.engine()
        let id = try await first.download(from: bench.url, to: bench.destination).id
        try await first.run()
        let second = bench.engine(.everything(untilDrained: false))
        let length = try await bench.running(second) { try await second.transfer(id).value().length }
        #expect(length == 10_000)
        #expect(bench.transport.requests.count == 1, "a finished transfer is never run again (I8)")
    }

    @Test func theSameURLAndDestinationIsTheSameTransfer() async throws {
        let bench = try Bench()
        let engine = bench.engine()
        let first = try await engine.download(from: bench.url, to: bench.destination)
        let second = try await engine.download(from: bench.url, to: bench.destination)
        #expect(first.id == second.id)
        try await engine.run()
        #expect(bench.transport.requests.count == 1)
    }

    @Test func whatNobodyRunsGoesOnHereAsItIsAskedForNow() async throws {
        let bench = try Bench()
        let first = bench.engine()
        let handle = try await first.download(from: bench.url, to: bench.destination)
        let holder = try #require(try await handle.snapshot.claim?.owner)
        _ = try await bench.store.remove(holder, at: bench.clock.now)
        let again = bench.engine()
        var options = DownloadOptions()
        options.retries = 3
        let specification = DownloadSpecification(
            url: bench.url,
            destination: try bench.destination,
            options: options
        )
        let addition = try #require(try await again.download([NewTransfer(specification)]).first)
        guard case .attached(let transfer) = addition else {
            Issue.record("\(addition)")
            return
        }
        #expect(transfer.id == handle.id && transfer.claim?.owner.rawValue == 2)
        #expect(transfer.specification.options.retries == 3)
        try await again.run()
        #expect(try bench.published == bench.bytes)
    }

    @Test func anEmptyFileArrives() async throws {
        let bench = try Bench()
        bench.transport.set(ScriptedResource([]), at: bench.url)
        let engine = bench.engine()
        let handle = try await engine.download(from: bench.url, to: bench.destination)
        try await engine.run()
        #expect(try await handle.value().length == 0)
        #expect(try bench.published == [])
    }

    @Test func aTransferThatIsNotThereIsNotWaitedForForEver() async throws {
        let bench = try Bench()
        let engine = bench.engine(.everything(untilDrained: false))
        await #expect(throws: StoreError.noSuchTransfer(TransferID(rawValue: 999))) {
            try await bench.running(engine) {
                _ = try await engine.transfer(TransferID(rawValue: 999)).value()
            }
        }
    }

    @Test func anEngineWithNothingLeftReturnsWhenDrained() async throws {
        let bench = try Bench()
        let engine = bench.engine(.everything(untilDrained: true))
        try await engine.run()
        let specification = DownloadSpecification(url: bench.url, destination: try bench.destination)
        _ = try await bench.engine().add([NewTransfer(specification)])
        let next = bench.engine(.everything(untilDrained: true))
        try await next.run()
        #expect(try bench.published == bench.bytes)
    }
}
