/// When a transfer may run: times of the day, on all or some days of the week, in local time.
///
/// ```swift
/// var options = DownloadOptions()
/// options.window = try TimeWindow(parsing: "mon-fri 22:00-06:00, sat-sun 00:00-24:00")
/// ```
///
/// It is open whenever local time is within it. A time that is skipped when the clock is set forward never occurs. A
/// time that occurs twice when it is set back counts both times.
public struct TimeWindow: Hashable, Sendable {
    /// Maximum number of times in one window.
    static let mostTimes = 100

    /// Some days of the week and a time on each of them.
    struct Rule: Hashable, Sendable {
        var days: Days
        /// The second of the day at which it begins.
        var begin: Int
        /// The second of the day before which it ends; on the next day if that is not later.
        var end: Int
    }

    /// The given rules; empty for a window that is always open.
    let rules: [Rule]
    /// The parts of the week in which it is open, in seconds since Sunday 00:00, in order and with gaps between them.
    private let spans: [Range<Int>]

    /// A window that never closes.
    public static let always = TimeWindow([])

    /// Creates a window.
    init(_ rules: [Rule]) {
        self.rules = rules
        spans = rules.isEmpty ? [0..<WeekTime.week] : Self.united(rules)
    }

    /// The parts of the week that rules cover, each second once.
    private static func united(_ rules: [Rule]) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        for rule in rules {
            let length = rule.end > rule.begin ? rule.end - rule.begin : rule.end - rule.begin + 86_400
            for day in rule.days.weekdays {
                let begin = day * 86_400 + rule.begin
                let end = begin + length
                parts.append(begin..<min(end, WeekTime.week))
                // The night from Saturday to Sunday continues at the beginning of the week.
                if end > WeekTime.week { parts.append(0..<(end - WeekTime.week)) }
            }
        }
        var spans: [Range<Int>] = []
        for part in parts.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = spans.last, part.lowerBound <= last.upperBound {
                spans[spans.count - 1] = last.lowerBound..<max(last.upperBound, part.upperBound)
            } else {
                spans.append(part)
            }
        }
        return spans
    }

    /// Whether it is open at a local time.
    func isOpen(at moment: WeekTime) -> Bool {
        spans.contains { $0.contains(moment.second) }
    }

    /// The time from `moment` until it opens, or closes if it is open, if the clock is not set meanwhile; `nil` when
    /// it never closes.
    func untilChange(after moment: WeekTime) -> Duration? {
        guard spans != [0..<WeekTime.week] else { return nil }
        let changes =
            isOpen(at: moment)
            // The end of the week is not a closing if the next week begins open.
            ? spans.map(\.upperBound).filter { $0 < WeekTime.week || !isOpen(at: .beginOfWeek) }
            : spans.map(\.lowerBound)
        return changes.map { moment.duration(to: WeekTime(weekday: 0, secondOfDay: $0)) }.min()
    }
}

extension TimeWindow {
    /// Some days of the week.
    struct Days: OptionSet, Hashable, Sendable {
        let rawValue: UInt8

        /// All seven.
        static let all = Days(rawValue: 0x7F)

        /// One day, 0 for Sunday.
        static func day(_ weekday: Int) -> Days { Days(rawValue: 1 << UInt8(weekday)) }

        /// The days by their numbers, 0 for Sunday.
        var weekdays: [Int] { (0..<7).filter { contains(.day($0)) } }
    }
}

extension WeekTime {
    fileprivate static let beginOfWeek = WeekTime(weekday: 0, secondOfDay: 0)
}

extension TimeWindow: Codable {
    /// Reads a window from its text.
    public init(from decoder: any Decoder) throws {
        try self.init(parsing: try decoder.singleValueContainer().decode(String.self))
    }

    /// Writes a window as its text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
