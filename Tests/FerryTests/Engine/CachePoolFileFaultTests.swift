import Ferry
import FerryCore
import FerryTesting
import Logging
import Testing

@Suite("What has become of a pool's file is told", .timeLimit(.minutes(10)))
struct CachePoolFileFaultTests {
    private let bench: Bench
    private let log = KeptLog()
    private let pool: CachePool

    init() throws {
        bench = try Bench()
        pool = bench.client(logger: log.logger).cache("pool")
    }

    /// A file of the application in the pool.
    private func add(_ key: String) async throws -> FilePlace {
        let bytes = AsyncStream<[UInt8]> { parts in
            parts.yield([1, 2, 3])
            parts.finish()
        }
        let path = try #require(try await pool.add(bytes, as: .text(key)).path)
        let name = try FileName(userGiven: String(path.dropFirst("/cache/pool/".count)))
        return FilePlace(directory: "/cache/pool", name: name)
    }

    private func files() async throws -> [EntryFile?] {
        var files: [EntryFile?] = []
        try await pool.forEachEntry { files.append($0.file) }
        return files
    }

    @Test("a list looks at each file, and changes nothing")
    func lists() async throws {
        let places = try await [add("a"), add("b"), add("c"), add("d")]
        #expect(try await files() == [.intact, .intact, .intact, .intact])
        bench.files.remove(places[1].name, in: "/cache/pool")
        bench.files.rewrite(places[2].name, in: "/cache/pool", with: [3, 2, 1])
        bench.files.put(.symbolicLink, [], as: places[3].name, in: "/cache/pool")
        for _ in 0..<2 { #expect(try await files() == [.intact, .missing, .changed, .link]) }
        bench.files.inject(FileFault(.survey))
        #expect(try await files() == [.unreadable, .missing, .changed, .link])
        #expect(log.lines.isEmpty)
    }

    @Test("an entry that is forgotten because of its file is logged")
    func logsALoss() async throws {
        let place = try await add("a")
        bench.files.rewrite(place.name, in: "/cache/pool", with: [3, 2, 1])
        #expect(try await pool.entry(for: .text("a")) == nil)
        #expect(log.lines.map(\.level) == [.debug], "nothing was dropped yet")
        try await pool.trim()
        let notice = try #require(log.lines.first { $0.level == .notice })
        #expect(
            notice.metadata == [
                "pool": "pool", "entry": "a", "file": place.name.rawValue, "found": "changed",
            ]
        )
        #expect(try await files() == [])
    }

    @Test("a file that cannot be deleted is counted and logged, and what has replaced one is left alone")
    func logsWhatIsLeft() async throws {
        var place = try await add("a")
        bench.files.inject(FileFault(.removePart))
        try await pool.remove(.text("a"))
        #expect(try await pool.undeletedCount == 1)
        let skipped = try #require(log.lines.last)
        #expect(skipped.level == .debug && skipped.metadata["error"] != nil)
        try await pool.trim()
        #expect(try await pool.undeletedCount == 0 && bench.files.names(in: "/cache/pool") == [])
        place = try await add("b")
        bench.files.put(.file, [7], as: place.name, in: "/cache/pool")
        // A deletion does not look at the place first.
        bench.files.inject(FileFault(.survey))
        try await pool.remove(.text("b"))
        #expect(try await pool.undeletedCount == 0)
        #expect(bench.files.contents(of: place.name, in: "/cache/pool") == [7])
    }
}
