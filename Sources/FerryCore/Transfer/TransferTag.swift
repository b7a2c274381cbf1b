/// An application's own name for a transfer, or for several that belong together.
///
/// It finds earlier transfers, also after a restart. It is not a secret: lists show it.
public struct TransferTag: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The maximum length in bytes of UTF-8.
    public static let longest = 255

    /// The name.
    public let text: String

    /// Creates a tag.
    ///
    /// - Throws: ``Invalid`` when the text is empty, longer than ``longest``, or has control characters.
    public init(_ text: String) throws(Invalid) {
        switch text.utf8.count {
        case 0: throw .empty
        case Self.longest + 1..<Int.max: throw .tooLong(bytes: text.utf8.count)
        default: break
        }
        guard !text.utf8.contains(where: \.isControl) else { throw .control }
        self.text = text
    }

    /// Why a text is not a tag, or not a ``TransferType``.
    public enum Invalid: Error, Hashable, Sendable {
        /// The text is empty.
        case empty
        /// It is longer than ``TransferTag/longest``.
        case tooLong(bytes: Int)
        /// It has a control character.
        case control
    }

    /// The name.
    public var description: String { text }

    /// Compares tags byte by byte.
    public static func == (one: TransferTag, other: TransferTag) -> Bool {
        one.text.hasSameOctets(as: other.text)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }

    /// Reads a tag. Throws when the text is not a tag.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            try self.init(container.decode(String.self))
        } catch let error as Invalid {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
        }
    }

    /// Writes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension TransferTag.Invalid: CustomStringConvertible {
    /// The reason in one sentence for a person.
    public var description: String {
        switch self {
        case .empty: "The name is empty."
        case .tooLong(let bytes): "The name has \(bytes) bytes; at most \(TransferTag.longest) are possible."
        case .control: "The name has a control character in it."
        }
    }
}
