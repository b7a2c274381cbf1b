package import Ferry

/// A deadline as a user writes it: a time from now, such as `90m` or `1d12h`, or a moment after RFC 3339.
package enum Deadline {
    /// The units in their order, in seconds.
    private static let units: [(name: Character, seconds: Int64)] = [
        ("d", 86_400), ("h", 3600), ("m", 60), ("s", 1),
    ]

    /// The longest time from now, in seconds: ten years.
    private static let longest: Int64 = 3650 * 86_400

    /// Reads a deadline.
    ///
    /// - Throws: ``CommandFailure`` with status 64 for any other text, and for a moment that is not in the future.
    package static func parse(
        _ text: String,
        option: String,
        at now: Instant
    ) throws(CommandFailure) -> Instant {
        guard let moment = Instant(timestamp: text) ?? duration(text).map({ now.advanced(by: $0) }) else {
            throw .usage(
                "\(option) must be a time from now, such as 90m or 1d12h, or a moment such as 2026-01-31T09:00:00Z."
            )
        }
        guard moment > now else { throw .usage("\(option) must be in the future.") }
        return moment
    }

    /// A time of whole numbers, each with its unit, from the longest to the shortest.
    private static func duration(_ text: String) -> Duration? {
        var rest = Substring(text)
        var sum: Int64 = 0
        var next = units[...]
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count)
            guard digits.utf8.count < 10, let number = Int64(digits), let name = rest.popFirst(),
                let place = next.firstIndex(where: { $0.name == name })
            else { return nil }
            sum += number * units[place].seconds
            next = next[(place + 1)...]
        }
        return (1...longest).contains(sum) ? .seconds(sum) : nil
    }
}
