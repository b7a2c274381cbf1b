/// Finds out that the machine was suspended: one of two clocks goes on then, and the other stands still.
struct SuspendDetector: Hashable, Sendable {
    /// How far the one was ahead of the other when they were last looked at.
    private var lead: Duration

    /// Less than this is what passes between two readings, or a sleep that no connection notices.
    static let least: Duration = .seconds(1)

    /// Begins with a look at both clocks.
    ///
    /// - Parameters:
    ///   - whole: the clock that goes on while the machine is suspended.
    ///   - waking: the one that stands still.
    init(whole: Duration, waking: Duration) {
        lead = whole - waking
    }

    /// Looks at both clocks; returns whether the machine was suspended since the last look.
    mutating func hasSlept(whole: Duration, waking: Duration) -> Bool {
        let before = lead
        lead = whole - waking
        return lead - before >= Self.least
    }
}
