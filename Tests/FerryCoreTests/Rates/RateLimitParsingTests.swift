import FerryCore
import Foundation
import Testing

struct RateLimitParsingTests {
    @Test(
        arguments: [
            ("1k", 1024), ("500K", 512_000), ("10M", 10_485_760), ("1.5MiB/s", 1_572_864),
            (" 2 MB/S ", 2_097_152),
            ("1024", 1024), ("9223372036854775807", .max), ("0", nil), ("off", nil), ("OFF", nil),
            ("0k/s", nil),
        ] as [(String, Int64?)]
    )
    func reads(text: String, bytes: Int64?) throws {
        #expect(try RateLimit(parsing: text).bytesPerSecond == bytes)
    }

    @Test(arguments: [
        "", "/s", "fast", "-1M", "1M/m", "1M/s/s", "none", "1,5M", "off/s", "1M 2M", "\u{212A}",
    ])
    func refuses(text: String) {
        #expect(throws: RateLimit.ParseError.malformed) { try RateLimit(parsing: text) }
    }

    @Test func tellsWhatIsTooSmallAndTooLarge() {
        for text in ["1", "1023", "0.5k"] {
            #expect(throws: RateLimit.ParseError.tooSmall) { try RateLimit(parsing: text) }
        }
        #expect(throws: RateLimit.ParseError.tooSmall) { try RateLimit(bytesPerSecond: -1) }
        #expect(throws: RateLimit.ParseError.tooLarge) { try RateLimit(parsing: "8192P") }
    }

    @Test func whatIsShownIsReadAsTheSame() throws {
        for limit in [try RateLimit(parsing: "1.5M"), try RateLimit(bytesPerSecond: 1024), .off] {
            #expect(try RateLimit(parsing: "\(limit)") == limit)
        }
    }

    @Test func aStoredLimitIsReadBackAndAnImpossibleOneRefused() throws {
        for limit in [try RateLimit(parsing: "1M"), .off] {
            #expect(
                try JSONDecoder().decode([RateLimit].self, from: JSONEncoder().encode([limit])) == [limit]
            )
        }
        for json in ["[0]", "[-5]", "[1023]", "[\"1M\"]", "[1e40]"] {
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode([RateLimit].self, from: Data(json.utf8))
            }
        }
    }
}
