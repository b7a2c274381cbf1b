/// A time as a user writes it, such as `30` or `2.5` seconds.
package enum Seconds {
    /// Maximum time accepted: a year, in seconds.
    static let longest: Int64 = 366 * 86_400

    /// Reads a number above zero. Up to three digits of the fraction count.
    package static func parse(_ text: String, option: String) throws(CommandFailure) -> Duration {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = parts.count == 2 ? parts[1] : "0"
        guard let whole = digits(parts[0].isEmpty ? "0" : parts[0]), digits(fraction.prefix(18)) != nil,
            whole <= longest, fraction.utf8.count <= 18
        else {
            throw .usage("\(option) must be a number of seconds, such as 30 or 2.5.")
        }
        let padded = (fraction + "000").prefix(3)
        let milliseconds = whole * 1000 + (digits(padded) ?? 0)
        guard milliseconds > 0 else { throw .usage("\(option) must be more than 0 seconds.") }
        return .milliseconds(milliseconds)
    }

    /// Reads a whole number with its unit, such as `30d`, `12h`, `90m` or `45s`.
    ///
    /// - Parameters:
    ///   - option: the option that has the text, for a message.
    ///   - example: what it may look like, for a message.
    package static func parse(
        _ text: String,
        withUnit option: String,
        example: String
    ) throws(CommandFailure) -> Duration {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), let count = digits(text.dropLast()),
            count <= mostUnits
        else {
            throw .usage("\(option) must be a number followed by s, m, h or d, such as \(example).")
        }
        return .seconds(count * unit)
    }

    /// Maximum number of units: longer than any use, and short enough to count in seconds.
    private static let mostUnits: Int64 = 1_000_000

    private static func digits(_ text: some StringProtocol) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text)
    }
}
