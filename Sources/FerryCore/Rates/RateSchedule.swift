/// Which limit applies at which time of the week.
///
/// Each entry applies from its moment until that of the next one, also across the end of the week.
public struct RateSchedule: Hashable, Sendable {
    /// Maximum number of moments in a timetable.
    static let largest = 1000

    /// The limit from each moment on, in the order of the week; never empty.
    private let entries: [Entry]

    struct Entry: Hashable, Sendable {
        var begin: WeekTime
        var limit: RateLimit
    }

    /// Creates a schedule of one limit at all times.
    public init(_ limit: RateLimit) {
        entries = [Entry(begin: WeekTime(weekday: 0, secondOfDay: 0), limit: limit)]
    }

    /// Creates a timetable from entries in any order.
    ///
    /// - Returns: `nil` when it has no entry, or two for the same moment.
    init?(_ entries: [Entry]) {
        let moments = Set(entries.map(\.begin))
        guard !entries.isEmpty, moments.count == entries.count else { return nil }
        self.entries = entries.sorted { $0.begin.second < $1.begin.second }
    }

    /// No limit at any time.
    public static let off = RateSchedule(.off)

    /// The limit at a local time.
    public func limit(at moment: WeekTime) -> RateLimit {
        // Before the first entry of a week, the last entry of the week before applies.
        entries[entries.lastIndex { $0.begin.second <= moment.second } ?? entries.count - 1].limit
    }

    /// The time from `moment` until another limit applies, if the clock is not set meanwhile; `nil` if the limit
    /// never changes.
    public func nextChange(after moment: WeekTime) -> Duration? {
        let present = limit(at: moment)
        return entries.lazy.filter { $0.limit != present }.map { moment.duration(to: $0.begin) }.min()
    }
}
