/// The time of day, and waits measured with it.
///
/// Tests use a manual clock, so that they do not depend on the speed of the machine.
package protocol WallClock: Sendable {
    /// The present moment. May jump, in either direction.
    var now: Instant { get }

    /// How far this machine's local time is ahead of UTC at a moment.
    func offset(at instant: Instant) -> Duration

    /// Returns after `duration` has passed. A jump of the time of day neither shortens nor stretches it.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    func sleep(for duration: Duration) async throws
}

extension WallClock {
    /// Local time is UTC.
    package func offset(at instant: Instant) -> Duration { .zero }
}

extension WallClock {
    /// This machine's local time.
    package var localTime: LocalTime { LocalTime { offset(at: $0) } }

    /// Sleeps as ``sleep(for:)``; returns `false` when the task is cancelled first.
    package func hasSlept(for duration: Duration) async -> Bool {
        do {
            try await sleep(for: duration)
            return true
        } catch {
            return false
        }
    }
}
