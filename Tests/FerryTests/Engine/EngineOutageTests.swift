import Ferry
import FerryCore
import FerryTesting
import HTTPTypes
import Testing

@Suite("After an outage", .timeLimit(.minutes(10)))
struct EngineOutageTests {
    /// How the server fails, and the minimum wait that follows.
    static let outages: [(fault: ScriptedFault, least: Duration, spread: Duration)] = [
        (.refuse(.transient(.connectionRefused, "No listener.")), .zero, .seconds(1)),
        (.answer(status: 503, [.retryAfter: "120"]), .seconds(120), .seconds(12)),
    ]

    @Test(arguments: outages.indices)
    func aHundredTransfersOfOneHostAreNotTriedAgainAllAtOnce(outage: Int) async throws {
        let (fault, least, spread) = Self.outages[outage]
        let bench = try Bench()
        var news: [NewTransfer] = []
        for number in 0..<100 {
            let url = try HTTPURL(parsing: "http://origin.example/\(number)")
            bench.transport.set(ScriptedResource(bench.bytes, entityTag: "\"v1\""), at: url)
            bench.transport.order(fault, at: url)
            let place = Destination.file(directory: "/d", name: try FileName(userGiven: "\(number)"))
            news.append(NewTransfer(DownloadSpecification(url: url, destination: place)))
        }
        let engine = bench.engine(.everything(untilDrained: false))
        let ids = try await engine.add(news).map(\.transfer.id)
        let failed = bench.clock.now
        try await bench.running(engine) {
            let waits = await engine.moments(ofNextAttempts: ids).map { failed.duration(to: $0) }.sorted()
            #expect(waits.allSatisfy { least <= $0 && $0 <= least + spread })
            // With a hundred uniform draws, no tenth of the time gets a third of them.
            for tenth in 0..<10 {
                let (begin, end) = (least + spread * tenth / 10, least + spread * (tenth + 1) / 10)
                #expect(waits.filter { begin <= $0 && $0 < end }.count < 33, "\(waits)")
            }
            // Only the transfers that are due send requests.
            let due = waits.filter { $0 <= waits[30] }.count
            await bench.clock.advanceOnceAwaited(by: waits[30])
            await engine.completes(due, of: ids)
            #expect(bench.transport.requests.count == 100 + due)
            await bench.clock.advanceOnceAwaited(by: waits[99] - waits[30])
            await engine.completes(100, of: ids)
            #expect(bench.transport.requests.count == 200)
        }
    }
}

extension TransferEngine {
    /// The times that the transfers wait for, once all of them wait.
    fileprivate func moments(ofNextAttempts ids: [TransferID]) async -> [Instant] {
        var moments: [TransferID: Instant] = [:]
        for await update in updates(of: Set(ids)) {
            if case .waiting(.retry(let moment)) = update.transfer.state {
                moments[update.transfer.id] = moment
            }
            if moments.count == ids.count { break }
        }
        return Array(moments.values)
    }

    /// Waits until this many transfers are completed.
    fileprivate func completes(_ count: Int, of ids: [TransferID]) async {
        var completed: Set<TransferID> = []
        for await update in updates(of: Set(ids)) {
            if update.transfer.state == .completed { completed.insert(update.transfer.id) }
            if completed.count == count { return }
        }
    }
}
