import FerryCore
import FerryTesting
import Testing

@Suite("A segment map never claims what is not there (I2)")
struct SegmentMapPropertyTests {
    private struct Walk {
        var random: SeededRandom
        var map: SegmentMap
        var model = SegmentMapModel()
        /// A sync under way: the map and the file as they were when it began.
        var sync: (map: SegmentMap, written: [Bool])?

        init(seed: UInt64) {
            random = SeededRandom(seed: seed)
            let length: Int64? = Bool.random(using: &random) ? nil : .random(in: 0...96, using: &random)
            map = SegmentMap(length: length)
        }

        private static func claims(_ map: SegmentMap) -> Set<Int64> {
            Set(map.segments.flatMap { $0.range.lowerBound..<$0.written })
        }

        mutating func step() {
            let segment = map.segments.randomElement(using: &random)!
            let end = min(segment.range.upperBound, Int64(SegmentMapModel.extent))
            switch Int.random(in: 0..<11, using: &random) {
            case 0, 1, 2:
                guard segment.written <= end else { return }
                let offset = Int64.random(in: segment.written...end, using: &random)
                model.write(Int(segment.written)..<Int(offset))
                map.advance(segment.range.lowerBound, writtenTo: offset)
            case 3:
                let offset = Int64.random(in: 0...Int64(SegmentMapModel.extent), using: &random)
                let before = map
                if let lower = map.divide(segment.range.lowerBound, at: offset) {
                    #expect(lower == offset && map[offset]?.written == offset)
                    #expect(map[segment.range.lowerBound]?.written == segment.written)
                } else {
                    #expect(map == before)
                }
            case 4:
                if sync == nil { sync = (map, model.written) }
            case 5:
                guard let begun = sync else { return }
                model.confirm(begun.written)
                map.confirm(durable: begun.map)
                sync = nil
            case 6:
                // Power loss ends a sync, too.
                sync = nil
                if Bool.random(using: &random) {
                    model.rewind()
                    map.rewindToDurable()
                } else {
                    let extent = Int64.random(in: 0...Int64(SegmentMapModel.extent), using: &random)
                    model.truncate(to: Int(extent))
                    map.truncateClaims(to: extent)
                    #expect(map.claimedExtent <= extent)
                }
            case 7:
                // No connection fills a segment whose bytes are dropped, so no running sync confirms them.
                sync = nil
                let begin = Int64.random(in: 0..<Int64(SegmentMapModel.extent), using: &random)
                let end = Int64.random(in: begin...Int64(SegmentMapModel.extent), using: &random)
                let claimed = Self.claims(map).subtracting(begin..<end)
                model.drop(Int(begin)..<Int(end))
                map.drop(begin..<end)
                #expect(Self.claims(map) == claimed, "nothing else is given up")
            case 8, 9:
                let (received, durable) = (map.received, map.durableBytes)
                let taken = Set(
                    map.segments.map(\.range.lowerBound).filter { _ in Bool.random(using: &random) }
                )
                if Bool.random(using: &random) { map.fold() } else { map.join(except: taken) }
                #expect(map.received == received && map.durableBytes == durable, "nothing is given up")
            default:
                let length = Int64.random(in: 0...Int64(SegmentMapModel.extent), using: &random)
                let before = map
                if map.fix(length: length) { #expect(map.length == length) } else { #expect(map == before) }
            }
        }
    }

    @Test(arguments: UInt64(0)..<400)
    func agreesWithABitmapWhateverHappensToIt(seed: UInt64) throws {
        var walk = Walk(seed: seed)
        for number in 0..<120 {
            walk.step()
            let fault = walk.model.fault(in: walk.map)
            try #require(fault == nil, "seed \(seed), step \(number): \(fault ?? "")")
            #expect(SegmentMap(segments: walk.map.segments) == walk.map, "seed \(seed), step \(number)")
            #expect(SegmentMap(encoded: walk.map.encoded) == walk.map, "seed \(seed), step \(number)")
            #expect(walk.map.durableBytes <= walk.map.received)
            #expect(walk.map.completePrefix <= walk.map.claimedExtent || walk.map.claimedExtent == 0)
        }
    }

    @Test func everyByteWrittenBeforeASyncIsDurableAfterIt() {
        var map = SegmentMap(length: 100)
        map.advance(0, writtenTo: 40)
        let snapshot = map
        _ = map.divide(0, at: 70)
        map.advance(0, writtenTo: 55)
        map.advance(70, writtenTo: 90)
        map.confirm(durable: snapshot)
        #expect(map.durableBytes == 40)
        #expect(map.segments.map(\.durable) == [40, 70])
    }

    @Test func completeNeighboursAreJoinedOnlyOnceTheyAreDurable() {
        var map = SegmentMap(length: 90)
        _ = map.divide(0, at: 60)
        _ = map.divide(0, at: 30)
        map.advance(0, writtenTo: 30)
        map.advance(30, writtenTo: 60)
        #expect(map.segments.count == 3)
        map.confirm(durable: map)
        #expect(map.segments.map(\.range) == [0..<60, 60..<90])
        map.advance(60, writtenTo: 90)
        map.confirm(durable: map)
        #expect(map.segments.count == 1 && map.isDurable)
    }

    @Test func aMapThatNobodyFillsIsFolded() {
        var map = SegmentMap(length: 100)
        _ = map.divide(0, at: 60)
        _ = map.divide(0, at: 30)
        map.fold()
        #expect(map.segments == [Segment(0..<100)])
        _ = map.divide(0, at: 50)
        map.advance(0, writtenTo: 50)
        map.fold()
        // The overlap that is requested again is in the segment that resumes.
        #expect(map.segments == [Segment(range: 0..<100, written: 50, durable: 0)])
        _ = map.divide(0, at: 80)
        map.advance(80, writtenTo: 90)
        map.fold()
        #expect(map.segments.map(\.range) == [0..<80, 80..<100])
    }

    @Test func aLengthThatEndsBeforeASplitOffPartLeavesNoEmptySegment() {
        var map = SegmentMap(length: nil)
        _ = map.divide(0, at: 50)
        let isFixed = map.fix(length: 50)
        #expect(isFixed)
        #expect(map.segments.map(\.range) == [0..<50])
        #expect(map.length == 50)
    }

    @Test func aLengthBelowWhatIsClaimedIsRefused() {
        var map = SegmentMap(length: nil)
        map.advance(0, writtenTo: 10)
        let before = map
        let isShorterTaken = map.fix(length: 9)
        #expect(!isShorterTaken && map == before)
        let isFixed = map.fix(length: 10)
        #expect(isFixed && map.isComplete)
        let isLongerTaken = map.fix(length: 11)
        #expect(!isLongerTaken)
    }

    @Test func nothingIsAnEmptyFileThatIsComplete() {
        let map = SegmentMap(length: 0)
        #expect(map.isComplete && map.isDurable && map.length == 0 && map.claimedExtent == 0)
    }

    @Test func anUnknownLengthIsNeverComplete() {
        var map = SegmentMap(length: nil)
        map.advance(0, writtenTo: 1 << 40)
        #expect(!map.isComplete && map.length == nil)
    }
}
