/// An entity tag (RFC 9110 §8.8.3): a server's name for one version of a resource.
///
/// A tag that breaks the grammar, such as one without quotes, is kept as a weak tag with its text unchanged. It
/// cannot be sent in `If-Range`, but it must still match from response to response (I5). The same holds for an empty
/// tag, which tells no versions apart, and for a tag whose octets were lost in decoding.
package struct EntityTag: Sendable {
    /// The exact field value, to be sent back unchanged.
    package let description: String
    /// Whether equal tags promise equal bytes.
    package let isStrong: Bool
    /// Number of octets before the compared part: those of `W/`.
    private let prefixLength: Int

    /// Reads a field value; blanks around it are ignored.
    ///
    /// - Returns: `nil` when nothing is left or the value has a control character.
    package init?(_ fieldValue: String) {
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

    /// Reads a tag that may lack its quotes. Some stores leave them out, and people do.
    init?(lenient text: String) {
        self.init(text.contains("\"") ? text : "\"\(text)\"")
    }

    /// Whether both are strong and equal, octet for octet (RFC 9110 §8.8.3.2).
    package func strongMatches(_ other: EntityTag) -> Bool {
        isStrong && other.isStrong && self == other
    }

    /// Whether both are equal, octet for octet, without a leading `W/` (RFC 9110 §8.8.3.2).
    ///
    /// Some servers mark an encoded variant with a suffix such as `-gzip`. It is a difference like any other.
    package func weakMatches(_ other: EntityTag) -> Bool {
        opaqueBytes.elementsEqual(other.opaqueBytes)
    }

    private var opaqueBytes: Substring.UTF8View {
        description.utf8.dropFirst(prefixLength)
    }
}

extension EntityTag: Hashable {
    /// Whether both are equal, octet for octet. `String` would treat canonically equivalent texts as equal.
    package static func == (lhs: EntityTag, rhs: EntityTag) -> Bool {
        lhs.description.hasSameOctets(as: rhs.description)
    }

    /// Hashes the octets.
    package func hash(into hasher: inout Hasher) {
        for byte in description.utf8 { hasher.combine(byte) }
    }
}

extension EntityTag: CustomStringConvertible {}

extension EntityTag: Codable {
    /// Reads a field value. Throws `DecodingError.dataCorrupted` when it is not a tag.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let tag = try EntityTag(container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "This is no entity tag.")
        }
        self = tag
    }

    /// Writes the field value.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
