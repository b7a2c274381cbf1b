import FerryCore
import FerryTesting
import HTTPTypes
import Synchronization
import Testing

@testable import Ferry

@Suite("An engine keeps no memory of finished transfers", .timeLimit(.minutes(10)))
struct LettingGoTests {
    /// A bench with this many resources.
    private func bench(_ count: Int) throws -> (Bench, [HTTPURL]) {
        let bench = try Bench()
        let urls = try (1...count).map { number in
            let url = try HTTPURL(parsing: "http://origin.example/\(number).bin")
            bench.transport.set(ScriptedResource([1, 2, 3], entityTag: "\"v\(number)\""), at: url)
            return url
        }
        return (bench, urls)
    }

    private func place(_ number: Int) throws -> Destination {
        .file(directory: "/d", name: try FileName(userGiven: "\(number).bin"))
    }

    @Test func aThousandDownloadsLeaveNothingBehindAndEachEndIsToldOnce() async throws {
        let (bench, urls) = try bench(1_000)
        for url in urls.prefix(100) { bench.transport.order(.answer(status: 404, [:]), at: url) }
        let engine = bench.engine(.everything(untilDrained: false))
        let updates = engine.updates()
        async let ends: [TransferID: [TransferState.Name]] = {
            var ends: [TransferID: [TransferState.Name]] = [:]
            for await update in updates where update.transfer.state.isFinal {
                ends[update.transfer.id, default: []].append(update.transfer.state.name)
            }
            return ends
        }()
        try await bench.running(engine) {
            for (number, url) in urls.enumerated() {
                let handle = try await engine.download(from: url, to: place(number))
                do {
                    _ = try await handle.value()
                } catch let failure as TransferFailure {
                    #expect(number < 100 && failure.code == .notFound)
                }
            }
            #expect(!engine.hub.watchesMore(than: 0))
            await engine.turnsIdle()
            // Only the number of a failed transfer is kept, because it may be retried.
            #expect(engine.hub.load == UpdateHub.Load(transfers: 100, rows: 0, observers: 1))
        }
        let told = await ends
        #expect(told.count == 1_000)
        #expect(told.values.allSatisfy { $0.count == 1 })
        #expect(told.values.count { $0 == [.failed] } == 100)
    }

    @Test func ofAListOnlyWhatRunsIsHeld() async throws {
        let (bench, urls) = try bench(1_500)
        for url in urls { bench.transport.order(.stallAfter(1), at: url) }
        let engine = bench.engine(slots: 2)
        let additions = try await engine.download(
            urls.enumerated().map { number, url in
                NewTransfer(DownloadSpecification(url: url, destination: try place(number)))
            }
        )
        let updates = engine.updates(after: additions.map(\.transfer))
        async let seen: Set<TransferID> = {
            var seen: Set<TransferID> = []
            for await update in updates { seen.insert(update.transfer.id) }
            return seen
        }()
        try await bench.running(engine) {
            for _ in 0..<2 { try await bench.transport.nextStall() }
            await engine.turnsIdle()
            #expect(engine.hub.load == UpdateHub.Load(transfers: 1_500, rows: 2, observers: 1))
        }
        // There was no update about the others.
        #expect(await seen.count == 2)
    }

    @Test func whoObservesManyIsToldHowEachStands() async throws {
        let (bench, urls) = try bench(3)
        let specification = DownloadSpecification(url: urls[0], destination: try place(0))
        let count = UpdateBuffer.crowd * 3
        let owner = bench.engine(.everything(untilDrained: false))
        let added = try await owner.add(
            (0..<count).map { number in
                var new = NewTransfer(specification)
                new.specification.destination = try place(number)
                return new
            }
        ).map(\.transfer.id)
        for id in added { _ = try await bench.store.ask(.pause, of: id, at: bench.clock.now) }
        let engine = bench.engine(.everything(untilDrained: false))
        try await bench.running(engine) {
            var seen: Set<TransferID> = []
            for await update in engine.updates(of: Set(added)) {
                #expect(seen.insert(update.transfer.id).inserted && update.transfer.state == .paused)
                if seen.count == count { break }
            }
        }
    }

    @Test func whatFailedAndIsResumedIsRunAgainByWhoeverFollowedIt() async throws {
        let (bench, urls) = try bench(2)
        bench.transport.order(.answer(status: 404, [:]), at: urls[0])
        bench.transport.order(.stallAfter(1), at: urls[1])
        let engine = bench.engine()
        let first = try await engine.download(from: urls[0], to: place(0))
        let second = try await engine.download(from: urls[1], to: place(1))
        async let work: Void = engine.run()
        try await bench.transport.nextStall()
        _ = await first.reaches(.failed)
        try await first.resume()
        let length = try await first.value().length
        #expect(length == 3)
        bench.transport.release()
        try await work
        #expect(try await second.snapshot.state == .completed)
    }
}

extension TransferEngine {
    /// Waits until the loop has handled all changes so far.
    fileprivate func turnsIdle() async {
        for _ in 0..<2 { _ = await isResponsive() }
    }
}
