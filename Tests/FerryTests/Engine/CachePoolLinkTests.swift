import Ferry
import FerryCore
import FerryTesting
import Testing

@Suite("A symbolic link in the place of a pool's file counts as no file", .timeLimit(.minutes(10)))
struct CachePoolLinkTests {
    private let bench: Bench
    private let pool: CachePool

    init() throws {
        bench = try Bench()
        pool = bench.client().cache("pool")
    }

    private var key: CacheKey { .url(bench.url) }
    private var requests: Int { bench.transport.requests.count }

    /// Puts a link in the place of the file of an entry.
    ///
    /// - Returns: which link it is.
    @discardableResult
    private func link(_ entry: CacheEntry) throws -> FileIdentity {
        let place = try place(of: entry)
        return bench.files.put(.symbolicLink, [], as: place.name, in: place.directory)
    }

    private func place(of entry: CacheEntry) throws -> FilePlace {
        let path = try #require(entry.path)
        let slash = try #require(path.lastIndex(of: "/"))
        let name = try FileName(userGiven: String(path[path.index(after: slash)...]))
        return FilePlace(directory: String(path[..<slash]), name: name)
    }

    private func found(at place: FilePlace) async throws -> FileSurvey.Entry? {
        try await bench.files.survey(place).final
    }

    @Test(
        "it is neither served nor revalidated, and the file takes its place again",
        arguments: [false, true]
    )
    func isNotServed(_ isStale: Bool) async throws {
        let first = try await bench.get()
        if isStale { bench.clock.advance(by: .seconds(2 * 86_400)) }
        try link(first)
        #expect(try await pool.entry(for: key) == nil)
        #expect(try await pool.pin(key) == nil)
        #expect(try await pool.retain(key) == nil)
        let count = requests
        let again = try await bench.get()
        #expect(requests > count && bench.transport.requests.last?.headers[.ifNoneMatch] == nil)
        #expect(try bench.bytes(of: again) == bench.bytes && again.path == first.path)
        #expect(try await pool.size.cachedCount == 1)
    }

    @Test("it is not in the way of a file that has no entry yet")
    func isNotInTheWay() async throws {
        let first = try await bench.get()
        try await pool.remove(key)
        try link(first)
        #expect(try bench.bytes(of: try await bench.get()) == bench.bytes)
    }

    @Test("a link that appears during a download is not replaced by it, and the next one succeeds")
    func appearsDuringADownload() async throws {
        let first = try await bench.get()
        try await pool.remove(key)
        bench.transport.order(.stallAfter(4_000), at: bench.url)
        let url = bench.url
        let engine = bench.engine(.everything(untilDrained: false))
        let identity = try await bench.running(engine) {
            async let entry = engine.cache("pool").get(url)
            try await bench.transport.nextStall()
            let identity = try link(first)
            bench.transport.release()
            do {
                _ = try await entry
                Issue.record("a link was replaced")
            } catch is TransferFailure {
                // It is left alone.
            }
            return identity
        }
        #expect(try await found(at: place(of: first))?.identity == identity)
        #expect(try bench.bytes(of: try await bench.get()) == bench.bytes)
    }

    @Test(
        "eviction leaves it, and a trim removes it from the directory that is Ferry's",
        arguments: [nil, "/own"]
    )
    func isNotEvicted(_ directory: String?) async throws {
        var edit = CacheEdit()
        edit.directory = .some(directory)
        try await pool.edit(edit)
        let place = try place(of: try await bench.get())
        let identity = bench.files.put(.symbolicLink, [], as: place.name, in: place.directory)
        #expect(try await pool.remove(key))
        #expect(try await found(at: place)?.identity == identity)
        #expect(try await bench.store.entries(EntryFilter(), after: 0, limit: 9) == [])
        try await pool.trim()
        #expect(try await found(at: place)?.identity == (directory == nil ? nil : identity))
    }

    @Test("a file of the application takes its place")
    func isReplacedByAnOwnFile() async throws {
        let own = CacheKey.text("own")
        for bytes in [[1, 2], [3]] as [[UInt8]] {
            let parts = AsyncStream<[UInt8]> { parts in
                parts.yield(bytes)
                parts.finish()
            }
            let entry = try await pool.add(parts, as: own)
            #expect(try bench.bytes(of: entry) == bytes)
            try link(entry)
            #expect(try await pool.entry(for: own) == nil)
        }
    }

    @Test(
        "the directory of the pools that have none of their own is not given to one",
        arguments: ["/", "/cache", "/cache/pool", "/cache/other/below"]
    )
    func refusesTheUsualDirectory(_ directory: String) async throws {
        var edit = CacheEdit()
        edit.directory = .some(directory)
        do {
            _ = try await pool.edit(edit)
            Issue.record("\(directory) was accepted")
        } catch {
            #expect(error == .refusedPool(.directoryInUse(directory, by: nil)))
        }
        #expect(try await pool.settings.directory == nil)
    }
}
