import Ferry
import FerryCore
import FerryTesting
import Testing

@Suite("Changes to a running engine", .timeLimit(.minutes(10)))
struct TuningTests {
    /// Engines on the bench. Each transfer has its own file on the server.
    private func urls(_ bench: Bench, _ count: Int) throws -> [HTTPURL] {
        try (0..<count).map { number in
            let url = try HTTPURL(parsing: "http://origin.example/\(number).bin")
            bench.transport.set(ScriptedResource(bench.bytes, entityTag: "\"v1\""), at: url)
            bench.transport.order(.stallAfter(1_000), at: url)
            return url
        }
    }

    private func active(_ engine: TransferEngine) async throws -> Int {
        try await engine.counts()[.active] ?? 0
    }

    @Test func moreSlotsStartMoreAtOnce() async throws {
        let bench = try Bench()
        let urls = try urls(bench, 3)
        let engine = bench.engine(.everything(untilDrained: false), slots: 1)
        try await bench.running(engine) {
            let directory = Destination.file(directory: "/d", name: nil)
            for url in urls { _ = try await engine.download(from: url, to: directory) }
            try await bench.transport.nextStall()
            #expect(await engine.isResponsive())
            #expect(try await active(engine) == 1)
            engine.setSlots(3)
            try await bench.transport.nextStall()
            try await bench.transport.nextStall()
            #expect(try await active(engine) == 3)
            // A lower number stops no running transfer.
            engine.setSlots(1)
            #expect(await engine.isResponsive())
            #expect(try await active(engine) == 3)
        }
    }

    @Test func whatIsAddedElsewhereIsStartedWithoutAnyTimer() async throws {
        let bench = try Bench()
        let engine = bench.engine(.everything(untilDrained: false))
        let terminal = bench.engine()
        try await bench.running(engine) {
            #expect(await engine.isResponsive())
            let specification = DownloadSpecification(url: bench.url, destination: try bench.destination)
            let id = try await terminal.add([NewTransfer(specification)])[0].transfer.id
            _ = try await engine.transfer(id).value()
        }
        #expect(bench.clock.elapsed == .zero)
        #expect(try bench.published == bench.bytes)
    }

    @Test func anEngineThatIsNotRunYetAnswersWhenItRuns() async throws {
        let bench = try Bench()
        let engine = bench.engine(.everything(untilDrained: false))
        async let answer = engine.isResponsive()
        try await bench.running(engine) {
            #expect(await engine.isResponsive())
        }
        #expect(await answer)
    }

    @Test func anEngineThatHasEndedSaysSoAtOnce() async throws {
        let bench = try Bench()
        let engine = bench.engine(.everything(untilDrained: false))
        try await bench.running(engine) { _ = await engine.isResponsive() }
        #expect(await engine.isResponsive() == false)
    }
}
