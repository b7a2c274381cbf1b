import Ferry
import FerryCore
import FerryTesting
import Testing

@Suite("Others change a pool meanwhile", .timeLimit(.minutes(10)))
struct CachePoolRaceTests {
    private let bench: Bench
    private let pool: CachePool

    init() throws {
        bench = try Bench()
        pool = bench.client().cache("pool")
    }

    private var key: CacheKey { .url(bench.url) }
    private var names: [String] { bench.files.names(in: "/cache/pool") }
    private var conditions: [String?] { bench.transport.requests.map { $0.headers[.ifNoneMatch] } }

    private func run() async throws { try await bench.engine(.everything(untilDrained: true)).run() }

    /// Brings the file, and lets it become stale.
    private func bringStale() async throws {
        try await bench.add(bench.url, to: pool)
        try await run()
        bench.clock.advance(by: .seconds(2 * 86_400))
    }

    /// Deletes the file of the only entry, as the system or a slow process may.
    private func deleteFile() throws {
        bench.files.remove(try FileName(userGiven: try #require(names.first)), in: "/cache/pool")
    }

    @Test("what is removed while it is revalidated is served again after 304, with its file")
    func bringsBackWhatWasRemovedMeanwhile() async throws {
        try await bringStale()
        try await bench.add(bench.url, to: pool)
        #expect(try await pool.removeAll() == 1)
        #expect(try await pool.entry(for: key) == nil)
        #expect(names.count == 1, "a download still needs the file")
        try await run()
        #expect(conditions == [nil, "\"v1\""])
        #expect(try bench.bytes(of: try await pool.entry(for: key)) == bench.bytes)
    }

    @Test("a file that is gone before the request is downloaded, not revalidated")
    func asksForWhatIsGone() async throws {
        try await bringStale()
        try await bench.add(bench.url, to: pool)
        try deleteFile()
        try await run()
        #expect(conditions == [nil, nil])
        #expect(try bench.bytes(of: try await pool.entry(for: key)) == bench.bytes)
    }

    @Test("a file that is gone before the server answers 304 is downloaded after that")
    func downloadsAfterAUselessAnswer() async throws {
        try await bringStale()
        bench.transport.order(.stallBeforeHead, at: bench.url)
        let (url, engine) = (bench.url, bench.engine(.everything(untilDrained: false)))
        let entry = try await bench.running(engine) { [self] in
            async let entry = engine.cache("pool").get(url)
            try await bench.transport.nextStall()
            try deleteFile()
            bench.transport.release()
            return try await entry
        }
        #expect(conditions == [nil, "\"v1\"", nil])
        #expect(try bench.bytes(of: entry) == bench.bytes)
    }

    /// Removes an entry that a user retains, as soon as someone looks for its file.
    private func removeWhenFound() {
        bench.files.beforeNext(.survey) { [pool, key] in
            await #expect(throws: Never.self) {
                let isRemoved = try await pool.remove(key)
                #expect(isRemoved)
            }
        }
    }

    @Test("an entry that is removed just before it is pinned is not reported as pinned")
    func pinsNothingThatIsRemoved() async throws {
        try await bench.add(bench.url, to: pool)
        try await run()
        let user = try #require(try await pool.retain(key))
        removeWhenFound()
        #expect(try await pool.pin(key) == nil)
        try await user.release()
        #expect(names == [])
    }

    @Test("a fresh entry that is removed just before it is used is downloaded", arguments: CacheMode.allCases)
    func servesNothingThatIsRemoved(_ mode: CacheMode) async throws {
        try await bench.add(bench.url, to: pool)
        try await run()
        let user = try #require(try await pool.retain(key))
        removeWhenFound()
        var options = CacheOptions()
        options.mode = mode
        guard case .missing(let new) = try await pool.prepare(bench.url, options) else {
            Issue.record("an entry that is to be deleted was served")
            return
        }
        _ = try await bench.client().add(new)
        try await user.release()
        try await run()
        let entry = try #require(try await pool.entry(for: key))
        #expect(entry.mode == mode)
        #expect(try bench.bytes(of: entry) == bench.bytes)
    }

    @Test("what 304 brings back while others are being deleted keeps its file")
    func keepsWhatCameBackMeanwhile() async throws {
        let first = try await pool.add(
            AsyncStream<[UInt8]> { parts in
                parts.yield([1])
                parts.finish()
            },
            as: .text("first")
        )
        try await bringStale()
        // Both deletions are noted, and left for the next time.
        for call in 1...2 { bench.files.inject(FileFault(.removePart, call: call)) }
        #expect(try await pool.removeAll() == 2)
        #expect(names.count == 2)
        bench.files.beforeNext(.removePart) { [self] in
            await #expect(throws: Never.self) {
                try await bench.add(bench.url, to: pool)
                try await run()
            }
        }
        try await pool.trim()
        #expect(conditions == [nil, "\"v1\""])
        #expect(try bench.bytes(of: first) == nil)
        #expect(try bench.bytes(of: try await pool.entry(for: key)) == bench.bytes)
    }

    @Test("a pool that is cleared during a download gets the file")
    func clearsDuringADownload() async throws {
        try await bench.add(bench.url, to: pool)
        #expect(try await pool.removeAll() == 0)
        try await run()
        #expect(try bench.bytes(of: try await pool.entry(for: key)) == bench.bytes)
    }

    @Test("two processes delete what one of them has evicted, and nothing else")
    func evictsTwice() async throws {
        let other = try HTTPURL(parsing: "http://origin.example/other")
        bench.transport.set(ScriptedResource(bench.bytes, entityTag: "\"other\""), at: other)
        try await bringStale()
        try await bench.add(other, to: pool)
        try await run()
        var edit = CacheEdit()
        edit.maxBytes = 10_000
        try await pool.edit(edit)
        let (first, second) = (pool, bench.client().cache("pool"))
        async let one = first.trim()
        async let two = second.trim()
        #expect(try await one + two == 1)
        #expect(try await pool.entry(for: .url(other)) != nil && names.count == 1)
        #expect(try await bench.store.entries(EntryFilter(), after: 0, limit: 9).count == 1)
    }
}
