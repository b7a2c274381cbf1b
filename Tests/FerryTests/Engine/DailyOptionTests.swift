import Ferry
import FerryCore
import FerryTesting
import HTTPTypes
import Testing

/// The server's time, a maximum length, and refusals that are not final.
@Suite("Everyday options of a download", .timeLimit(.minutes(10)))
struct DailyOptionTests {
    private static let date = "Tue, 15 Nov 1994 12:45:26 GMT"
    private static let nanoseconds: Int64 = 784_903_526_000_000_000

    private func modified(_ bench: Bench) async throws -> Int64? {
        let place = FilePlace(directory: "/d", name: try FileName(userGiven: "file.bin"))
        return try await bench.files.survey(place).final?.modified
    }

    private func download(_ bench: Bench, _ change: (inout DownloadOptions) -> Void) async throws -> Transfer
    {
        var options = DownloadOptions()
        change(&options)
        let engine = bench.engine()
        let handle = try await engine.download(from: bench.url, to: bench.destination, options: options)
        try await engine.run()
        return try await handle.snapshot
    }

    private func failure(_ transfer: Transfer) -> TransferFailure? {
        if case .failed(let failure) = transfer.state { failure } else { nil }
    }

    // MARK: The server's time

    @Test(arguments: [true, false])
    func theFileGetsTheServersTimeIfThatIsAskedFor(keeps: Bool) async throws {
        let bench = try Bench()
        let resource = ScriptedResource(bench.bytes, entityTag: "\"v1\"", lastModified: Self.date)
        bench.transport.set(resource, at: bench.url)
        #expect(try await download(bench) { $0.keepsServerTime = keeps }.state == .completed)
        #expect(try await (modified(bench) == Self.nanoseconds) == keeps)
        #expect(try bench.published == bench.bytes)
    }

    @Test func aFileWithTheServersTimeIsStillKnownAndUpdated() async throws {
        let bench = try Bench()
        let resource = ScriptedResource(bench.bytes, entityTag: "\"v1\"", lastModified: Self.date)
        bench.transport.set(resource, at: bench.url)
        for _ in 0..<2 {
            #expect(try await download(bench) { $0.keepsServerTime = true }.state == .completed)
        }
        #expect(bench.transport.requests.count == 1, "it is the file that was saved")
        let fresh = [UInt8](repeating: 7, count: 3_000)
        let later = "Tue, 15 Nov 1994 12:45:27 GMT"
        bench.transport.set(
            ScriptedResource(fresh, entityTag: "\"v2\"", lastModified: later),
            at: bench.url
        )
        let updated = try await download(bench) { ($0.keepsServerTime, $0.updates) = (true, true) }
        #expect(updated.state == .completed)
        #expect(try bench.published == fresh)
        #expect(try await modified(bench) == Self.nanoseconds + 1_000_000_000)
    }

    // MARK: A maximum length

    @Test(arguments: [true, false])
    func aLongerFileIsNotPublishedAndLeavesNothing(tellsLength: Bool) async throws {
        let bench = try Bench()
        var resource = ScriptedResource(bench.bytes, entityTag: "\"v1\"")
        resource.tellsLength = tellsLength
        bench.transport.set(resource, at: bench.url)
        let transfer = try await download(bench) { $0.maximumLength = 9_999 }
        #expect(failure(transfer)?.code == .tooLong)
        #expect(bench.transport.requests.count == 1, "it is not tried again")
        #expect(bench.files.names(in: "/d") == [])
        #expect(bench.files.calls(of: .write) == 0 || !tellsLength)
        #expect(transfer.recordedProgress.received == 0)
        // More is allowed then.
        #expect(try await download(bench) { $0.maximumLength = 10_000 }.state == .completed)
        #expect(try bench.published == bench.bytes)
    }

    @Test func aStreamGetsNoMoreThanIsAllowed() async throws {
        let bench = try Bench()
        var resource = ScriptedResource(bench.bytes, entityTag: "\"v1\"")
        resource.tellsLength = false
        bench.transport.set(resource, at: bench.url)
        bench.files.addStream("/d/fifo")
        var options = DownloadOptions()
        options.maximumLength = 9_999
        let engine = bench.engine()
        let handle = try await engine.download(
            from: bench.url,
            to: .stream(path: "/d/fifo"),
            options: options
        )
        try await engine.run()
        #expect(failure(try await handle.snapshot)?.code == .tooLong)
        let taken = bench.files.streamed(to: "/d/fifo")
        #expect(taken.count <= 9_999 && bench.bytes.starts(with: taken))
    }

    // MARK: Refusals that are not final

    @Test func aNamedStatusIsRetriedUntilTheFileIsThere() async throws {
        let bench = try Bench()
        for _ in 0..<2 { bench.transport.order(.answer(status: 404, [:]), at: bench.url) }
        let engine = bench.engine(.everything(untilDrained: false))
        try await bench.running(engine) {
            var options = DownloadOptions()
            options.retriedStatuses = [404]
            let handle = try await engine.download(
                from: bench.url,
                to: bench.destination,
                options: options
            )
            try await bench.advance { try await handle.snapshot.state == .completed }
        }
        #expect(bench.transport.requests.count == 3)
        #expect(try bench.published == bench.bytes)
    }

    @Test(arguments: [404, 401])
    func anyOtherStatusIsFinal(status: Int) async throws {
        let bench = try Bench()
        bench.transport.order(.answer(status: status, [:]), at: bench.url)
        let transfer = try await download(bench) { $0.retriedStatuses = [401, 409, 500] }
        #expect(transfer.state.isFinal && failure(transfer) != nil)
        #expect(bench.transport.requests.count == 1)
    }
}
