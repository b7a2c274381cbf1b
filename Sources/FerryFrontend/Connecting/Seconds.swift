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

    /// Reads whole numbers with their units, such as `30d`, `90m` or `1d12h`.
    ///
    /// - Parameters:
    ///   - option: the option that has the text, for a message.
    ///   - example: what it may look like, for a message.
    package static func parse(
        _ text: String,
        withUnit option: String,
        example: String
    ) throws(CommandFailure) -> Duration {
        guard let sum = sum(of: text) else {
            throw .usage("\(option) must be numbers followed by d, h, m or s, such as \(example) or 1d12h.")
        }
        return sum
    }

    /// Reads a number of seconds, or whole numbers with their units: `30`, `2.5`, `90s` or `1m30s`. It is
    /// above zero.
    package static func parse(_ text: String, orWithUnit option: String) throws(CommandFailure) -> Duration {
        guard text.contains(where: \.isLetter) else { return try parse(text, option: option) }
        guard let sum = sum(of: text), sum > .zero, sum <= .seconds(longest) else {
            throw .usage("\(option) must be a number of seconds, such as 30 or 2.5, or a time such as 1m30s.")
        }
        return sum
    }

    /// The units in their order, in seconds.
    private static let units: [(name: Character, seconds: Int64)] = [
        ("d", 86_400), ("h", 3600), ("m", 60), ("s", 1),
    ]

    /// Adds up whole numbers, each with its unit, from the longest unit to the shortest; `nil` for any other text.
    static func sum(of text: String) -> Duration? {
        var rest = Substring(text)
        var sum: Int64?
        var next = units[...]
        while !rest.isEmpty {
            let count = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(count.count)
            // Longer than any use, and short enough to count in seconds.
            guard count.utf8.count < 10, let number = digits(count), let name = rest.popFirst(),
                let place = next.firstIndex(where: { $0.name == name })
            else { return nil }
            sum = (sum ?? 0) + number * units[place].seconds
            next = next[(place + 1)...]
        }
        return sum.map { .seconds($0) }
    }

    private static func digits(_ text: some StringProtocol) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text)
    }
}
