/// A moment of the week as the clocks on the wall show it, whatever the week.
public struct WeekTime: Hashable, Sendable {
    /// The seconds of a week.
    static let week = 7 * 86_400

    /// Seconds since Sunday 00:00.
    let second: Int

    /// Creates a moment; what lies outside of the week is taken to be in another one.
    ///
    /// - Parameters:
    ///   - weekday: 0 for Sunday.
    ///   - secondOfDay: seconds since midnight.
    public init(weekday: Int, secondOfDay: Int) {
        self.init(second: Int64(weekday % 7) * 86_400 + Int64(secondOfDay % Self.week))
    }

    /// The moment that the clocks show at `instant` where they are `offset` ahead of UTC.
    public init(_ instant: Instant, offset: Duration) {
        let local = instant.advanced(by: offset).milliseconds
        let seconds = local / 1000 - (local % 1000 < 0 ? 1 : 0)
        // 1970 began on a Thursday.
        self.init(second: seconds % Int64(Self.week) + 4 * 86_400)
    }

    private init(second: Int64) {
        let week = Int64(Self.week)
        let rest = second % week
        self.second = Int(rest < 0 ? rest + week : rest)
    }

    /// How long it is until the clocks show `other`: more than nothing, and a week at most.
    func duration(to other: WeekTime) -> Duration {
        let seconds = other.second - second
        return .seconds(seconds > 0 ? seconds : seconds + Self.week)
    }
}
