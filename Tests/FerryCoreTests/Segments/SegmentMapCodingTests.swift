import FerryCore
import FerryTesting
import Testing

@Suite("The stored form of a segment map")
struct SegmentMapCodingTests {
    @Test(arguments: UInt64(0)..<200)
    func bytesThatAreNoMapAreRefusedAndNeverTrap(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<200 {
            let count = Int.random(in: 0...40, using: &random)
            var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            // Half of them begin as a map does, or hardly any would get past the first byte.
            if count > 1, Bool.random(using: &random) {
                bytes[0] = .random(in: 1...2, using: &random)
                bytes[1] = .random(in: 1...5, using: &random)
                for index in 2..<count where Bool.random(using: &random) { bytes[index] &= 0x0F }
            }
            guard let map = SegmentMap(encoded: bytes) else { continue }
            #expect(isValid(map), "seed \(seed): \(bytes)")
            #expect(SegmentMap(encoded: map.encoded) == map, "seed \(seed): \(bytes)")
        }
    }

    @Test(arguments: UInt64(0)..<50)
    func everyDamagedMapIsRefusedOrValid(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var map = SegmentMap(length: Bool.random(using: &random) ? nil : 1 << 40)
        for offset in [1 << 10, 1 << 20, 1 << 30] as [Int64] {
            _ = map.divide(map.segments.last!.range.lowerBound, at: offset)
        }
        for segment in map.segments {
            let end = min(segment.range.upperBound, 1 << 41)
            map.advance(
                segment.range.lowerBound,
                writtenTo: .random(in: segment.range.lowerBound...end, using: &random)
            )
        }
        map.confirm(durable: map)
        let good = map.encoded
        #expect(SegmentMap(encoded: good) == map)
        for length in 0..<good.count { #expect(SegmentMap(encoded: Array(good[..<length])) == nil) }
        #expect(SegmentMap(encoded: good + [0]) == nil)
        for index in good.indices {
            for bit in 0..<8 {
                var bad = good
                bad[index] ^= 1 << bit
                if let decoded = SegmentMap(encoded: bad) { #expect(isValid(decoded)) }
            }
        }
    }

    @Test(
        arguments: [
            [], [0], [3, 1, 0, 0, 0], [1, 0], [1, 1, 4, 5, 0], [1, 1, 4, 3, 4],
            // Two segments with one lower bound.
            [1, 2, 0, 0, 0, 5, 0, 0], [1, 2, 5, 0, 0, 0, 0, 0],
            // More segments than bytes, and numbers past Int64.
            [1, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0, 0, 0],
            [1, 1] + [UInt8](repeating: 0xFF, count: 9) + [1, 0, 0],
            // Lengths whose sum overflows.
            [1, 2] + [UInt8](repeating: 0xFF, count: 8) + [0x7F, 0, 0] + [UInt8](repeating: 0xFF, count: 8)
                + [0x7F, 0, 0],
            // A file that has been written to the end of all numbers.
            [2, 1, 0] + [UInt8](repeating: 0xFF, count: 8) + [0x7F, 0],
        ] as [[UInt8]]
    )
    func isRefused(_ bytes: [UInt8]) {
        #expect(SegmentMap(encoded: bytes) == nil)
    }

    @Test func theCommonMapIsShort() {
        var map = SegmentMap(length: 1 << 40)
        map.advance(0, writtenTo: 1 << 39)
        map.confirm(durable: map)
        #expect(map.encoded.count < 24)
        #expect(SegmentMap(encoded: SegmentMap(length: nil).encoded) == SegmentMap(length: nil))
        #expect(SegmentMap(encoded: SegmentMap(length: 0).encoded) == SegmentMap(length: 0))
    }

    private func isValid(_ map: SegmentMap) -> Bool {
        var expected: Int64 = 0
        for segment in map.segments {
            guard segment.range.lowerBound == expected, segment.range.lowerBound <= segment.durable,
                segment.durable <= segment.written, segment.written <= segment.range.upperBound,
                map.segments.count == 1 || !segment.range.isEmpty
            else { return false }
            expected = segment.range.upperBound
        }
        return !map.segments.isEmpty && (map.length != nil || !map.isComplete)
    }
}
