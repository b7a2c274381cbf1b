import Ferry
import FerryCore
import FerryTesting
import Testing

/// A file with the server's time (`DownloadOptions.keepsServerTime`).
@Suite("The server's time of a file", .timeLimit(.minutes(10)))
struct EngineServerTimeTests {
    private static let date = "Tue, 15 Nov 1994 12:45:26 GMT"
    private static let nanoseconds: Int64 = 784_903_526_000_000_000

    private func modified(_ bench: Bench) async throws -> Int64? {
        let place = FilePlace(directory: "/d", name: try FileName(userGiven: "file.bin"))
        return try await bench.files.survey(place).final?.modified
    }

    private func download(_ bench: Bench, keeps: Bool = true, updates: Bool = false) async throws -> Transfer
    {
        var options = DownloadOptions()
        (options.keepsServerTime, options.updates) = (keeps, updates)
        return try await bench.fetch(options)
    }

    @Test(arguments: [true, false])
    func theFileGetsTheServersTimeIfThatIsAskedFor(keeps: Bool) async throws {
        let bench = try Bench()
        let resource = ScriptedResource(bench.bytes, entityTag: "\"v1\"", lastModified: Self.date)
        bench.transport.set(resource, at: bench.url)
        #expect(try await download(bench, keeps: keeps).state == .completed)
        #expect(try await (modified(bench) == Self.nanoseconds) == keeps)
        #expect(try bench.published == bench.bytes)
    }

    @Test func aFileWithTheServersTimeIsStillKnownAndUpdated() async throws {
        let bench = try Bench()
        let resource = ScriptedResource(bench.bytes, entityTag: "\"v1\"", lastModified: Self.date)
        bench.transport.set(resource, at: bench.url)
        for _ in 0..<2 {
            #expect(try await download(bench).state == .completed)
        }
        #expect(bench.transport.requests.count == 1, "it is the file that was saved")
        let fresh = [UInt8](repeating: 7, count: 3_000)
        let later = "Tue, 15 Nov 1994 12:45:27 GMT"
        bench.transport.set(
            ScriptedResource(fresh, entityTag: "\"v2\"", lastModified: later),
            at: bench.url
        )
        let updated = try await download(bench, updates: true)
        #expect(updated.state == .completed)
        #expect(try bench.published == fresh)
        #expect(try await modified(bench) == Self.nanoseconds + 1_000_000_000)
    }
}
