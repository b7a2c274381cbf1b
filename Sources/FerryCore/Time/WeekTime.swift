/// A moment of the week in local time, in any week.
public struct WeekTime: Hashable, Sendable {
    /// The number of seconds in a week.
    static let week = 7 * 86_400

    /// Seconds since Sunday 00:00.
    let second: Int

    /// Creates a moment; values outside the week wrap around.
    ///
    /// - Parameters:
    ///   - weekday: 0 for Sunday.
    ///   - secondOfDay: seconds since midnight.
    public init(weekday: Int, secondOfDay: Int) {
        self.init(second: Int64(weekday % 7) * 86_400 + Int64(secondOfDay % Self.week))
    }

    /// Creates the local moment of `instant` where local time is `offset` ahead of UTC.
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

    /// The time until `other`: more than zero, and at most a week.
    func duration(to other: WeekTime) -> Duration {
        let seconds = other.second - second
        return .seconds(seconds > 0 ? seconds : seconds + Self.week)
    }
}
