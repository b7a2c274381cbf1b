/// The place of a value in a JSON text (RFC 6901).
package struct JSONPointer: Hashable, Sendable {
    /// The names and indexes that lead to the value, without escapes.
    private let tokens: [String]

    /// Parses a pointer: an empty text, which is the whole, or one that begins with `/`; `nil` for any other.
    package init?(_ text: String) {
        guard !text.isEmpty else {
            tokens = []
            return
        }
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard text.utf8.first == UInt8(ascii: "/") else { return nil }
        var tokens: [String] = []
        for part in parts.dropFirst() {
            guard let token = Self.unescaped(part) else { return nil }
            tokens.append(token)
        }
        self.tokens = tokens
    }

    /// Replaces `~1` by `/` and `~0` by `~`; `nil` for any other `~`.
    private static func unescaped(_ part: Substring.UTF8View) -> String? {
        var bytes: [UInt8] = []
        var rest = part[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "~") else {
                bytes.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "0")?: bytes.append(UInt8(ascii: "~"))
            case UInt8(ascii: "1")?: bytes.append(UInt8(ascii: "/"))
            default: return nil
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The value at this place, as it is written; `nil` if it is missing, or if a name on the way is not unique.
    ///
    /// - Parameter text: a valid JSON text.
    package func value(in text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var value = text
        for token in tokens {
            guard let next = Self.child(token, of: value) else { return nil }
            value = next
        }
        return value
    }

    private static func child(_ token: String, of value: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        if let elements = JSONText.elements(of: value) {
            // No leading zeros, and "-" is the element after the last (§4).
            guard let index = Int(token), String(index) == token, elements.indices.contains(index) else {
                return nil
            }
            return elements[index]
        }
        guard let members = JSONText.members(of: value) else { return nil }
        // Names are compared without normalisation.
        let found = members.filter { $0.name.utf8.elementsEqual(token.utf8) }
        return found.count == 1 ? found[0].value : nil
    }
}

extension JSONPointer: CustomStringConvertible {
    /// The pointer as RFC 6901 writes it.
    package var description: String {
        tokens.map { token in
            let escaped = token.unicodeScalars.map { scalar in
                switch scalar {
                case "~": "~0"
                case "/": "~1"
                default: String(scalar)
                }
            }
            return "/" + escaped.joined()
        }.joined()
    }
}
