/// Detects a suspension of the machine: one of two clocks keeps running then, and the other stops.
struct SuspendDetector: Hashable, Sendable {
    /// How far the first was ahead of the second at the last check.
    private var lead: Duration

    /// Smaller differences are time between the two readings, or a sleep too short to affect a connection.
    static let least: Duration = .seconds(1)

    /// Reads both clocks for the first time.
    ///
    /// - Parameters:
    ///   - whole: the clock that keeps running while the machine is suspended.
    ///   - waking: the clock that stops.
    init(whole: Duration, waking: Duration) {
        lead = whole - waking
    }

    /// Checks both clocks; returns whether the machine was suspended since the last check.
    mutating func hasSlept(whole: Duration, waking: Duration) -> Bool {
        let before = lead
        lead = whole - waking
        return lead - before >= Self.least
    }
}
