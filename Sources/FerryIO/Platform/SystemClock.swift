package import FerryCore

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The machine's own time of day.
package struct SystemClock: WallClock {
    /// Creates the clock.
    package init() {}

    /// The present moment by the machine's real-time clock.
    package var now: Instant {
        var time = timespec()
        // It cannot fail: the clock exists on every system, and the address is valid.
        clock_gettime(CLOCK_REALTIME, &time)
        return Instant(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// How far the machine's time zone is ahead of UTC at a moment, in whole seconds.
    package func offset(at instant: Instant) -> Duration {
        var time = time_t(clamping: instant.milliseconds / 1000)
        var parts = tm()
        // A year that the C library cannot represent falls back to UTC.
        return localtime_r(&time, &parts) == nil ? .zero : .seconds(parts.tm_gmtoff)
    }

    /// Returns after `duration` on a clock that keeps running while the machine is suspended.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    package func sleep(for duration: Duration) async throws {
        guard duration > .zero else { return try Task.checkCancellation() }
        try await Task.sleep(for: duration, clock: .continuous)
    }
}
