import FerryCore

/// What a segment map should say, kept bit by bit: which bytes were written, and which of them were synced.
struct SegmentMapModel {
    /// The file, as far as this model looks.
    static let extent = 96

    var written = [Bool](repeating: false, count: extent)
    var durable = [Bool](repeating: false, count: extent)

    mutating func write(_ range: Range<Int>) {
        for index in range { written[index] = true }
    }

    mutating func confirm(_ wasWritten: [Bool]) {
        for index in written.indices where wasWritten[index] && written[index] { durable[index] = true }
    }

    mutating func rewind() {
        written = durable
    }

    mutating func drop(_ range: Range<Int>) {
        for index in range {
            written[index] = false
            durable[index] = false
        }
    }

    mutating func truncate(to extent: Int) {
        for index in written.indices where index >= extent {
            written[index] = false
            durable[index] = false
        }
    }

    /// What is wrong with a map, in words; `nil` when it claims nothing that is not so (I2) and has no gap.
    func fault(in map: SegmentMap) -> String? {
        var expected: Int64 = 0
        for segment in map.segments {
            guard segment.range.lowerBound == expected else { return "gap or overlap at \(expected)" }
            guard map.segments.count == 1 || !segment.range.isEmpty else {
                return "empty segment at \(expected)"
            }
            guard segment.range.lowerBound <= segment.durable, segment.durable <= segment.written,
                segment.written <= segment.range.upperBound
            else { return "watermarks of \(segment) out of order" }
            for offset in segment.range.lowerBound..<segment.written where !written[Int(offset)] {
                return "byte \(offset) is claimed as written and is not"
            }
            for offset in segment.range.lowerBound..<segment.durable where !durable[Int(offset)] {
                return "byte \(offset) is claimed as durable and is not"
            }
            expected = segment.range.upperBound
        }
        guard expected == map.length ?? .max else { return "the map ends at \(expected)" }
        return nil
    }
}
