extension RateSchedule {
    /// Parses one limit, such as `1M`, or a timetable: `08:00,1M 19:00,off`, or with days of the week
    /// `Mon-08:00,1M Sat-00:00,off`.
    ///
    /// Moments are in local time. One without a day applies to every day.
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

    /// The moments of a week for `08:00` or `Mon-08:00`.
    private static func moments(_ text: Substring) -> [WeekTime]? {
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard let time = parts.last, let second = WeekTime.secondOfDay(parsing: time) else { return nil }
        guard parts.count == 2 else { return (0..<7).map { WeekTime(weekday: $0, secondOfDay: second) } }
        guard let day = WeekTime.weekday(parsing: parts[0]) else { return nil }
        return [WeekTime(weekday: day, secondOfDay: second)]
    }

    /// Why a text is not a schedule.
    public enum ParseError: Error, Hashable, Sendable {
        /// It is not a timetable.
        case malformed
        /// The same moment occurs twice.
        case momentTwice
        /// One of its limits is invalid.
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
