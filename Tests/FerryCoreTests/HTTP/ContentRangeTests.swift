import FerryCore
import FerryTesting
import Testing

struct ContentRangeTests {
    @Test(arguments: [
        ("bytes 0-0/1", ContentRange.bytes(0..<1, total: 1)),
        ("bytes 0-499/1234", .bytes(0..<500, total: 1234)),
        ("bytes 500-999/*", .bytes(500..<1000, total: nil)),
        ("BYTES 1-2/3", .bytes(1..<3, total: 3)),
        ("  bytes 1-2/3\t", .bytes(1..<3, total: 3)),
        ("bytes 0000000000000000000000001-2/3", .bytes(1..<3, total: 3)),
        ("bytes 0-9223372036854775806/9223372036854775807", .bytes(0..<Int64.max, total: .max)),
        ("bytes */0", .unsatisfied(total: 0)),
        ("bytes */1234", .unsatisfied(total: 1234)),
        ("bytes */9223372036854775807", .unsatisfied(total: .max)),
    ])
    func reads(text: String, expected: ContentRange) {
        #expect(ContentRange(text) == expected)
        #expect(ContentRange(expected.description) == expected)
    }

    @Test(arguments: [
        "", "bytes", "bytes ", "bytes */*", "bytes 0-1", "bytes 0-1/", "bytes /2", "bytes -/2", "bytes 0-/2",
        "bytes -1/2", "bytes -5--1/10", "bytes 2-1/3", "bytes 0-3/3", "bytes 0-0/0", "bytes +0-1/2",
        "bytes 0-+1/2",
        "bytes 0-1/+2", "bytes 0-1/-2", "bytes */-1", "bytes  0-1/2", "bytes\t0-1/2", "bytes 0 -1/2",
        "bytes 0-1 /2",
        "bytes 0-1/ 2", "bytes=0-1/2", "items 0-1/2", "bytes 0-1/2, bytes 3-4/5", "bytes 0-1/2x",
        "bytes 0-1/2/3",
        "bytes 0-1-2/3", "bytes 0x0-1/2", "bytes ٠-١/٢", "bytes 0-1.5/2", "bytes */", "bytes **/1",
        "none 0-1/2",
        "bytes 0-9223372036854775807/*", "bytes 0-9223372036854775808/*",
        "bytes 18446744073709551616-18446744073709551617/*",
        "bytes 0-1/9223372036854775808", "bytes */9223372036854775808",
        "bytes 0-1/99999999999999999999999999",
        "\nbytes 0-1/2", "bytes 0-1/2\r\n", "bytes 0-1/2\0",
    ])
    func refuses(text: String) {
        #expect(ContentRange(text) == nil)
    }

    @Test func whateverIsReadIsConsistent() {
        for seed in 0..<30_000 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let text =
                "bytes "
                + random.text(
                    from: ["0", "1", "9", "-", "/", "*", " ", "9223372036854775807", "+"],
                    length: 7
                )
            guard let range = ContentRange(text) else { continue }
            #expect(ContentRange(range.description) == range, "seed \(seed)")
            if case .bytes(let bytes, let total) = range {
                #expect(!bytes.isEmpty && bytes.lowerBound >= 0, "seed \(seed)")
                #expect(total.map { bytes.upperBound <= $0 } ?? true, "seed \(seed)")
            }
        }
    }
}
