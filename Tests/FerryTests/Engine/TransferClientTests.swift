import Ferry
import FerryCore
import FerryTesting
import Testing

/// A client adds, steers, reads and awaits what engines of other processes run.
@Suite("Client without an engine")
struct TransferClientTests {
    private let bench: Bench

    init() throws { bench = try Bench() }

    private func named(_ name: String) throws -> Destination {
        .file(directory: "/d", name: try FileName(userGiven: name))
    }

    @Test("awaits a download that an engine of another process runs")
    func awaitsWhatAnotherProcessRuns() async throws {
        let client = bench.client()
        let handle = try await client.add(from: bench.url, to: bench.destination)
        #expect(try await handle.snapshot.state == .queued)
        try await withThrowingTaskGroup(of: CompletedDownload?.self) { group in
            group.addTask { try await handle.value() }
            group.addTask {
                try await bench.engine(.everything(untilDrained: true)).run()
                return nil
            }
            for try await case let end? in group { #expect(end.path == "/d/file.bin") }
        }
        #expect(try bench.published != nil)
        await client.close()
    }

    @Test("hears the updates of a transfer until it is over")
    func hearsUpdates() async throws {
        let client = bench.client()
        let id = try await client.add(from: bench.url, to: bench.destination).id
        async let states = client.updates(of: [id]).reduce(into: [TransferState.Name]()) {
            $0.append($1.transfer.state.name)
        }
        try await bench.engine(.everything(untilDrained: true)).run()
        let heard = await states
        #expect(heard.last == .completed)
        await client.close()
    }

    @Test("a transfer that was removed has no updates and no end")
    func removed() async throws {
        let client = bench.client()
        let handle = client.transfer(TransferID(rawValue: 99))
        for await update in handle.events { Issue.record("there is no transfer \(update.transfer.id)") }
        await #expect(throws: StoreError.noSuchTransfer(handle.id)) { try await handle.value() }
        await client.close()
    }

    @Test("pauses, resumes and cancels all transfers of one queue or tag, and no others")
    func steersSelections() async throws {
        let client = bench.client()
        let tag = try TransferTag("album")
        let ids = try await [
            client.add(from: bench.url, to: named("a"), queue: "night"),
            client.add(from: bench.url, to: named("b"), queue: "night", tag: tag),
            client.add(from: bench.url, to: named("c"), tag: tag),
        ].map(\.id)
        func states() async throws -> [TransferState.Name] {
            try await client.transfers(limit: 9).map(\.state.name)
        }
        #expect(try await client.pauseAll(.all.of(queue: "night")) == 2)
        #expect(try await states() == [.paused, .paused, .queued])
        #expect(try await client.pauseAll(.all.of(queue: "night")) == 0)
        #expect(try await client.resumeAll(.all.of(tag: tag)) == 1)
        #expect(try await states() == [.paused, .queued, .queued])
        #expect(try await client.cancelAll(.all.of(tag: tag)) == 2)
        #expect(try await states() == [.paused, .cancelled, .cancelled])
        #expect(try await client.snapshot(of: ids[0]).tag == nil)
        await client.close()
    }

    @Test("lists a selection across all its pages, from any place on")
    func listsAcrossPages() async throws {
        let client = bench.client()
        let tag = try TransferTag("album")
        var new: [NewTransfer] = []
        for number in 0..<1_300 {
            let url = try HTTPURL(parsing: "http://origin.example/\(number)")
            let specification = DownloadSpecification(url: url, destination: try named("\(number)"))
            new.append(NewTransfer(specification, queue: "night", tag: number % 100 == 7 ? nil : tag))
        }
        let ids = try await client.add(new).map(\.transfer.id)
        try await client.pause(ids[3])
        try await client.cancel(ids[4])
        let album = TransferFilter.unfinished.of(queue: "night").of(tag: tag)
        let expected = ids.indices.filter { $0 % 100 != 7 && $0 != 4 }.map { ids[$0] }
        var listed: [TransferID] = []
        for try await transfer in client.transfers(album) { listed.append(transfer.id) }
        #expect(listed == expected && expected.count == 1_286)
        listed = []
        for try await transfer in client.transfers(album, after: ids[99]) { listed.append(transfer.id) }
        #expect(listed == expected.filter { $0 > ids[99] })
        listed = []
        for try await transfer in client.transfers(album, before: nil) { listed.append(transfer.id) }
        #expect(listed == Array(expected.reversed()))
        listed = []
        for try await transfer in client.transfers(album, before: ids[1_200]) { listed.append(transfer.id) }
        #expect(listed == Array(expected.filter { $0 < ids[1_200] }.reversed()))
        #expect(try await client.totals(of: album).count == 1_286)
        listed = []
        let paused = TransferFilter.state(.paused).of(tag: tag)
        for try await transfer in client.transfers(paused) { listed.append(transfer.id) }
        #expect(listed == [ids[3]])
        for try await transfer in client.transfers(.all.of(queue: "none")) {
            Issue.record("there is no transfer \(transfer.id) in that queue")
        }
        await client.close()
    }

    @Test("tells how far a queue has come, and when it is finished")
    func finishes() async throws {
        let client = bench.client()
        for name in ["a", "b"] { _ = try await client.add(from: bench.url, to: named(name), queue: "night") }
        _ = try await client.add(from: bench.url, to: named("c"))
        let night = TransferFilter.all.of(queue: "night")
        let before = try await client.totals(of: night)
        #expect(before.count == 2)
        #expect(before.unfinished == 2)
        #expect(before.progress.received == 0)
        // What the server has not told yet is not known.
        #expect(before.progress.total == nil)
        async let end = client.finish(night)
        try await bench.engine(.everything(untilDrained: true)).run()
        let totals = try await end
        #expect(totals.completed == 2)
        #expect(totals.progress.total == totals.progress.received)
        #expect(totals.progress.received > 0)
        await client.close()
    }

    @Test("many transfers are steered after one look for dead owners")
    func looksOnceForDeadOwners() async throws {
        let dead = bench.machine.spawn()
        let engine = bench.engine(as: dead)
        let (handle, work) = try await bench.stalled(after: 10, under: engine)
        bench.machine.kill(dead)
        let client = bench.client()
        #expect(try await client.pauseAll() == 1)
        #expect(try await handle.snapshot.state == .paused)
        #expect(try await handle.snapshot.claim == nil)
        work.cancel()
        _ = await work.result
        await client.close()
    }
}
