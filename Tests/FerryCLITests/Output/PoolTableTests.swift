import FerryCore
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// `ferry cache` for people.
@Suite("The table of pools")
struct PoolTableTests {
    private func pools() -> [PoolSummary] {
        var limited = CacheSettings("thumbnails")
        (limited.maxBytes, limited.maxAge) = (1 << 30, .seconds(30 * 86_400))
        var size = CacheSize()
        (size.cachedCount, size.cachedBytes) = (12, 3 << 20)
        return [
            PoolSummary(settings: limited, size: size),
            PoolSummary(settings: CacheSettings("a"), size: CacheSize()),
        ]
    }

    @Test("with room, each pool has one line")
    func wide() throws {
        let lines = PoolTable.lines(pools())
        #expect(lines.count == 3 && lines == PoolTable.lines(pools(), columns: 120))
        #expect(try #require(lines.first).hasSuffix("MAX SIZE    MAX AGE  FRESH FOR"))
        #expect(lines[1].hasPrefix("thumbnails         12    3.0 MiB"))
        #expect(lines[1].hasSuffix("30d         1d"))
    }

    @Test("a narrow terminal has the limits of a pool below it")
    func narrow() {
        #expect(
            PoolTable.lines(pools(), columns: 60) == [
                "POOL            FILES       SIZE     PINNED       SIZE",
                "thumbnails         12    3.0 MiB          0        0 B",
                "    up to 1.0 GiB, evicts what was not used for 30d; files\n    are fresh for 1d",
                "a                   0        0 B          0        0 B",
                "    no size limit; files are fresh for 1d",
            ]
        )
    }
}
