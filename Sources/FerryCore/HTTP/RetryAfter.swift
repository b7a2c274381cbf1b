package import HTTPTypes

/// How long a server asks to wait (RFC 9110 §10.2.3).
package enum RetryAfter: Hashable, Sendable {
    /// For this long after the response arrived.
    case delay(Duration)
    /// Until this moment.
    case date(Instant)

    /// The longest wait that a server is granted.
    package static let longest: Duration = .seconds(3600)

    /// Reads a field value: a number of seconds, or an HTTP date.
    ///
    /// A number of seconds that does not fit an `Int64` becomes the largest one.
    ///
    /// - Returns: `nil` when it is neither, such as a negative or fractional number.
    package init?(_ fieldValue: String, now: Instant) {
        if let seconds = DecimalNumber(Array(fieldValue.utf8).trimmingBlanks) {
            self = .delay(.seconds(seconds.saturated))
        } else if let date = Instant(httpDate: fieldValue, now: now) {
            self = .date(date)
        } else {
            return nil
        }
    }

    /// How long the fields of an answer ask to wait from `now` on, up to ``longest``; `nil` if they do not.
    package static func wait(askedBy fields: HTTPFields, at now: Instant) -> Duration? {
        fields[.retryAfter].flatMap { RetryAfter($0, now: now) }.map { $0.delay(at: now, atMost: longest) }
    }

    /// How long to wait from `now` on: at least zero, also for a date in the past, and at most `limit`.
    package func delay(at now: Instant, atMost limit: Duration) -> Duration {
        let asked =
            switch self {
            case .delay(let duration): duration
            case .date(let date): now.duration(to: date)
            }
        return max(.zero, min(asked, limit))
    }
}
