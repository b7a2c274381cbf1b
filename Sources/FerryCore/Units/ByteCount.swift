/// A number of bytes, as people write and read it.
public struct ByteCount: Hashable, Sendable, Codable {
    /// The number of bytes.
    public let bytes: Int64

    /// Creates a count.
    public init(_ bytes: Int64) {
        self.bytes = bytes
    }

    /// Parses a number with an optional unit: `500`, `64k`, `10M`, `1.5G`, `2 TiB`.
    ///
    /// Units are K, M, G, T and P in either case, alone or followed by `B` or `iB`. All are powers of 1024, as in
    /// curl and aria2. A fraction needs a unit and is rounded down to whole bytes.
    ///
    /// - Throws: ``ParseError`` when the text has another form, or the number does not fit an `Int64`.
    public init(parsing text: String) throws(ParseError) {
        let bytes = Array(text.utf8).trimmingBlanks
        let whole = bytes.prefix(while: \.isDigit)
        var rest = bytes[whole.endIndex...]
        var fraction: ArraySlice<UInt8> = []
        if rest.first == 0x2E {
            fraction = rest.dropFirst().prefix(while: \.isDigit)
            guard !fraction.isEmpty else { throw .malformed }
            rest = rest[fraction.endIndex...]
        }
        guard let number = DecimalNumber(whole), let unit = Self.multiple(rest.trimmingBlanks) else {
            throw .malformed
        }
        guard fraction.isEmpty || unit > 1 else { throw .malformed }
        guard let count = number.fitting else { throw .tooLarge }
        let (product, overflow) = count.multipliedReportingOverflow(by: unit)
        let (sum, sumOverflow) = product.addingReportingOverflow(Self.share(fraction, of: unit))
        guard !overflow, !sumOverflow else { throw .tooLarge }
        self.bytes = sum
    }

    /// The count with a binary unit, such as `512 B`, `1.2 GiB` or `0.98 MiB`.
    ///
    /// No number before a unit is above 999.9, except one of PiB, so that columns of counts keep their width.
    public var formatted: String {
        let sign = bytes < 0 ? "-" : ""
        let magnitude = bytes.magnitude
        guard magnitude >= 1024 else { return "\(sign)\(magnitude) B" }
        var power = 1
        while power < Self.letters.count, Self.parts(of: 10, magnitude, power: power) >= 10_000 { power += 1 }
        let unit = "\(Self.letters[power - 1])iB"
        // The next unit begins at 1000 of the one before, which is less than one of it.
        let hundredths = Self.parts(of: 100, magnitude, power: power)
        guard hundredths >= 100 else { return "\(sign)0.\(hundredths) \(unit)" }
        let tenths = Self.parts(of: 10, magnitude, power: power)
        return "\(sign)\(tenths / 10).\(tenths % 10) \(unit)"
    }

    /// The count in both forms, such as `1.2 KiB (1234 bytes)`, where every byte matters.
    package var detailed: String { bytes.magnitude < 1024 ? formatted : "\(formatted) (\(bytes) bytes)" }

    /// The count for a sentence that compares it with another one: in bytes if both would look the same otherwise.
    package func formatted(beside other: Int64) -> String {
        bytes != other && formatted == ByteCount(other).formatted ? "\(bytes) bytes" : formatted
    }

    private static let letters = ["K", "M", "G", "T", "P"]

    /// Tenths or hundredths of the unit, rounded to the nearest.
    private static func parts(of share: UInt64, _ bytes: UInt64, power: Int) -> UInt64 {
        let unit = UInt64(1) << UInt64(10 * power)
        // No remainder is above 2^50, so a hundred times it fits.
        return bytes / unit * share + (bytes % unit * share + unit / 2) / unit
    }

    private static func multiple(_ unit: ArraySlice<UInt8>) -> Int64? {
        let text = unit.lowercasedASCIIText
        guard !text.isEmpty, text != "b" else { return 1 }
        for (place, letter) in letters.enumerated() {
            let small = letter.utf8.lowercasedASCIIText
            if [small, small + "b", small + "ib"].contains(text) { return 1 << Int64(10 * (place + 1)) }
        }
        return nil
    }

    /// A decimal fraction of a unit in bytes, rounded down; digits after the 18th are less than a byte.
    private static func share(_ fraction: ArraySlice<UInt8>, of unit: Int64) -> Int64 {
        var numerator: UInt64 = 0
        var denominator: UInt64 = 1
        for digit in fraction.prefix(18) {
            numerator = numerator * 10 + UInt64(digit - 0x30)
            denominator *= 10
        }
        let (high, low) = numerator.multipliedFullWidth(by: unit.magnitude)
        // The numerator is smaller than the denominator, so the quotient is smaller than the unit.
        return Int64(denominator.dividingFullWidth((high, low)).quotient)
    }

    /// Why a text is not a number of bytes.
    public enum ParseError: Error, Hashable, Sendable {
        /// It is not a number with an optional unit.
        case malformed
        /// The number does not fit an `Int64`.
        case tooLarge
    }
}

extension ByteCount: CustomStringConvertible {
    /// The count with a binary unit.
    public var description: String { formatted }
}

extension ByteCount.ParseError: CustomStringConvertible {
    /// The reason in one sentence for a person.
    public var description: String {
        switch self {
        case .malformed: "A size must be a number with an optional unit, such as 500k, 10M or 1.5G."
        case .tooLarge: "The size is larger than Ferry can count."
        }
    }
}
