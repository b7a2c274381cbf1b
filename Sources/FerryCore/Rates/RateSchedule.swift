/// Which limit holds at which time of the week.
///
/// Each entry holds from its moment until that of the next one, over the end of the week, too.
public struct RateSchedule: Hashable, Sendable {
    /// The most moments that a timetable may name.
    static let largest = 1000

    /// From when on which limit holds, in the order of the week; never empty.
    private let entries: [Entry]

    struct Entry: Hashable, Sendable {
        var begin: WeekTime
        var limit: RateLimit
    }

    /// One limit at all times.
    public init(_ limit: RateLimit) {
        entries = [Entry(begin: WeekTime(weekday: 0, secondOfDay: 0), limit: limit)]
    }

    /// A timetable, in any order.
    ///
    /// - Returns: `nil` when it has no entry, or two for the same moment.
    init?(_ entries: [Entry]) {
        let moments = Set(entries.map(\.begin))
        guard !entries.isEmpty, moments.count == entries.count else { return nil }
        self.entries = entries.sorted { $0.begin.second < $1.begin.second }
    }

    /// No limit at any time.
    public static let off = RateSchedule(.off)

    /// The limit that holds when the clocks show `moment`.
    public func limit(at moment: WeekTime) -> RateLimit {
        // Before the first entry of a week the last one of the week before it still holds.
        entries[entries.lastIndex { $0.begin.second <= moment.second } ?? entries.count - 1].limit
    }

    /// How long it is from `moment` until another limit holds, as long as nobody sets the clocks; `nil` when the same
    /// one always does.
    public func nextChange(after moment: WeekTime) -> Duration? {
        let present = limit(at: moment)
        return entries.lazy.filter { $0.limit != present }.map { moment.duration(to: $0.begin) }.min()
    }
}
