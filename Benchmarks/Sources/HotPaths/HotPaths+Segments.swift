import FerryCore

extension HotPaths {
    /// What each write, each sync and each record asks of the segment map, with 16 connections under way.
    static var segments: [Measurement] {
        let map = dividedMap()
        let bytes = map.encoded
        return [
            Measurement(name: "segments.advance") {
                var moved = map
                for segment in map.segments {
                    moved.advance(segment.range.lowerBound, writtenTo: segment.written + 65_536)
                }
                return Int(truncatingIfNeeded: moved.claimedExtent)
            },
            Measurement(name: "segments.confirm") {
                var synced = map
                synced.confirm(durable: map)
                return synced.segments.count
            },
            Measurement(name: "segments.encode") { map.encoded.count },
            Measurement(name: "segments.decode") { SegmentMap(encoded: bytes)?.segments.count ?? .min },
        ]
    }

    /// Two GiB in 16 segments, each of them begun.
    private static func dividedMap() -> SegmentMap {
        let count: Int64 = 16
        let length: Int64 = 2 << 30
        let part = length / count
        return SegmentMap(
            segments: (0..<count).map { number in
                let lower = number * part
                return Segment(range: lower..<lower + part, written: lower + 1_000_000, durable: lower + 4096)
            }
        )!
    }
}
