import Ferry
import FerryCore
import FerryTesting
import Testing

/// A file that is longer than allowed (`DownloadOptions.maximumLength`).
@Suite("The maximum length of a file", .timeLimit(.minutes(10)))
struct EngineMaximumLengthTests {
    private func download(
        _ bench: Bench,
        to destination: Destination? = nil,
        most: Int64
    ) async throws -> Transfer {
        var options = DownloadOptions()
        options.maximumLength = most
        return try await bench.fetch(options, to: destination)
    }

    @Test(arguments: [true, false])
    func aLongerFileIsNotPublishedAndLeavesNothing(tellsLength: Bool) async throws {
        let bench = try Bench()
        var resource = ScriptedResource(bench.bytes, entityTag: "\"v1\"")
        resource.tellsLength = tellsLength
        bench.transport.set(resource, at: bench.url)
        let transfer = try await download(bench, most: 9_999)
        #expect(transfer.failure?.code == .tooLong)
        #expect(bench.transport.requests.count == 1, "it is not tried again")
        #expect(bench.files.names(in: "/d") == [])
        #expect(bench.files.calls(of: .write) == 0 || !tellsLength)
        #expect(transfer.recordedProgress.received == 0)
        // More is allowed then.
        #expect(try await download(bench, most: 10_000).state == .completed)
        #expect(try bench.published == bench.bytes)
    }

    @Test func aStreamGetsNoMoreThanIsAllowed() async throws {
        let bench = try Bench()
        var resource = ScriptedResource(bench.bytes, entityTag: "\"v1\"")
        resource.tellsLength = false
        bench.transport.set(resource, at: bench.url)
        bench.files.addStream("/d/fifo")
        let transfer = try await download(bench, to: .stream(path: "/d/fifo"), most: 9_999)
        #expect(transfer.failure?.code == .tooLong)
        let taken = bench.files.streamed(to: "/d/fifo")
        #expect(!taken.isEmpty && taken.count <= 9_999 && bench.bytes.starts(with: taken))
    }
}
