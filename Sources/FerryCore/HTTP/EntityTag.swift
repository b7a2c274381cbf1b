/// An entity tag (RFC 9110 §8.8.3): a server's name for one version of a resource.
///
/// A tag that breaks the grammar, such as one without quotes, is kept as a weak one with its text as it came:
/// it cannot be sent in `If-Range`, but whatever a server says must still agree from response to response (I5).
/// So is an empty tag, which tells no versions apart, and one whose octets were lost in decoding.
public struct EntityTag: Sendable {
    /// The exact field value, to be sent back as it is.
    public let description: String
    /// Whether equal tags promise equal bytes.
    public let isStrong: Bool
    /// How many octets stand before the part that is compared: those of `W/`.
    private let prefixLength: Int

    /// Reads a field value; blanks around it are ignored.
    ///
    /// - Returns: `nil` when nothing is left or there is a control character in it.
    public init?(_ fieldValue: String) {
        let value = Array(fieldValue.utf8).trimmingBlanks
        guard !value.isEmpty, !value.contains(where: \.isControl) else { return nil }
        description = value.text
        let isWeak = value.starts(with: [0x57, 0x2F])
        let tag = isWeak ? value.dropFirst(2) : value
        let isWellFormed =
            tag.count >= 2 && tag.first == 0x22 && tag.last == 0x22
            && tag.dropFirst().dropLast().allSatisfy { $0 != 0x22 && $0 != 0x20 }
        isStrong =
            isWellFormed && !isWeak && tag.count > 2 && !description.unicodeScalars.contains("\u{FFFD}")
        prefixLength = isWellFormed && isWeak ? 2 : 0
    }

    /// Whether both are strong and the same, octet for octet (RFC 9110 §8.8.3.2).
    public func strongMatches(_ other: EntityTag) -> Bool {
        isStrong && other.isStrong && self == other
    }

    /// Whether both are the same, octet for octet, when a `W/` in front is left out (RFC 9110 §8.8.3.2).
    ///
    /// A suffix such as `-gzip`, by which some servers mark an encoded variant, is a difference like any other.
    public func weakMatches(_ other: EntityTag) -> Bool {
        opaqueBytes.elementsEqual(other.opaqueBytes)
    }

    private var opaqueBytes: Substring.UTF8View {
        description.utf8.dropFirst(prefixLength)
    }
}

extension EntityTag: Hashable {
    /// Whether both are the same, octet for octet; `String` itself would take canonically equivalent texts for
    /// equal.
    public static func == (lhs: EntityTag, rhs: EntityTag) -> Bool {
        lhs.description.utf8.elementsEqual(rhs.description.utf8)
    }

    /// Hashes the octets.
    public func hash(into hasher: inout Hasher) {
        for byte in description.utf8 { hasher.combine(byte) }
    }
}

extension EntityTag: CustomStringConvertible {}

extension EntityTag: Codable {
    /// Reads a field value; fails with `DecodingError.dataCorrupted` when it is no tag.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let tag = try EntityTag(container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "This is no entity tag.")
        }
        self = tag
    }

    /// Writes the field value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
