package import HTTPTypes

/// What a `Content-Disposition` field says about a body (RFC 6266).
///
/// The file name is only a proposal by the server; ``FileName`` decides what of it is safe.
package struct ContentDisposition: Hashable, Sendable {
    /// The disposition type in lower case, such as `attachment` or `inline`.
    package let type: String
    /// The proposed name, decoded; `filename*` comes before `filename` if it decodes (RFC 6266 §4.3).
    package let filename: String?

    /// Reads a field value that was already decoded to text.
    ///
    /// - Returns: `nil` when it does not begin with a disposition type.
    package init?(_ fieldValue: String) {
        self.init(bytes: fieldValue.utf8)
    }

    /// Reads the octets of a field value.
    ///
    /// More is accepted than the grammar allows, because servers send it: a name beyond ASCII in UTF-8 or else
    /// ISO-8859-1, an unquoted name with spaces, a missing closing quote. If a parameter is repeated, the first one
    /// counts. An invalid parameter is skipped.
    ///
    /// - Returns: `nil` when it does not begin with a disposition type.
    package init?(bytes: some Collection<UInt8>) {
        var scanner = Scanner(Array(bytes)[...])
        let name = scanner.upToSemicolon().trimmingBlanks
        guard !name.isEmpty, name.allSatisfy(\.isTokenByte) else { return nil }
        type = name.lowercasedASCIIText
        var plain: String?
        var extended: String?
        while let (name, value) = scanner.nextParameter() {
            if plain == nil, name.equalsIgnoringASCIICase("filename".utf8) {
                plain = Self.decodedText(value)
            } else if extended == nil, name.equalsIgnoringASCIICase("filename*".utf8) {
                extended = Self.decodedExtendedValue(value[...])
            }
        }
        filename = extended ?? plain
    }

    /// Reads the fields of an answer, byte for byte: a name in ISO-8859-1 is no valid UTF-8.
    package init?(_ fields: HTTPFields) {
        let values = fields[fields: .contentDisposition].map { $0.withUnsafeBytesOfValue { Array($0) } }
        guard !values.isEmpty else { return nil }
        self.init(bytes: Array(values.joined(separator: Array(", ".utf8))))
    }

    /// UTF-8, or ISO-8859-1 when it is not valid UTF-8; `nil` when empty.
    private static func decodedText(_ bytes: [UInt8]) -> String? {
        guard !bytes.isEmpty else { return nil }
        return String(validating: bytes, as: UTF8.self) ?? latin1(bytes)
    }

    private static func latin1(_ bytes: [UInt8]) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: bytes.map { Unicode.Scalar($0) })
        return String(text)
    }

    /// `ext-value`: charset, language and percent-encoded octets, with quotes between (RFC 8187 §3.2).
    ///
    /// Servers also send octets of ISO-8859-1 without encoding them, and write `utf8`.
    ///
    /// - Returns: `nil` when the charset is unknown, an escape is broken, or the octets do not fit the charset.
    private static func decodedExtendedValue(_ value: ArraySlice<UInt8>) -> String? {
        let parts = value.split(separator: 0x27, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = PercentEncoding.strictlyDecoded(parts[2]), !bytes.isEmpty
        else { return nil }
        let isRaw = parts[2].contains { $0 >= 0x80 }
        switch parts[0].lowercasedASCIIText {
        case "utf-8" where !isRaw, "utf8" where !isRaw: return String(validating: bytes, as: UTF8.self)
        // What is not encoded may be in another charset than the one that is named.
        case "iso-8859-1": return isRaw ? decodedText(bytes) : latin1(bytes)
        default: return nil
        }
    }
}

extension ContentDisposition {
    /// Scans the parameters of a field value; each octet is visited once.
    private struct Scanner {
        private var rest: ArraySlice<UInt8>

        init(_ bytes: ArraySlice<UInt8>) {
            rest = bytes
        }

        /// Takes everything before the next semicolon, and the semicolon.
        mutating func upToSemicolon() -> ArraySlice<UInt8> {
            let end = rest.firstIndex(of: 0x3B) ?? rest.endIndex
            defer { rest = rest[end...].dropFirst() }
            return rest[..<end]
        }

        /// Takes the next parameter that has a name and a value; `nil` at the end.
        mutating func nextParameter() -> (name: ArraySlice<UInt8>, value: [UInt8])? {
            while !rest.isEmpty {
                guard let end = rest.firstIndex(where: { $0 == 0x3D || $0 == 0x3B }) else {
                    rest = []
                    return nil
                }
                let name = rest[..<end].trimmingBlanks
                let hasValue = rest[end] == 0x3D
                rest = rest[(end + 1)...]
                guard hasValue else { continue }
                let value = self.value()
                if name.allSatisfy(\.isTokenByte), !name.isEmpty { return (name, value) }
            }
            return nil
        }

        private mutating func value() -> [UInt8] {
            rest = rest.drop(while: \.isBlank)
            guard rest.first == 0x22 else { return Array(upToSemicolon().trimmingBlanks) }
            rest = rest.dropFirst()
            var value: [UInt8] = []
            while let byte = rest.popFirst(), byte != 0x22 {
                // A quoted pair stands for its second octet (RFC 9110 §5.6.4).
                if byte == 0x5C, let escaped = rest.popFirst() {
                    value.append(escaped)
                } else {
                    value.append(byte)
                }
            }
            _ = upToSemicolon()
            return value
        }
    }
}
