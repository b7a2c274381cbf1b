/// An application's own name for a transfer, or for several that belong together.
///
/// It finds earlier transfers, also after a restart. It is not a secret: lists show it.
public struct TransferTag: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The maximum length in bytes of UTF-8.
    public static let longest = 255

    /// The name.
    public let text: String

    /// Creates a tag; `nil` if it is empty, longer than ``longest``, or has control characters.
    public init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= Self.longest,
            !text.utf8.contains(where: \.isControl)
        else { return nil }
        self.text = text
    }

    /// The name.
    public var description: String { text }

    /// Compares tags byte by byte.
    public static func == (one: TransferTag, other: TransferTag) -> Bool {
        one.text.utf8.elementsEqual(other.text.utf8)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }

    /// Reads a tag. Throws when the text is not a tag.
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
