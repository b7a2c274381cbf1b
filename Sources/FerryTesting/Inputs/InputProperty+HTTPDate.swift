import FerryCore

extension InputProperty {
    /// An HTTP date in any form yields a moment that is written in the preferred form and read back the same.
    /// Only a two-digit year depends on the time of reading (RFC 9110 §5.6.7).
    package static let httpDate = InputProperty("http-date") { input in
        let (head, tail) = input.headAndTail
        let now = Instant(milliseconds: Int64(tail.text) ?? 1_700_000_000_000)
        guard let instant = Instant(httpDate: head, now: now) else { return }
        let written = instant.httpDate
        try require(written.utf8.count == 29, "the preferred form has 29 octets")
        try require(instant.milliseconds % 1000 == 0, "a date has whole seconds")
        // 23:59:60 of the last day of 9999 is one second beyond what the form can express.
        if instant < Instant(seconds: 253_402_300_800) {
            try require(
                Instant(httpDate: written, now: .epoch) == instant,
                "what is written is read as the same"
            )
            try require(secondsByCounting(written) == instant.milliseconds / 1000, "counting days agrees")
        }
        if head.utf8.contains(0x2D) {
            let years = (Double(instant.milliseconds) - Double(now.milliseconds)) / 31_556_952_000
            try require(years < 50.01 && years > -50.01, "a year of two digits is the one within 50 years")
        } else {
            try require(
                Instant(httpDate: head, now: .epoch) == instant,
                "a full year does not depend on today"
            )
        }
    }

    /// `Retry-After` is a wait within bounds, from any moment (RFC 9110 §10.2.3).
    package static let retryAfter = InputProperty("retry-after") { input in
        let (head, tail) = input.headAndTail
        let now = Instant(milliseconds: Int64(tail.text) ?? 1_700_000_000_000)
        guard let retryAfter = RetryAfter(head, now: now) else { return }
        let delay = retryAfter.delay(at: now, atMost: .seconds(3600))
        try require(delay >= .zero && delay <= .seconds(3600), "a wait is within its bounds")
        switch retryAfter {
        case .delay(let duration):
            try require(duration >= .zero, "a number of seconds is never negative")
            try require(delay == min(duration, .seconds(3600)), "and holds whenever it is read")
        case .date(let date):
            let until = now.advanced(by: delay)
            try require(delay == .zero || delay == .seconds(3600) || until == date, "a wait ends at its date")
        }
    }

    /// The seconds since 1970 of a date in the preferred form, by counting every year and month.
    private static func secondsByCounting(_ written: String) -> Int64? {
        let words = written.split { " :,".contains($0) }.map(String.init)
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let numbers = words.compactMap { Int64($0) }
        guard words.count == 8, numbers.count == 5, let month = months.firstIndex(of: words[2]) else {
            return nil
        }
        func isLeap(_ year: Int64) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }
        var days = numbers[0] - 1
        for year in min(numbers[1], 1970)..<max(numbers[1], 1970) {
            days += (numbers[1] < 1970 ? -1 : 1) * (isLeap(year) ? 366 : 365)
        }
        let lengths = [31, isLeap(numbers[1]) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        days += lengths[..<month].reduce(0) { $0 + Int64($1) }
        return days * 86_400 + numbers[2] * 3600 + numbers[3] * 60 + numbers[4]
    }
}
