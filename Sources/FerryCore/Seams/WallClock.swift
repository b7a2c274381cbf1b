/// The time of day, and the waits that are measured with it.
///
/// A manual clock stands in for it in tests, so that nothing there depends on the speed of the machine.
public protocol WallClock: Sendable {
    /// The present moment. May jump, in either direction.
    var now: Instant { get }

    /// How far the clocks on the wall, where this machine is, are ahead of UTC at a moment.
    func offset(at instant: Instant) -> Duration

    /// Returns after `duration` has passed; measured so that a jump of the time of day neither shortens nor
    /// stretches it.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    func sleep(for duration: Duration) async throws
}

extension WallClock {
    /// The clocks on the wall show UTC.
    public func offset(at instant: Instant) -> Duration { .zero }
}

extension WallClock {
    /// What the clocks on the wall show where this machine is.
    public var localTime: LocalTime { LocalTime { offset(at: $0) } }
}
