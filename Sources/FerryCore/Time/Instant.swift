/// A moment of the wall clock, in whole milliseconds since 1970-01-01T00:00:00Z.
///
/// The core never reads a clock: every decision that depends on time takes an `Instant` as an argument, so that a
/// test can replay it. Wall-clock time survives a restart. Waits that a clock jump must not change are measured by
/// the runner on a monotonic clock.
public struct Instant: InstantProtocol, Hashable, Sendable, Codable {
    /// Milliseconds since the Unix epoch, leap seconds not counted.
    public var milliseconds: Int64

    /// Creates an instant from milliseconds since the Unix epoch.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Creates an instant from whole seconds since the Unix epoch; saturates at the range of an `Int64` of
    /// milliseconds.
    public init(seconds: Int64) {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        self.milliseconds = overflow ? (seconds < 0 ? .min : .max) : product
    }

    /// The Unix epoch.
    public static let epoch = Instant(milliseconds: 0)

    /// Returns the instant `duration` after this one; saturates rather than overflows.
    public func advanced(by duration: Duration) -> Instant {
        let (sum, overflow) = milliseconds.addingReportingOverflow(duration.wholeMilliseconds)
        return Instant(milliseconds: overflow ? (duration < .zero ? .min : .max) : sum)
    }

    /// Returns the time from this instant to `other`; negative when `other` is earlier.
    public func duration(to other: Instant) -> Duration {
        let (difference, overflow) = other.milliseconds.subtractingReportingOverflow(milliseconds)
        return .milliseconds(overflow ? (other < self ? Int64.min : Int64.max) : difference)
    }

    /// Whether `lhs` is earlier than `rhs`.
    public static func < (lhs: Instant, rhs: Instant) -> Bool {
        lhs.milliseconds < rhs.milliseconds
    }
}

extension Duration {
    /// This duration in milliseconds, rounded towards zero and saturated at the range of an `Int64`.
    package var wholeMilliseconds: Int64 {
        // More seconds than fit an `Int64` would trap in `components`, and a stored duration may have them.
        if self >= .seconds(Int64.max) { return .max }
        if self <= .seconds(Int64.min) { return .min }
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        if overflow { return seconds < 0 ? .min : .max }
        let (sum, sumOverflow) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return sumOverflow ? (seconds < 0 ? .min : .max) : sum
    }
}
