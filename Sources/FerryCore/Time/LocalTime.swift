/// Local time at any moment: the rules of a time zone, as a value.
public struct LocalTime: Sendable {
    private let offsetAtMoment: @Sendable (Instant) -> Duration

    /// Creates a local time.
    ///
    /// - Parameter offset: how far local time is ahead of UTC at a moment, in whole seconds. It changes where the
    ///   clock is set forward or back.
    public init(offset: @escaping @Sendable (Instant) -> Duration) {
        offsetAtMoment = offset
    }

    /// Local time is UTC.
    public static let utc = LocalTime { _ in .zero }

    /// How far local time is ahead of UTC at a moment.
    public func offset(at moment: Instant) -> Duration { offsetAtMoment(moment) }

    /// The local time of the week at a moment.
    public func weekTime(at moment: Instant) -> WeekTime { WeekTime(moment, offset: offset(at: moment)) }
}
