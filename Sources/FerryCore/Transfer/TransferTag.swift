/// An application's own name for a transfer, or for several that belong together.
///
/// It finds what was added earlier, also after a restart. It is not a secret: lists show it.
public struct TransferTag: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The most octets that it may have in UTF-8.
    public static let longest = 255

    /// The name.
    public let text: String

    /// Checks a name; `nil` for one that is empty, longer than ``longest``, or has control characters.
    public init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= Self.longest,
            !text.utf8.contains(where: \.isControl)
        else { return nil }
        self.text = text
    }

    /// The name.
    public var description: String { text }

    /// Tells names apart octet by octet.
    public static func == (one: TransferTag, other: TransferTag) -> Bool {
        one.text.utf8.elementsEqual(other.text.utf8)
    }

    /// Hashes the octets.
    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }

    /// Reads a text; fails for one that is no tag.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let tag = TransferTag(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "This is no tag.")
        }
        self = tag
    }

    /// Writes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
