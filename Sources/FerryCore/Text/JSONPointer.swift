/// The place of a value in a JSON text (RFC 6901).
package struct JSONPointer: Hashable, Sendable {
    /// The names and indexes that lead to the value, without escapes.
    ///
    /// Names are compared without normalisation, so they are bytes.
    let tokens: [[UInt8]]

    /// Parses a pointer: an empty text, which is the whole, or one that begins with `/`; `nil` for any other.
    package init?(_ text: String) {
        guard !text.isEmpty else {
            tokens = []
            return
        }
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard text.utf8.first == UInt8(ascii: "/") else { return nil }
        var tokens: [[UInt8]] = []
        for part in parts.dropFirst() {
            guard let token = Self.unescaped(part) else { return nil }
            tokens.append(token)
        }
        self.tokens = tokens
    }

    /// Replaces `~1` by `/` and `~0` by `~`; `nil` for any other `~`.
    private static func unescaped(_ part: Substring.UTF8View) -> [UInt8]? {
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
        return bytes
    }
}

extension JSONPointer: CustomStringConvertible {
    /// The pointer as RFC 6901 writes it.
    package var description: String {
        tokens.map { token in
            let escaped = String(decoding: token, as: UTF8.self).unicodeScalars.map { scalar in
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
