/// A day and time of the proleptic Gregorian calendar in UTC, without a time zone database.
package struct CivilDate: Hashable, Sendable {
    /// The year.
    package var year: Int64
    /// The month, 1 to 12.
    package var month: Int
    /// The day of the month, from 1.
    package var day: Int
    /// The hour, 0 to 23.
    package var hour = 0
    /// The minute, 0 to 59.
    package var minute = 0
    /// The second, 0 to 59; 60 names a leap second.
    package var second = 0

    /// The number of days in a month.
    static func days(inMonth month: Int, of year: Int64) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Whether the moment exists.
    var isValid: Bool {
        (0...9999).contains(year) && (1...12).contains(month)
            && (1...Self.days(inMonth: month, of: year)).contains(day)
            && (0...23).contains(hour) && (0...59).contains(minute) && (0...60).contains(second)
    }

    /// Days since 1970-01-01. Years are counted from March, so that the leap day comes last; 400 years are 146,097
    /// days.
    private var daysSinceEpoch: Int64 {
        let shifted = month > 2 ? year : year - 1
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * Int64((month + 9) % 12) + 2) / 5 + Int64(day) - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The moment. A leap second equals the second after it.
    ///
    /// The year must be within 0...9999.
    var instant: Instant {
        Instant(seconds: daysSinceEpoch * 86_400 + Int64(hour * 3600 + minute * 60 + second))
    }

    /// The day of the week, 0 for Sunday.
    var weekday: Int {
        let remainder = Int((daysSinceEpoch + 4) % 7)
        return remainder < 0 ? remainder + 7 : remainder
    }
}

extension CivilDate {
    /// A day and a time on it.
    init(year: Int64, month: Int, day: Int, time: (hour: Int, minute: Int, second: Int)) {
        self.init(year: year, month: month, day: day)
        (hour, minute, second) = time
    }

    /// The date of a moment, without its fraction of a second.
    package init(_ instant: Instant) {
        let (seconds, below) = instant.milliseconds.quotientAndRemainder(dividingBy: 1000)
        let floored = below < 0 ? seconds - 1 : seconds
        var (days, time) = floored.quotientAndRemainder(dividingBy: 86_400)
        if time < 0 {
            days -= 1
            time += 86_400
        }
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        day = Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
        hour = Int(time / 3600)
        minute = Int(time / 60 % 60)
        second = Int(time % 60)
    }
}
