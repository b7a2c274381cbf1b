import Ferry
import Testing

@testable import FerryCLI

@Suite struct RangeMapTests {
    @Test func drawsWhatIsThere() {
        let map = SegmentMap(having: [0..<10_000, 50_000..<61_000], length: 100_000)
        #expect(RangeMap.line(map) == "[####................####+...............]")
    }

    @Test func drawsEvenOneByteAndTheLackOfOne() {
        let one = SegmentMap(having: [0..<1], length: 1 << 62)
        #expect(RangeMap.line(one)?.hasPrefix("[+.") == true)
        let all = SegmentMap(having: [0..<99_999], length: 100_000)
        #expect(RangeMap.line(all)?.hasSuffix("#+]") == true)
    }

    @Test(arguments: [
        SegmentMap(length: nil), SegmentMap(length: 0), SegmentMap(length: 100),
        SegmentMap(having: [0..<100], length: 100), SegmentMap(having: [0..<100], length: nil),
    ])
    func drawsNothingWithoutALengthOrAGap(_ map: SegmentMap) {
        #expect(RangeMap.line(map) == nil)
    }

    @Test func drawsAFileShorterThanTheLine() {
        let map = SegmentMap(having: [0..<3], length: 7)
        #expect(RangeMap.line(map)?.count == RangeMap.width + 2)
        #expect(RangeMap.line(map)?.last == "]")
    }
}
