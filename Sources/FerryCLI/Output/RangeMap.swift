import Ferry

/// Which bytes of a file have been received, drawn in one line: `[#####+....###......]`.
enum RangeMap {
    /// The number of cells, each of an equal share of the file.
    static let width = 40

    /// The line: `#` for a share that is complete, `+` for one in part, `.` for one without a byte.
    ///
    /// - Returns: `nil` if the length is unknown, or none or all of the file is there.
    static func line(_ map: SegmentMap) -> String? {
        guard let length = map.length, map.received > 0, map.received < length else { return nil }
        let cells = (0..<Int64(width)).map { cell -> Character in
            // Without a product that could overflow.
            let start = Int64(Double(length) * Double(cell) / Double(width))
            let end = max(start + 1, Int64(Double(length) * Double(cell + 1) / Double(width)))
            let received = map.segments.reduce(Int64(0)) { sum, segment in
                sum + max(0, min(end, segment.written) - max(start, segment.range.lowerBound))
            }
            return received == 0 ? "." : received >= end - start ? "#" : "+"
        }
        return "[\(String(cells))]"
    }
}
