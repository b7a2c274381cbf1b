/// The number of a transfer in a store, on the command line and in the API.
///
/// A store assigns numbers in the order in which transfers are added and never reuses one.
public struct TransferID: RawRepresentable, Hashable, Comparable, Sendable, Codable {
    /// The number; positive for every stored transfer.
    public let rawValue: Int64

    /// Creates an identifier from its number.
    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// Parses an identifier as a person types it: decimal digits, greater than zero.
    public init?(_ text: some StringProtocol) {
        guard let number = Int64(text), number > 0 else { return nil }
        self.rawValue = number
    }

    /// Whether `lhs` was added before `rhs`.
    public static func < (lhs: TransferID, rhs: TransferID) -> Bool {
        lhs.rawValue < rhs.rawValue
    }
}

extension TransferID: CustomStringConvertible {
    /// The decimal digits.
    public var description: String { String(rawValue) }
}
