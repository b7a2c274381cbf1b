extension Instant {
    /// Reads a moment after RFC 3339, such as `2026-01-31T09:00:00Z` or `2026-01-31 10:00:00.5+01:00`; `nil` for any
    /// other text.
    package init?(timestamp text: String) {
        let bytes = Array(text.utf8)
        func number(_ range: Range<Int>) -> Int? {
            guard range.upperBound <= bytes.count else { return nil }
            var number = 0
            for byte in bytes[range] {
                guard (0x30...0x39).contains(byte) else { return nil }
                number = number * 10 + Int(byte - 0x30)
            }
            return number
        }
        func has(_ character: Character, at index: Int) -> Bool {
            index < bytes.count && bytes[index] == character.asciiValue
        }
        guard let year = number(0..<4), has("-", at: 4), let month = number(5..<7), has("-", at: 7),
            let day = number(8..<10), has("T", at: 10) || has("t", at: 10) || has(" ", at: 10),
            let hour = number(11..<13), has(":", at: 13), let minute = number(14..<16), has(":", at: 16),
            let second = number(17..<19)
        else { return nil }
        let date = CivilDate(
            year: Int64(year),
            month: month,
            day: day,
            hour: hour,
            minute: minute,
            second: second
        )
        guard date.isValid else { return nil }
        var end = 19
        var milliseconds = 0
        if has(".", at: end) {
            let digits = bytes[(end + 1)...].prefix { (0x30...0x39).contains($0) }
            guard !digits.isEmpty else { return nil }
            let padded = digits.prefix(3) + [UInt8](repeating: 0x30, count: max(0, 3 - digits.count))
            milliseconds = padded.reduce(0) { $0 * 10 + Int($1 - 0x30) }
            end = digits.endIndex
        }
        var offset = 0
        if has("+", at: end) || has("-", at: end) {
            guard bytes.count == end + 6, has(":", at: end + 3), let hours = number(end + 1..<end + 3),
                let minutes = number(end + 4..<end + 6), hours < 24, minutes < 60
            else { return nil }
            offset = (hours * 60 + minutes) * (has("-", at: end) ? -60 : 60)
        } else {
            guard bytes.count == end + 1, has("Z", at: end) || has("z", at: end) else { return nil }
        }
        self = date.instant.advanced(by: .seconds(-offset) + .milliseconds(milliseconds))
    }
}
