/// The name of one connection within an attempt.
public struct ConnectionID: RawRepresentable, Hashable, Comparable, Sendable {
    /// A number that is used once within an attempt.
    public let rawValue: Int

    /// Creates a name.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Whether `lhs` was opened before `rhs`.
    public static func < (lhs: ConnectionID, rhs: ConnectionID) -> Bool { lhs.rawValue < rhs.rawValue }
}
