/// A media type without its parameters (RFC 9110 §8.3.1).
package struct MediaType: Hashable, Sendable {
    /// The type, in lower case.
    package let type: String
    /// The subtype, in lower case.
    package let subtype: String

    /// Reads a `Content-Type` field value, without its parameters.
    ///
    /// - Returns: `nil` when it does not begin with `type/subtype`.
    package init?(_ fieldValue: String) {
        let essence = Array(fieldValue.utf8).prefix { $0 != 0x3B }.trimmingBlanks
        let parts = essence.split(separator: 0x2F, omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isTokenByte) }) else {
            return nil
        }
        type = parts[0].lowercasedASCIIText
        subtype = parts[1].lowercasedASCIIText
    }

    /// Whether the body has several parts of a resource, each with its own head (RFC 9110 §14.6).
    package var isSeveralRanges: Bool { description == "multipart/byteranges" }

    /// Whether this is a web page, which a login portal sends instead of a file.
    package var isHTML: Bool {
        description == "text/html" || description == "application/xhtml+xml"
    }

    /// Whether this is JSON (RFC 8259 §11, RFC 6839 §3.1).
    package var isJSON: Bool { description == "application/json" || subtype.hasSuffix("+json") }
}

extension MediaType: CustomStringConvertible {
    /// The type as `type/subtype`.
    package var description: String { "\(type)/\(subtype)" }
}

extension MediaType: Codable {
    /// Reads `type/subtype`. Throws `DecodingError.dataCorrupted` when the text has another form.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let type = try MediaType(container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "This is no media type.")
        }
        self = type
    }

    /// Writes `type/subtype`.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
