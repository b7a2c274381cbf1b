/// One of the URLs of a download.
///
/// Its own is 0, the mirrors that were given follow from 1 on, and those that a server named begin at
/// ``firstDiscovered``, so that a mirror that is given later gives no other one a new number.
public struct SourceID: RawRepresentable, Hashable, Comparable, Sendable, Codable {
    /// The number.
    public let rawValue: Int

    /// The download's own URL.
    public static let own = SourceID(rawValue: 0)

    /// The number of the first mirror that a server named.
    public static let firstDiscovered = 1_000

    /// The mirror at that place among those that a server named.
    static func discovered(at place: Int) -> SourceID { SourceID(rawValue: firstDiscovered + place) }

    /// Whether a server named it.
    public var isDiscovered: Bool { rawValue >= Self.firstDiscovered }

    /// Creates a name.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Whether one stands before the other.
    public static func < (lhs: SourceID, rhs: SourceID) -> Bool { lhs.rawValue < rhs.rawValue }
}
