extension RateSchedule {
    /// Reads one limit, such as `1M`, or a timetable of them: `08:00,1M 19:00,off`, or with days of the week
    /// `Mon-08:00,1M Sat-00:00,off`.
    ///
    /// Moments are those of the clocks on the wall. One without a day is that time of every day.
    ///
    /// - Throws: ``ParseError`` when the text has another form, or names a moment twice.
    public init(parsing text: String) throws(ParseError) {
        guard text.utf8.contains(0x2C) else {
            self.init(try Self.limit(text[...]))
            return
        }
        var entries: [Entry] = []
        for word in text.split(whereSeparator: { $0 == " " || $0 == "\t" }) {
            let parts = word.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let moments = Self.moments(parts[0]) else { throw .malformed }
            let limit = try Self.limit(parts[1])
            entries += moments.map { Entry(begin: $0, limit: limit) }
            guard entries.count <= Self.largest else { throw .malformed }
        }
        guard !entries.isEmpty else { throw .malformed }
        guard let schedule = Self(entries) else { throw .momentTwice }
        self = schedule
    }

    private static func limit(_ text: Substring) throws(ParseError) -> RateLimit {
        do throws(RateLimit.ParseError) {
            return try RateLimit(parsing: String(text))
        } catch {
            throw .rate(error)
        }
    }

    private static let days = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]

    /// The moments of a week that `08:00` or `Mon-08:00` stands for.
    private static func moments(_ text: Substring) -> [WeekTime]? {
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard let time = parts.last, let second = secondOfDay(time) else { return nil }
        guard parts.count == 2 else { return (0..<7).map { WeekTime(weekday: $0, secondOfDay: second) } }
        let name = parts[0].utf8.lowercasedASCIIText
        guard let day = days.firstIndex(where: { $0 == name || $0.prefix(3) == name }) else { return nil }
        return [WeekTime(weekday: day, secondOfDay: second)]
    }

    /// The second of the day of a time such as `08:00`.
    private static func secondOfDay(_ text: Substring) -> Int? {
        let parts = text.utf8.split(separator: 0x3A, omittingEmptySubsequences: false)
        guard parts.count == 2, (1...2).contains(parts[0].count), parts[1].count == 2,
            parts.joined().allSatisfy(\.isDigit)
        else { return nil }
        let numbers = parts.map { $0.reduce(0) { $0 * 10 + Int($1 - 0x30) } }
        guard numbers[0] < 24, numbers[1] < 60 else { return nil }
        return numbers[0] * 3600 + numbers[1] * 60
    }

    /// Why a text is no schedule.
    public enum ParseError: Error, Hashable, Sendable {
        /// It is no timetable.
        case malformed
        /// The same moment is there twice.
        case momentTwice
        /// A limit in it is none.
        case rate(RateLimit.ParseError)
    }
}

extension RateSchedule.ParseError: CustomStringConvertible {
    /// The reason in one sentence for a person.
    public var description: String {
        switch self {
        case .malformed:
            "A timetable of rates must look like \"08:00,1M 19:00,off\" or \"Mon-08:00,1M Sat-00:00,off\"."
        case .momentTwice: "The timetable of rates names the same moment twice."
        case .rate(let error): "\(error)"
        }
    }
}
