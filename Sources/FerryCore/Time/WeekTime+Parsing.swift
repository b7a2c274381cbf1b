/// Days and times of the week as people write them.
extension WeekTime {
    private static let dayNames = [
        "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
    ]

    /// The day of the week for `mon` or `Monday`, 0 for Sunday.
    static func weekday(parsing text: Substring) -> Int? {
        let name = text.utf8.lowercasedASCIIText
        return dayNames.firstIndex { $0 == name || $0.prefix(3) == name }
    }

    /// The short name of a day of the week, 0 for Sunday.
    static func dayName(_ weekday: Int) -> Substring { dayNames[weekday].prefix(3) }

    /// The second of the day of a time such as `08:00`.
    static func secondOfDay(parsing text: Substring) -> Int? {
        let parts = text.utf8.split(separator: 0x3A, omittingEmptySubsequences: false)
        guard parts.count == 2, (1...2).contains(parts[0].count), parts[1].count == 2,
            parts.joined().allSatisfy(\.isDigit)
        else { return nil }
        let numbers = parts.map { $0.reduce(0) { $0 * 10 + Int($1 - 0x30) } }
        guard numbers[0] < 24, numbers[1] < 60 else { return nil }
        return numbers[0] * 3600 + numbers[1] * 60
    }

    /// A second of the day as a time such as `08:00`; the end of the day is `24:00`.
    static func timeText(_ secondOfDay: Int) -> String {
        func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(padded(secondOfDay / 3600)):\(padded(secondOfDay / 60 % 60))"
    }
}
