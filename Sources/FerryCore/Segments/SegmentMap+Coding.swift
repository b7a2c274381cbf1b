/// The compact form in which a segment map is stored.
///
/// A format byte, the number of segments, and for each its length, its written part and its durable part as
/// LEB128 numbers. If the end of the last segment is unknown, its length is stored as zero, with a flag in the format
/// byte. This keeps the common map of one segment below 20 bytes.
extension SegmentMap {
    private static let formatKnownLength: UInt8 = 1
    private static let formatUnknownLength: UInt8 = 2

    /// The stored form of this map.
    package var encoded: [UInt8] {
        var bytes: [UInt8] = [length == nil ? Self.formatUnknownLength : Self.formatKnownLength]
        Self.append(UInt64(segments.count), to: &bytes)
        for segment in segments {
            let isOpen = segment.range.upperBound == .max
            Self.append(isOpen ? 0 : UInt64(segment.range.upperBound - segment.range.lowerBound), to: &bytes)
            Self.append(UInt64(segment.written - segment.range.lowerBound), to: &bytes)
            Self.append(UInt64(segment.durable - segment.range.lowerBound), to: &bytes)
        }
        return bytes
    }

    /// Reads the stored form.
    ///
    /// - Returns: `nil` when the bytes are not a map, or a watermark is out of order (I2).
    package init?(encoded bytes: [UInt8]) {
        var input = bytes[...]
        guard let format = input.popFirst(),
            format == Self.formatKnownLength || format == Self.formatUnknownLength,
            let count = Self.readNumber(from: &input), count > 0, count <= bytes.count
        else { return nil }
        var segments: [Segment] = []
        var lower: Int64 = 0
        for number in 1...count {
            guard let length = Self.readNumber(from: &input),
                let written = Self.readNumber(from: &input),
                let durable = Self.readNumber(from: &input)
            else { return nil }
            let isOpen = format == Self.formatUnknownLength && number == count
            let (sum, overflow) = lower.addingReportingOverflow(length)
            let upper = isOpen ? Int64.max : sum
            guard !overflow, durable <= written, written <= upper - lower else { return nil }
            segments.append(
                Segment(range: lower..<upper, written: lower + written, durable: lower + durable)
            )
            lower = upper
        }
        guard input.isEmpty else { return nil }
        self.init(segments: segments)
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Reads one LEB128 number that fits an `Int64`.
    private static func readNumber(from input: inout ArraySlice<UInt8>) -> Int64? {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while let byte = input.popFirst() {
            guard shift < 63 else { return nil }
            number |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return Int64(exactly: number) }
            shift += 7
        }
        return nil
    }
}
