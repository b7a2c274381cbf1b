/// When a file was last modified, as a listing says it.
package struct ListedTime: Hashable, Sendable {
    /// The moment, without what the listing leaves out. If it names no time zone, the moment is the one in UTC.
    private let moment: Instant
    /// Whether the listing names the time zone. HTML pages do not, and some have times of the server's own zone.
    private let isExact: Bool

    /// Reads the ``DirectoryIndex/Entry/stamp`` of an entry, or only its time: an HTTP date, a moment after RFC 3339, or the
    /// time on a page of nginx, Apache or lighttpd. `nil` for any other text.
    ///
    /// - Parameter now: decides the century of an HTTP date with a two-digit year.
    package init?(_ stamp: String, now: Instant) {
        let bytes = Array(stamp.utf8)
        // The size is the last word.
        let time = bytes.lastIndex(of: 0x20).map { bytes[..<$0].text } ?? stamp
        for text in [time, stamp] {
            if let moment = Instant(httpDate: text, now: now) ?? Instant(timestamp: text) {
                (self.moment, isExact) = (moment, true)
                return
            }
        }
        let words = bytes.split(separator: 0x20)
        for (day, clock) in zip(words, words.dropFirst()) {
            if let moment = Self.moment(day, clock) {
                (self.moment, isExact) = (moment, false)
                return
            }
        }
        return nil
    }

    /// Whether it is later than the `Last-Modified` of a response, so that the response had an older version.
    ///
    /// A time without a zone is compared by the minute. It does not count as later if a time zone explains the difference: zones
    /// are up to 14 hours ahead, in quarters of an hour.
    package func isAfter(_ lastModified: Instant) -> Bool {
        // The response has no fraction of a second.
        guard !isExact else { return lastModified.advanced(by: .seconds(1)) <= moment }
        let minutes = Self.minute(of: moment) - Self.minute(of: lastModified)
        return minutes > 0 && !(minutes % 15 == 0 && minutes <= 14 * 60)
    }

    private static func minute(of moment: Instant) -> Int64 {
        let (minutes, below) = moment.milliseconds.quotientAndRemainder(dividingBy: 60_000)
        return below < 0 ? minutes - 1 : minutes
    }

    /// `26-Nov-2026 17:27` of nginx, `2026-11-26 17:27` of Apache, or `2026-Nov-26 17:27:08` of lighttpd.
    private static func moment(_ day: ArraySlice<UInt8>, _ clock: ArraySlice<UInt8>) -> Instant? {
        let parts = day.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        let times = clock.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 3, (2...3).contains(times.count) else { return nil }
        let isYearFirst = parts[0].count == 4
        guard let year = number(parts[isYearFirst ? 0 : 2], digits: 4), let month = month(parts[1]),
            let day = number(parts[isYearFirst ? 2 : 0], digits: 2),
            let hour = number(times[0], digits: 2), let minute = number(times[1], digits: 2)
        else { return nil }
        let date = CivilDate(
            year: Int64(year),
            month: month,
            day: day,
            time: (hour: hour, minute: minute, second: 0)
        )
        return date.isValid ? date.instant : nil
    }

    private static func month(_ word: ArraySlice<UInt8>) -> Int? {
        number(word, digits: 2)
            ?? HTTPDate.months.firstIndex { word.equalsIgnoringASCIICase($0.utf8) }.map { $0 + 1 }
    }

    private static func number(_ digits: ArraySlice<UInt8>, digits count: Int) -> Int? {
        guard digits.count == count, let number = DecimalNumber(digits)?.fitting else { return nil }
        return Int(number)
    }
}
