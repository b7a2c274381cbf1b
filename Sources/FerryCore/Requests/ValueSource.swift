/// A value of an earlier response that a request needs: where it comes from.
package struct ValueSource: Hashable, Sendable {
    /// The place of a value in a response.
    package enum Place: Hashable, Sendable {
        /// A value of its body, which is JSON.
        case body(JSONPointer)
        /// The field of this name.
        case field(String)
    }

    /// The request whose response has the value.
    package var source: TransferUUID
    /// Where in its response the value is.
    package var place: Place

    /// Maximum bytes of a name.
    static let longestName = 64

    /// Whether a text can be the name of a value: letters, digits, `_`, `-` and `.`, which no URL and no JSON escapes.
    package static func isName(_ name: String) -> Bool {
        (1...longestName).contains(name.utf8.count)
            && name.utf8.allSatisfy { $0.isLetter || $0.isDigit || [0x5F, 0x2D, 0x2E].contains($0) }
    }
}

extension ValueSource: Codable {
    private enum CodingKeys: String, CodingKey {
        case source, pointer, field
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        guard let uuid = TransferUUID(try fields.decode(String.self, forKey: .source)) else {
            throw fields.damaged(.source, "not a UUID")
        }
        source = uuid
        guard let text = try fields.decodeIfPresent(String.self, forKey: .pointer) else {
            place = .field(try fields.decode(String.self, forKey: .field))
            return
        }
        guard let pointer = JSONPointer(text) else {
            throw fields.damaged(.pointer, "not a JSON Pointer")
        }
        place = .body(pointer)
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode("\(source)", forKey: .source)
        switch place {
        case .body(let pointer): try fields.encode("\(pointer)", forKey: .pointer)
        case .field(let name): try fields.encode(name, forKey: .field)
        }
    }
}

extension ValueSource: CustomStringConvertible {
    /// The source and the place, as the tool takes them.
    package var description: String {
        switch place {
        case .body(let pointer): "\(source):\(pointer)"
        case .field(let name): "\(source):\(name)"
        }
    }
}
