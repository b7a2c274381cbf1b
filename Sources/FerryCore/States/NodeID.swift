/// An application's name for a node, unique within its tree. It stays when the node is moved or renamed.
///
/// Two are equal if their bytes are equal.
public struct NodeID: Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The maximum length in bytes of UTF-8.
    public static let longest = 1_024

    /// The name.
    public let text: String

    /// Creates an id. An empty or longer text is refused when the node is discovered.
    public init(_ text: String) { self.text = text }

    /// Creates an id from a literal.
    public init(stringLiteral text: String) { self.init(text) }

    /// The name.
    public var description: String { text }
}

extension NodeID: Hashable {
    /// Compares ids byte by byte.
    public static func == (one: NodeID, other: NodeID) -> Bool {
        one.text.hasSameOctets(as: other.text)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}
