import Ferry
import FerryTesting
import HTTPTypes
import Testing

@Suite("What is added again under one UUID is stored and run once", .timeLimit(.minutes(10)))
struct AddingOnceTests {
    @Test func newUUIDsDifferAndTellTheirTime() {
        let uuids = (0..<100).map { _ in TransferUUID() }
        #expect(Set(uuids).count == 100)
        for uuid in uuids { #expect(uuid.bytes[6] >> 4 == 7 && uuid.bytes[8] >> 6 == 0b10) }
        // 2025-01-01 and 2100-01-01, in the first six bytes.
        let times = uuids.map { $0.bytes.prefix(6).reduce(0) { $0 << 8 | Int64($1) } }
        #expect(times.allSatisfy { (1_735_689_600_000..<4_102_444_800_000).contains($0) })
    }

    /// A program that died before it heard that its request was stored sends it again.
    @Test func aRequestIsSentOnceAlsoAfterItHasEnded() async throws {
        let bench = try Bench()
        let uuid = TransferUUID()
        let payload = try #require(TransferPayload([1, 2]))
        var ids: Set<TransferID> = []
        for _ in 0..<3 {
            let engine = bench.engine()
            let request = try RequestSpecification(method: .post, url: bench.url)
            let handle = try await engine.start(NewTransfer(request, payload: payload, uuid: uuid))
            ids.insert(handle.id)
            let response = try await bench.running(engine) { try await handle.response() }
            #expect(response.status == 200 && response.body == bench.bytes)
            let sent = try await handle.snapshot
            #expect(sent.uuid == uuid && sent.payload == payload)
        }
        #expect(ids.count == 1 && bench.transport.requests.count == 1)
        // A client meets it as well. Another request under that name is refused.
        let same = try RequestSpecification(method: .post, url: bench.url)
        #expect(try await ids.contains(bench.client().add(NewTransfer(same, uuid: uuid)).id))
        let other = try RequestSpecification(method: .put, url: bench.url)
        await #expect(throws: StoreError.self) {
            try await bench.client().add(NewTransfer(other, uuid: uuid))
        }
    }

    @Test func aDownloadIsNotRunAgainAlsoWhenItsFileIsGone() async throws {
        let bench = try Bench()
        let uuid = TransferUUID()
        let first = bench.engine()
        let handle = try await first.download(from: bench.url, to: bench.destination, uuid: uuid)
        let file = try await bench.running(first) { try await handle.value() }
        bench.files.remove(try FileName(userGiven: "file.bin"), in: "/d")
        let second = bench.engine()
        let again = try await second.download(from: bench.url, to: bench.destination, uuid: uuid)
        #expect(try await bench.running(second) { try await again.value() } == file)
        #expect(again.id == handle.id && bench.transport.requests.count == 1)
        // Without the name, the same command fetches the file again.
        let third = bench.engine()
        let anew = try await third.download(from: bench.url, to: bench.destination)
        #expect(try await bench.running(third) { try await anew.value() }.length == file.length)
        #expect(anew.id != handle.id && bench.transport.requests.count == 2)
    }

    /// The latest caller finds the transfer by its tag, as it does while the transfer runs.
    @Test func aCompletedDownloadTakesTheLatestTag() async throws {
        let bench = try Bench()
        let (one, two) = (try TransferTag("one"), try TransferTag("two"))
        let uuid = TransferUUID()
        let engine = bench.engine()
        let first = try await engine.download(from: bench.url, to: bench.destination, tag: one, uuid: uuid)
        _ = try await bench.running(engine) { try await first.value() }
        let client = bench.client()
        let payload = try #require(TransferPayload([2]))
        let again = try await client.add(from: bench.url, to: bench.destination, tag: two, payload: payload)
        let found = try #require(try await client.find(tag: two))
        #expect(again.id == first.id && found.id == first.id && found.payload == payload)
        #expect(try await client.find(tag: one) == nil)
        // A caller without a tag, and a repeated call, change nothing.
        _ = try await client.add(from: bench.url, to: bench.destination)
        _ = try await client.add(from: bench.url, to: bench.destination, tag: one, uuid: uuid)
        #expect(try await client.find(tag: two) == found && bench.transport.requests.count == 1)
    }
}
