/// What the clocks on the wall show at any moment: the rules of a time zone, as a value.
public struct LocalTime: Sendable {
    private let offsetAtMoment: @Sendable (Instant) -> Duration

    /// Creates a local time.
    ///
    /// - Parameter offset: how far the clocks on the wall are ahead of UTC at a moment, in whole seconds; it changes
    ///   where they are set forward or back.
    public init(offset: @escaping @Sendable (Instant) -> Duration) {
        offsetAtMoment = offset
    }

    /// The clocks show UTC.
    public static let utc = LocalTime { _ in .zero }

    /// How far the clocks are ahead of UTC at a moment.
    public func offset(at moment: Instant) -> Duration { offsetAtMoment(moment) }

    /// What the clocks show at a moment.
    public func weekTime(at moment: Instant) -> WeekTime { WeekTime(moment, offset: offset(at: moment)) }
}
