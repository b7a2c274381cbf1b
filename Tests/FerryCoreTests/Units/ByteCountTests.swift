import FerryCore
import FerryTesting
import Testing

struct ByteCountTests {
    @Test(
        arguments: [
            ("0", 0), ("1", 1), ("512B", 512), ("1k", 1024), ("1K", 1024), ("1KB", 1024), ("1KiB", 1024),
            ("10M", 10_485_760),
            ("1.5M", 1_572_864), ("2 TiB", 2_199_023_255_552), ("1G", 1_073_741_824),
            ("1P", 1_125_899_906_842_624),
            ("0.1k", 102), ("0.999999999999999999999k", 1023), ("8191.9P", 9223259446864091545),
            (" 5k ", 5120),
            ("9223372036854775807", Int64.max), ("1.0B", nil), ("007", 7),
        ] as [(String, Int64?)]
    )
    func reads(text: String, bytes: Int64?) {
        #expect((try? ByteCount(parsing: text))?.bytes == bytes)
    }

    @Test(arguments: [
        "", " ", "M", "-1", "+1", "1.", ".5M", "1.5", "1.5.5M", "1,5M", "1MM", "1MiBs", "1 0", "1e3", "0x10",
        "∞", "١", "1KIBB",
        "10M\n", "\u{212A}",
    ])
    func refuses(text: String) {
        #expect(throws: ByteCount.ParseError.malformed) { try ByteCount(parsing: text) }
    }

    @Test(arguments: [
        "9223372036854775808", "8192P", "9007199254740992K", "99999999999999999999999999", "8388608T",
    ])
    func refusesWhatIsTooLarge(text: String) {
        #expect(throws: ByteCount.ParseError.tooLarge) { try ByteCount(parsing: text) }
    }

    @Test(arguments: [
        (0, "0 B"), (512, "512 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1536, "1.5 KiB"),
        (1_048_575, "1.0 MiB"),
        (1_048_576, "1.0 MiB"), (1_288_490_189, "1.2 GiB"), (1_073_741_823, "1.0 GiB"),
        (2_199_023_255_552, "2.0 TiB"),
        (Int64.max, "8192.0 PiB"), (Int64.min, "-8192.0 PiB"), (-512, "-512 B"), (1_048_524, "1.0 MiB"),
        (1_023_948, "999.9 KiB"), (1_023_949, "0.98 MiB"), (1_034_240, "0.99 MiB"),
        (1_048_523_776, "0.98 GiB"),
        (1_047_000, "1.0 MiB"), (-1_034_240, "-0.99 MiB"),
    ])
    func writes(bytes: Int64, text: String) {
        #expect(ByteCount(bytes).formatted == text)
    }

    @Test func noCountIsWiderThanNineCharacters() {
        for power in 0...5 {
            for number in 1...1023 as ClosedRange<Int64> where power < 5 || number < 1000 {
                let text = ByteCount(number << Int64(10 * power)).formatted
                #expect(text.count <= 9, "\(text)")
            }
        }
    }

    @Test func whatIsWrittenIsReadBackNearby() throws {
        var random = SeededRandom(seed: 3)
        for _ in 0..<20_000 {
            let bytes = Int64.random(in: 0...(1 << Int64.random(in: 1...61, using: &random)), using: &random)
            let read = try ByteCount(parsing: ByteCount(bytes).formatted).bytes
            #expect(abs(read - bytes) <= bytes / 20 + 1, "\(bytes)")
        }
    }

    @Test func neverTraps() {
        for seed in 0..<20_000 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            _ = try? ByteCount(
                parsing: random.text(from: ["9", "0", ".", "k", "P", "iB", " ", "-", "é"], length: 24)
            )
        }
    }

    /// Two lengths that differ must not look the same.
    @Test func comparedCountsLookDifferent() {
        #expect(ByteCount(3 << 20).formatted(beside: 2 << 20) == "3.0 MiB")
        #expect(ByteCount(9000).formatted(beside: 9001) == "9000 bytes")
        #expect(ByteCount(9001).formatted(beside: 9000) == "9001 bytes")
        #expect(ByteCount(9000).formatted(beside: 9000) == "8.8 KiB")
        #expect(ByteCount(6).formatted(beside: 7) == "6 B")
    }

    @Test func bothFormsAreGivenWhereEveryByteMatters() {
        #expect(ByteCount(1234).detailed == "1.2 KiB (1234 bytes)" && ByteCount(99).detailed == "99 B")
    }
}
