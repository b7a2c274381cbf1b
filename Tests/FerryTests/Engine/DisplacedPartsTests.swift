import Ferry
import FerryCore
import FerryTesting
import Testing

/// Transfers that gave way while they waited leave part files, which no attempt removes.
@Suite("Part files of transfers that gave way", .timeLimit(.minutes(10)))
struct DisplacedPartsTests {
    private let bench: Bench
    private let images: TransferQueue

    init() throws {
        bench = try Bench()
        var images = TransferQueue("images")
        (images.slots, images.overflow) = (1, .cancelOldestAlsoWaiting)
        self.images = images
    }

    private func named(_ name: String) throws -> Destination {
        .file(directory: "/d", name: try FileName(userGiven: name))
    }

    @Test("the client that adds removes them, without an engine")
    func removesAtAdding() async throws {
        let engine = bench.engine(.everything(untilDrained: false))
        try await engine.setQueue(images)
        bench.transport.order(.stallAfter(4_000), at: bench.url)
        try await bench.running(engine) { [bench] in
            let handle = try await engine.download(from: bench.url, to: bench.destination, queue: "images")
            try await bench.transport.nextStall()
            try await handle.pause()
            _ = await handle.reaches(.paused)
        }
        #expect(bench.files.names(in: "/d") == ["file.bin.part"])
        let client = bench.client()
        _ = try await client.add(from: bench.url, to: named("new"), queue: "images")
        #expect(bench.files.names(in: "/d") == [])
        await client.close()
    }

    @Test("a process looks for them once, and again only where a queue cancels what waits")
    func looksOnlyWhereTheyCanBe() async throws {
        let client = bench.client()
        let id = try await client.add(from: bench.url, to: named("a")).id
        _ = try await client.add(from: bench.url, to: named("b"))
        try await client.pause(id)
        #expect(bench.store.residueLooks == 1)
        try await client.setQueue(images)
        _ = try await client.add(from: bench.url, to: named("c"))
        let looks = bench.store.residueLooks
        #expect(looks > 1)
        _ = try await client.add(from: bench.url, to: named("d"))
        #expect(bench.store.residueLooks > looks)
        await client.close()
    }
}
