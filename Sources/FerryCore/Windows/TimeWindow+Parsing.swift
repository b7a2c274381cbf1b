extension TimeWindow {
    /// Parses times such as `22:00-06:00`, preceded by days of the week if they are not for every day:
    /// `mon-fri 22:00-06:00, sat,sun 00:00-24:00`. `off` is a window that never closes.
    ///
    /// Days apply to all times after them, until other days are named. A time that ends before it begins ends on the
    /// next day. Commas and spaces are equivalent.
    ///
    /// - Throws: ``ParseError`` when the text has another form, names days without a time, or has a time that ends
    ///   when it begins.
    public init(parsing text: String) throws(ParseError) {
        let words = text.split { $0 == "," || $0 == " " || $0 == "\t" }
        guard !words.isEmpty else { throw .malformed }
        if words.count == 1, words[0].utf8.equalsIgnoringASCIICase("off".utf8) {
            self = .always
            return
        }
        var rules: [Rule] = []
        var days = Days.all
        var named: Days = []
        for word in words {
            guard word.utf8.contains(0x3A) else {
                named.formUnion(try Self.days(word))
                continue
            }
            if !named.isEmpty { (days, named) = (named, []) }
            let (begin, end) = try Self.time(word)
            rules.append(Rule(days: days, begin: begin, end: end))
            guard rules.count <= Self.mostTimes else { throw .malformed }
        }
        guard named.isEmpty else { throw .daysWithoutTime }
        self.init(rules)
    }

    /// The days of `mon` or `mon-fri`, also across the end of the week.
    private static func days(_ word: Substring) throws(ParseError) -> Days {
        let names = word.split(separator: "-", omittingEmptySubsequences: false)
        guard (1...2).contains(names.count), let first = WeekTime.weekday(parsing: names[0]),
            let last = WeekTime.weekday(parsing: names[names.count - 1])
        else { throw .malformed }
        var days = Days.day(first)
        var day = first
        while day != last {
            day = (day + 1) % 7
            days.insert(.day(day))
        }
        return days
    }

    /// The seconds of the day at which a time such as `22:00-06:00` begins and ends.
    private static func time(_ word: Substring) throws(ParseError) -> (begin: Int, end: Int) {
        let ends = word.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let begin = WeekTime.secondOfDay(parsing: ends[0]),
            let end = ends[1] == "24:00" ? 86_400 : WeekTime.secondOfDay(parsing: ends[1])
        else { throw .malformed }
        guard begin != end else { throw .empty }
        return (begin, end)
    }

    /// Why a text is not a time window.
    public enum ParseError: Error, Hashable, Sendable {
        /// It has another form.
        case malformed
        /// Days are named without a time.
        case daysWithoutTime
        /// A time ends when it begins.
        case empty
    }
}

extension TimeWindow.ParseError: CustomStringConvertible {
    /// The reason in one sentence for a person.
    public var description: String {
        switch self {
        case .malformed:
            "A time window must look like \"22:00-06:00\" or \"mon-fri 22:00-06:00, sat-sun 00:00-24:00\"."
        case .daysWithoutTime:
            "A time window needs a time after its days; a whole day is 00:00-24:00."
        case .empty: "A time window must not end when it begins; a whole day is 00:00-24:00."
        }
    }
}

extension TimeWindow: CustomStringConvertible {
    /// The text from which ``init(parsing:)`` makes the same window.
    public var description: String {
        guard !rules.isEmpty else { return "off" }
        var days = Days.all
        return rules.map { rule in
            let time = "\(WeekTime.timeText(rule.begin))-\(WeekTime.timeText(rule.end))"
            defer { days = rule.days }
            return rule.days == days ? time : "\(rule.days) \(time)"
        }
        .joined(separator: ", ")
    }
}

extension TimeWindow.Days: CustomStringConvertible {
    /// The names, from Monday on, with consecutive days joined.
    var description: String {
        var runs: [ClosedRange<Int>] = []
        for place in 0..<7 where contains(.day((place + 1) % 7)) {
            if let last = runs.last, last.upperBound == place - 1 {
                runs[runs.count - 1] = last.lowerBound...place
            } else {
                runs.append(place...place)
            }
        }
        return runs.map { run in
            let names = [run.lowerBound, run.upperBound].map { WeekTime.dayName(($0 + 1) % 7) }
            return run.count == 1 ? "\(names[0])" : "\(names[0])-\(names[1])"
        }
        .joined(separator: ",")
    }
}
