import Ferry
import FerryCore
import FerryTesting
import HTTPTypes
import Testing

@Suite("Transfers that may kill their process", .timeLimit(.minutes(10)))
struct SuspectTests {
    /// An engine that keeps a queue full would never run a transfer that must run alone.
    @Test func aFullQueueMakesRoomForASuspect() async throws {
        let bench = try Bench()
        let url = try HTTPURL(parsing: "http://origin.example/suspect.bin")
        bench.transport.set(ScriptedResource(bench.bytes, entityTag: "\"s\""), at: url)
        let name = try FileName(userGiven: "suspect.bin")
        func add(_ url: HTTPURL, _ destination: Destination) async throws -> TransferID {
            let specification = DownloadSpecification(url: url, destination: destination)
            let new = NewTransfer(specification, queue: "narrow")
            return try await bench.store.add([new], holder: nil, at: bench.clock.now)[0].transfer.id
        }
        func slots(_ count: Int) async throws {
            var edit = QueueEdit()
            edit.slots = count
            _ = try await bench.store.edit(queue: "narrow", edit, at: bench.clock.now)
        }
        func claimElsewhere(_ id: TransferID) async throws -> OwnerID {
            let process = bench.machine.spawn().currentProcess
            let owner = try await bench.store.join(process, at: bench.clock.now)
            let claimed = try await bench.store.claim(upTo: 1, only: [id], for: owner, at: bench.clock.now)
            #expect(claimed.map(\.id) == [id])
            return owner
        }
        try await slots(2)
        let suspect = try await add(url, .file(directory: "/d", name: name))
        let first = try await claimElsewhere(suspect)
        _ = try await bench.store.remove(first, at: bench.clock.now)
        let second = try await claimElsewhere(suspect)

        // While another process runs it, a harmless transfer takes the only slot that will be free.
        bench.transport.order(.stallAfter(5_000), at: bench.url)
        let harmless = try await add(bench.url, bench.destination)
        let engine = bench.engine(.everything(untilDrained: true))
        async let work: Void = engine.run()
        try await bench.transport.nextStall()
        try await slots(1)
        _ = try await bench.store.remove(second, at: bench.clock.now)
        #expect(try await bench.store.transfer(suspect)?.isSuspect == true)
        let start = bench.clock.elapsed

        try await bench.advance { try await bench.store.transfer(suspect)?.state == .completed }
        #expect(bench.clock.elapsed - start >= .seconds(60), "what runs is not stopped at once")
        try await work
        #expect(try await bench.store.transfer(harmless)?.state == .completed)
        let requests = bench.transport.requests.map { "\($0.url.path) \($0.headers[.range] ?? "")" }
        #expect(requests == ["/file.bin ", "/suspect.bin ", "/file.bin bytes=5000-"])
        #expect(try bench.published == bench.bytes)
        #expect(bench.files.contents(of: name, in: "/d") == bench.bytes)
    }
}
