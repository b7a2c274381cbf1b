/// The three forms of `HTTP-date` (RFC 9110 §5.6.7).
enum HTTPDate {
    private static let weekdays = [
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
    ]
    /// The names of the months, from January on.
    static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Reads a date in any of the three forms.
    static func parsed(_ text: String, now: Instant) -> Instant? {
        var scanner = Scanner(Array(text.utf8).trimmingBlanks)
        let date: CivilDate?
        if let weekday = scanner.word(), scanner.take(", ") {
            date = weekday.count == 3 ? fixed(&scanner, weekday) : obsolete(&scanner, weekday, now: now)
        } else {
            scanner = Scanner(Array(text.utf8).trimmingBlanks)
            date = asctime(&scanner)
        }
        guard let date, date.isValid, scanner.isAtEnd else { return nil }
        return date.instant
    }

    /// The date as `IMF-fixdate`. Moments before the year 0 or after 9999 become the nearest one within.
    static func formatted(_ instant: Instant) -> String {
        let earliest = CivilDate(year: 0, month: 1, day: 1).instant
        let latest = CivilDate(year: 9999, month: 12, day: 31, hour: 23, minute: 59, second: 59).instant
        let date = CivilDate(min(max(instant, earliest), latest))
        func padded(_ number: Int, to width: Int = 2) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
        }
        return "\(weekdays[date.weekday].prefix(3)), \(padded(date.day)) \(months[date.month - 1]) "
            + "\(padded(Int(date.year), to: 4)) "
            + "\(padded(date.hour)):\(padded(date.minute)):\(padded(date.second)) GMT"
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`
    private static func fixed(_ scanner: inout Scanner, _ weekday: ArraySlice<UInt8>) -> CivilDate? {
        guard weekdays.contains(where: { $0.utf8.prefix(3).elementsEqual(weekday) }),
            let day = scanner.number(digits: 2), scanner.take(" "), let month = scanner.month(),
            scanner.take(" "),
            let year = scanner.number(digits: 4), scanner.take(" "), let time = scanner.time(),
            scanner.take(" GMT")
        else { return nil }
        return CivilDate(year: Int64(year), month: month, day: day, time: time)
    }

    /// `Sunday, 06-Nov-94 08:49:37 GMT`: a date more than 50 years ahead belongs to the century before.
    private static func obsolete(
        _ scanner: inout Scanner,
        _ weekday: ArraySlice<UInt8>,
        now: Instant
    ) -> CivilDate? {
        guard weekdays.contains(where: { $0.utf8.elementsEqual(weekday) }),
            let day = scanner.number(digits: 2), scanner.take("-"), let month = scanner.month(),
            scanner.take("-"),
            let shortYear = scanner.number(digits: 2), scanner.take(" "), let time = scanner.time(),
            scanner.take(" GMT")
        else { return nil }
        var limit = CivilDate(now)
        limit.year += 50
        let behind = (limit.year - Int64(shortYear)) % 100
        var date = CivilDate(
            year: limit.year - (behind < 0 ? behind + 100 : behind),
            month: month,
            day: day,
            time: time
        )
        if date.isLater(than: limit) { date.year -= 100 }
        return date
    }

    /// `Sun Nov  6 08:49:37 1994`
    private static func asctime(_ scanner: inout Scanner) -> CivilDate? {
        guard let weekday = scanner.word(),
            weekdays.contains(where: { $0.utf8.prefix(3).elementsEqual(weekday) }), scanner.take(" "),
            let month = scanner.month(), scanner.take(" "),
            let day = scanner.take(" ") ? scanner.number(digits: 1) : scanner.number(digits: 2),
            scanner.take(" "), let time = scanner.time(), scanner.take(" "),
            let year = scanner.number(digits: 4)
        else { return nil }
        return CivilDate(year: Int64(year), month: month, day: day, time: time)
    }

    /// Takes the pieces of a date, one by one.
    private struct Scanner {
        private var rest: ArraySlice<UInt8>

        init(_ bytes: ArraySlice<UInt8>) {
            rest = bytes
        }

        var isAtEnd: Bool { rest.isEmpty }

        mutating func take(_ literal: StaticString) -> Bool {
            literal.withUTF8Buffer { bytes in
                guard rest.starts(with: bytes) else { return false }
                rest = rest.dropFirst(bytes.count)
                return true
            }
        }

        mutating func word() -> ArraySlice<UInt8>? {
            let word = rest.prefix(while: \.isLetter)
            rest = rest[word.endIndex...]
            return word.isEmpty ? nil : word
        }

        mutating func month() -> Int? {
            guard let word = word() else { return nil }
            return HTTPDate.months.firstIndex { $0.utf8.elementsEqual(word) }.map { $0 + 1 }
        }

        mutating func number(digits: Int) -> Int? {
            let slice = rest.prefix(digits)
            guard slice.count == digits, let number = DecimalNumber(slice)?.fitting else { return nil }
            rest = rest[slice.endIndex...]
            return Int(number)
        }

        mutating func time() -> (hour: Int, minute: Int, second: Int)? {
            guard let hour = number(digits: 2), take(":"), let minute = number(digits: 2), take(":"),
                let second = number(digits: 2)
            else { return nil }
            return (hour, minute, second)
        }
    }
}

extension CivilDate {
    /// Whether this date comes after another one in the calendar.
    fileprivate func isLater(than other: CivilDate) -> Bool {
        (year, month, day, hour, minute, second)
            > (other.year, other.month, other.day, other.hour, other.minute, other.second)
    }
}

extension Instant {
    /// Reads an HTTP date in any of its three forms (RFC 9110 §5.6.7), strictly.
    ///
    /// The name of the weekday must be valid, but need not match the date. `now` decides the century of the obsolete
    /// form with a two-digit year. A leap second counts as the second after it.
    ///
    /// - Returns: `nil` when the text has another form, or the day or time does not exist.
    package init?(httpDate text: String, now: Instant) {
        guard let instant = HTTPDate.parsed(text, now: now) else { return nil }
        self = instant
    }

    /// The instant as an HTTP date in its preferred form, `Sun, 06 Nov 1994 08:49:37 GMT`. The fraction of a second
    /// is cut off, and years are limited to 0 to 9999.
    package var httpDate: String { HTTPDate.formatted(self) }
}
