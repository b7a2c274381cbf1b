/// A number of seconds as a user writes it, such as `30` or `2.5`.
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

    private static func digits(_ text: some StringProtocol) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text)
    }
}
