/// One of the URLs of a download: its own is 0, and its mirrors follow, those that were given before those that a
/// server named.
public struct SourceID: RawRepresentable, Hashable, Comparable, Sendable, Codable {
    /// Its place among the URLs.
    public let rawValue: Int

    /// The download's own URL.
    public static let own = SourceID(rawValue: 0)

    /// Creates a name.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Whether one stands before the other.
    public static func < (lhs: SourceID, rhs: SourceID) -> Bool { lhs.rawValue < rhs.rawValue }
}
