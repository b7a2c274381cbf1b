/// Reads the dates of cookies by the lenient rules of RFC 6265 §5.1.1.
///
/// Servers write them in many forms. The parts may come in any order, words that are no part are skipped, and the time
/// is always UTC, whatever zone the text names.
package enum CookieDate {
    /// The moment that a text names.
    ///
    /// - Returns: `nil` if a part is missing or out of range, or the day does not exist.
    package static func instant(parsing text: String) -> Instant? {
        var parts = Parts()
        for word in Array(text.utf8).split(whereSeparator: isDelimiter) { parts.take(word) }
        return parts.instant
    }

    /// `delimiter` of RFC 6265 §5.1.1.
    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// The parts found so far. The first word that can be a part is that part.
    private struct Parts {
        private var time: (hour: Int, minute: Int, second: Int)?
        private var day: Int?
        private var month: Int?
        private var year: Int?

        mutating func take(_ word: ArraySlice<UInt8>) {
            if time == nil, let found = Self.time(word) {
                time = found
            } else if day == nil, let found = Self.number(word, digits: 1...2) {
                day = found.value
            } else if month == nil, let found = Self.month(word) {
                month = found
            } else if year == nil, let found = Self.number(word, digits: 2...4) {
                year = found.value
            }
        }

        var instant: Instant? {
            guard let time, let day, let month, var year else { return nil }
            switch year {
            case 0...69: year += 2000
            case 70...99: year += 1900
            default: break
            }
            let date = CivilDate(year: Int64(year), month: month, day: day, time: time)
            guard year >= 1601, time.second <= 59, date.isValid else { return nil }
            return date.instant
        }

        /// `1*2DIGIT ":" 1*2DIGIT ":" 1*2DIGIT`, and then anything but a digit.
        private static func time(_ word: ArraySlice<UInt8>) -> (hour: Int, minute: Int, second: Int)? {
            guard let hour = number(word, digits: 1...2), hour.rest.first == 0x3A,
                let minute = number(hour.rest.dropFirst(), digits: 1...2), minute.rest.first == 0x3A,
                let second = number(minute.rest.dropFirst(), digits: 1...2)
            else { return nil }
            return (hour.value, minute.value, second.value)
        }

        private static func month(_ word: ArraySlice<UInt8>) -> Int? {
            let name = word.prefix(3)
            return HTTPDate.months.firstIndex { name.equalsIgnoringASCIICase($0.utf8) }.map { $0 + 1 }
        }

        /// The number at the beginning of a word, and what comes after its digits.
        private static func number(
            _ word: ArraySlice<UInt8>,
            digits: ClosedRange<Int>
        ) -> (value: Int, rest: ArraySlice<UInt8>)? {
            let number = word.prefix(while: \.isDigit)
            guard digits.contains(number.count), let value = DecimalNumber(number)?.fitting else {
                return nil
            }
            return (Int(value), word[number.endIndex...])
        }
    }
}
