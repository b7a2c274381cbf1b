import Ferry
import FerryCore
import FerryTesting
import HTTPTypes
import Testing

@Suite("Part files that cancelled downloads have left", .timeLimit(.minutes(10)))
struct KeptPartTests {
    private let bench: Bench

    init() throws { bench = try Bench() }

    /// Cancels a download that has received 4000 bytes, and keeps its part file.
    private func cancelled() async throws -> TransferID {
        bench.transport.order(.stallAfter(4_000), at: bench.url)
        let engine = bench.engine()
        let handle = try await engine.download(from: bench.url, to: bench.destination)
        async let work: Void = engine.run()
        try await bench.transport.nextStall()
        try await handle.cancel(keepingPart: true)
        try await work
        #expect(bench.files.names(in: "/d") == ["file.bin.part"])
        return handle.id
    }

    private func downloadAgain(
        options: DownloadOptions = DownloadOptions()
    ) async throws -> TransferHandle {
        let engine = bench.engine()
        let handle = try await engine.download(from: bench.url, to: bench.destination, options: options)
        try await engine.run()
        return handle
    }

    private var ranges: [String?] { bench.transport.requests.map { $0.headers[.range] } }

    @Test func aNewDownloadResumesFromTheKeptBytes() async throws {
        let id = try await cancelled()
        let handle = try await downloadAgain()
        #expect(handle.id != id)
        #expect(ranges == [nil, "bytes=4000-"])
        #expect(bench.transport.requests.last?.headers[.ifRange] == "\"v1\"")
        #expect(try bench.published == bench.bytes && bench.files.names(in: "/d") == ["file.bin"])
        let giver = try #require(try await bench.store.transfer(id))
        #expect(giver.state == .cancelled && giver.downloadProgress.kept == nil)
        #expect(giver.downloadProgress.segments.received == 0)
    }

    /// Without the time of its last change, no one could tell that the user changed the file.
    @Test func theTimeOfItsLastChangeIsRecorded() async throws {
        let id = try await cancelled()
        #expect(try await bench.store.transfer(id)?.downloadProgress.kept?.modified != nil)
    }

    /// The file was the user's meanwhile.
    @Test func aFileThatWasChangedSinceIsLeftAlone() async throws {
        let id = try await cancelled()
        let part = try FileName(userGiven: "file.bin.part")
        var changed = try #require(bench.files.contents(of: part, in: "/d"))
        changed[17] ^= 0xFF
        bench.files.rewrite(part, in: "/d", with: changed)
        _ = try await downloadAgain()
        #expect(ranges == [nil, nil])
        #expect(try bench.published == bench.bytes)
        #expect(bench.files.contents(of: part, in: "/d") == changed)
        #expect(try await bench.store.transfer(id)?.downloadProgress.kept != nil)
    }

    @Test func anotherVersionIsFetchedWhole() async throws {
        _ = try await cancelled()
        let changed = bench.bytes.map { $0 &+ 1 }
        bench.transport.set(ScriptedResource(changed, entityTag: "\"v2\""), at: bench.url)
        _ = try await downloadAgain()
        #expect(try bench.published == changed && bench.files.names(in: "/d") == ["file.bin"])
    }

    @Test func afterTheCancelledTransferIsRemovedThePartFileIsForeign() async throws {
        let id = try await cancelled()
        let client = bench.client()
        try await client.remove([id])
        #expect(bench.files.names(in: "/d") == ["file.bin.part"])
        _ = try await downloadAgain()
        #expect(ranges == [nil, nil])
        #expect(try bench.published == bench.bytes)
        #expect(Set(bench.files.names(in: "/d")) == ["file.bin", "file.bin.part"])
        await client.close()
    }

    @Test func aDownloadToAnotherPlaceLeavesItAlone() async throws {
        let id = try await cancelled()
        let engine = bench.engine()
        let other = Destination.file(directory: "/d", name: try FileName(userGiven: "other.bin"))
        _ = try await engine.download(from: bench.url, to: other)
        try await engine.run()
        #expect(ranges == [nil, nil])
        #expect(try await bench.store.transfer(id)?.downloadProgress.kept != nil)
        #expect(Set(bench.files.names(in: "/d")) == ["file.bin.part", "other.bin"])
    }

    @Test func onlyOneOfTwoCallersGetsItAndBothShareThatTransfer() async throws {
        _ = try await cancelled()
        let client = bench.client()
        let first = try await client.add(from: bench.url, to: bench.destination)
        let second = try await client.add(from: bench.url, to: bench.destination)
        #expect(first.id == second.id)
        #expect(try await first.snapshot.downloadProgress.segments.received == 4_000)
        await client.close()
    }

    @Test func itCanBeKeptAndTakenOverMoreThanOnce() async throws {
        let first = try await cancelled()
        let client = bench.client()
        let second = try await client.add(from: bench.url, to: bench.destination)
        #expect(second.id != first)
        try await client.cancel(second.id, keepingPart: true)
        #expect(bench.files.names(in: "/d") == ["file.bin.part"])
        _ = try await downloadAgain()
        #expect(ranges == [nil, "bytes=4000-"])
        #expect(try bench.published == bench.bytes)
        await client.close()
    }

    @Test func aTakerThatIsCancelledRemovesIt() async throws {
        _ = try await cancelled()
        let client = bench.client()
        let taker = try await client.add(from: bench.url, to: bench.destination)
        try await client.cancel(taker.id)
        await client.close()
        #expect(bench.files.names(in: "/d") == [])
    }
}
