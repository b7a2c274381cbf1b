package import Ferry
import Glibc

/// This machine's clock and calendar, for people.
package enum SystemTime {
    /// The present moment.
    package static var now: Instant {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Instant(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// The present moment for measuring durations: the wall clock at the start, advanced evenly since then, whatever
    /// the clock is set to.
    package static var steady: Instant { start.wall.advanced(by: ContinuousClock.now - start.tick) }

    private static let start = (wall: now, tick: ContinuousClock.now)

    /// A moment in UTC after RFC 3339, such as `2026-01-31T09:00:00.123Z`.
    static func timestamp(_ instant: Instant) -> String {
        let (seconds, milliseconds) = floored(instant)
        var time = time_t(seconds)
        var parts = tm()
        gmtime_r(&time, &parts)
        let fraction = String(milliseconds)
        return
            "\(date(parts, separator: "T")).\(String(repeating: "0", count: 3 - fraction.utf8.count))\(fraction)Z"
    }

    /// A moment in the local time zone, such as `2026-01-31 10:00:00`.
    package static func local(_ instant: Instant) -> String {
        var time = time_t(floored(instant).seconds)
        var parts = tm()
        localtime_r(&time, &parts)
        return date(parts, separator: " ")
    }

    /// A moment in the local time zone without its seconds, such as `2026-01-31 10:00`.
    package static func minute(_ instant: Instant) -> String { String(local(instant).dropLast(3)) }

    private static func floored(_ instant: Instant) -> (seconds: Int64, milliseconds: Int64) {
        let (seconds, rest) = instant.milliseconds.quotientAndRemainder(dividingBy: 1000)
        return rest < 0 ? (seconds - 1, rest + 1000) : (seconds, rest)
    }

    private static func date(_ parts: tm, separator: String) -> String {
        func padded(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(parts.tm_year + 1900)-\(padded(parts.tm_mon + 1))-\(padded(parts.tm_mday))\(separator)"
            + "\(padded(parts.tm_hour)):\(padded(parts.tm_min)):\(padded(parts.tm_sec))"
    }
}
