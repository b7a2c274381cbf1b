import FerryCore

extension InputProperty {
    /// A stored segment map is in order and without gaps, and stays so after any operation (I2).
    ///
    /// The first byte is the length of the stored map, which follows it. The rest are operations: a byte that names the
    /// operation, and two numbers.
    package static let segmentMap = InputProperty("segment-map") { input in
        guard let count = input.bytes.first.map(Int.init) else { return }
        guard var map = SegmentMap(encoded: Array(input.bytes.dropFirst().prefix(count))) else { return }
        try requireInOrder(map)
        var operations = input.bytes.dropFirst(1 + count).prefix(60)[...]
        while operations.count >= 3 {
            let (what, place, amount) = (
                operations.removeFirst(), operations.removeFirst(), operations.removeFirst()
            )
            let before = map
            apply(what, place: Int(place), amount: Int64(amount), to: &map)
            try requireInOrder(map)
            try require(map.length == before.length || before.length == nil, "a known length stays")
        }
    }

    private static func apply(_ what: UInt8, place: Int, amount: Int64, to map: inout SegmentMap) {
        let segment = map.segments[place % map.segments.count]
        let offset = segment.written.addingSaturated(amount << Int64(what >> 4))
        switch what & 7 {
        case 0: map.advance(segment.range.lowerBound, writtenTo: min(offset, .max - 1))
        case 1: _ = map.divide(segment.range.lowerBound, at: offset)
        case 2: map.confirm(durable: map)
        case 3: map.rewindToDurable()
        case 4: map.truncateClaims(to: offset)
        case 5: _ = map.fix(length: offset)
        case 6:
            let snapshot = map
            map.advance(segment.range.lowerBound, writtenTo: min(offset, .max - 1))
            map.confirm(durable: snapshot)
        default: _ = map.divide(segment.range.lowerBound, at: segment.range.upperBound - min(amount, 1))
        }
    }

    private static func requireInOrder(_ map: SegmentMap) throws(Violation) {
        var end: Int64 = 0
        for segment in map.segments {
            try require(segment.range.lowerBound == end, "each segment begins where the one before it ends")
            try require(segment.range.lowerBound <= segment.durable, "I2: durable is not before the segment")
            try require(segment.durable <= segment.written, "I2: durable does not pass written")
            try require(segment.written <= segment.range.upperBound, "I2: written does not pass the end")
            try require(
                map.segments.count == 1 || !segment.range.isEmpty,
                "no segment is empty beside another"
            )
            end = segment.range.upperBound
        }
        try require(end == map.length ?? .max, "the last segment ends with the resource")
        try require(map.received >= map.durableBytes && map.durableBytes >= 0, "I2: the sums are in order")
        try require(
            map.completePrefix <= map.claimedExtent || map.claimedExtent == 0,
            "what is whole is claimed"
        )
        try require(SegmentMap(encoded: map.encoded) == map, "what is stored is read as the same")
    }
}
