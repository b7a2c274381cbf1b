package import Ferry

/// A deadline as a user writes it: a time from now, such as `90m` or `1d12h`, or a moment after RFC 3339.
package enum Deadline {
    /// The longest time from now, ten years.
    private static let longest: Duration = .seconds(3650 * 86_400)

    /// Reads a deadline.
    ///
    /// - Throws: ``CommandFailure`` with status 64 for any other text, and for a moment that is not in the future.
    package static func parse(
        _ text: String,
        option: String,
        at now: Instant
    ) throws(CommandFailure) -> Instant {
        let wait = Seconds.sum(of: text).flatMap { $0 <= longest ? $0 : nil }
        guard let moment = Instant(timestamp: text) ?? wait.map({ now.advanced(by: $0) }) else {
            throw .usage(
                "\(option) must be a time from now, such as 90m or 1d12h, or a moment such as 2026-01-31T09:00:00Z."
            )
        }
        guard moment > now else { throw .usage("\(option) must be in the future.") }
        return moment
    }
}
