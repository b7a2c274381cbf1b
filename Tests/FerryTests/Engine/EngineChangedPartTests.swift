import Ferry
import FerryCore
import FerryTesting
import HTTPTypes
import Testing

/// Changes by another program to a part file while no process runs its transfer.
@Suite("Part files that were changed in place", .timeLimit(.minutes(10)))
struct EngineChangedPartTests {
    private static let name = "file.bin.part"

    /// A download that was stopped after 5,000 bytes.
    private func stopped(
        _ bench: Bench,
        _ options: DownloadOptions = DownloadOptions()
    ) async throws -> TransferID {
        bench.transport.order(.stallAfter(5_000), at: bench.url)
        let engine = bench.engine(whenStopped: .pause)
        let handle = try await engine.download(from: bench.url, to: bench.destination, options: options)
        async let work: Void = engine.run()
        try await bench.transport.nextStall()
        engine.stop()
        try await work
        #expect(try await bench.store.transfer(handle.id)?.downloadProgress.segments.received == 5_000)
        return handle.id
    }

    private func change(_ bench: Bench) throws {
        var bytes = try #require(bench.files.contents(of: FileName(userGiven: Self.name), in: "/d"))
        bytes[17] ^= 0xFF
        bench.files.rewrite(try FileName(userGiven: Self.name), in: "/d", with: bytes)
    }

    @Test func theyAreFetchedAnewAndItIsSaid() async throws {
        let bench = try Bench()
        let id = try await stopped(bench)
        try change(bench)
        let transfer = try await bench.resume(id)
        #expect(transfer.state == .completed)
        #expect(try bench.published == bench.bytes)
        #expect(bench.transport.requests.map { $0.headers[.range] } == [nil, nil])
        #expect(transfer.downloadProgress.note?.code == .partFileChanged)
    }

    @Test func whatWasLeftAloneIsGoneOnWith() async throws {
        let bench = try Bench()
        let id = try await stopped(bench)
        #expect(try await bench.resume(id).state == .completed)
        #expect(try bench.published == bench.bytes)
        #expect(bench.transport.requests.map { $0.headers[.range] } == [nil, "bytes=5000-"])
    }

    @Test func aDigestTellsWhetherAChangeDidHarm() async throws {
        let bench = try Bench()
        var options = DownloadOptions()
        options.checksum = ReferenceDigest.digest(.sha256, of: bench.bytes)
        let id = try await stopped(bench, options)
        // The same bytes are written again, as by a program that restores a backup in place.
        let name = try FileName(userGiven: Self.name)
        bench.files.rewrite(name, in: "/d", with: try #require(bench.files.contents(of: name, in: "/d")))
        #expect(try await bench.resume(id).state == .completed)
        #expect(try bench.published == bench.bytes)
        #expect(bench.transport.requests.map { $0.headers[.range] } == [nil, "bytes=5000-"])
    }

    /// The record of its last write died with the process.
    @Test func afterADeathWhatIsRecordedIsTrusted() async throws {
        let bench = try Bench()
        let id = try await stopped(bench)
        let process = bench.machine.spawn()
        let owner = try await bench.store.join(process.currentProcess, at: bench.clock.now)
        _ = try await bench.store.requeue(id, holder: owner, at: bench.clock.now)
        _ = try await bench.store.claim(upTo: 1, only: [id], for: owner, at: bench.clock.now)
        try change(bench)
        bench.machine.kill(process)
        let engine = bench.engine(.everything(untilDrained: true))
        try await engine.run()
        #expect(bench.transport.requests.map { $0.headers[.range] } == [nil, "bytes=5000-"])
    }
}
