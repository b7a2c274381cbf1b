/// The name of one connection within an attempt.
package struct ConnectionID: RawRepresentable, Hashable, Comparable, Sendable {
    /// A number that is used once within an attempt.
    package let rawValue: Int

    /// Creates a name.
    package init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Whether `lhs` was opened before `rhs`.
    package static func < (lhs: ConnectionID, rhs: ConnectionID) -> Bool { lhs.rawValue < rhs.rawValue }
}
