/// A JSON value (RFC 8259) that writes itself on one line; members keep their order.
package enum JSON: Hashable, Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
    case array([JSON])
    case object([Member])

    /// One member of an object.
    package struct Member: Hashable, Sendable {
        package var name: String
        package var value: JSON

        package init(name: String, value: JSON) {
            self.name = name
            self.value = value
        }
    }

    /// A string, or null.
    package static func optional(_ text: String?) -> JSON { text.map { .string($0) } ?? .null }

    /// A number, or null.
    package static func optional(_ number: Int64?) -> JSON { number.map { .int($0) } ?? .null }

    /// The text of the value, without line breaks.
    package var text: String {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .int(let number): bytes += String(number).utf8
        case .double(let number): Self.write(number, to: &bytes)
        case .string(let text): Self.write(text, to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.write(member.name, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// JSON has no infinities and no "not a number"; they become null.
    private static func write(_ number: Double, to bytes: inout [UInt8]) {
        bytes += (number.isFinite ? "\(number)" : "null").utf8
    }

    /// Escapes what must be escaped, and also DEL, the C1 controls and the line separators U+2028 and U+2029. Some
    /// readers take these for the end of a line, and terminals act on them. `JSONText.write` escapes only
    /// what it must: its strings go to servers and into the store.
    private static func write(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": bytes += "\\\"".utf8
            case "\\": bytes += "\\\\".utf8
            case "\n": bytes += "\\n".utf8
            case "\r": bytes += "\\r".utf8
            case "\t": bytes += "\\t".utf8
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
                let hex = String(scalar.value, radix: 16)
                bytes += "\\u".utf8
                bytes += String(repeating: "0", count: 4 - hex.utf8.count).utf8
                bytes += hex.utf8
            default: bytes += String(scalar).utf8
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}

extension JSON: ExpressibleByDictionaryLiteral {
    /// An object of members in this order; each name must be unique.
    package init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(elements.map { Member(name: $0.0, value: $0.1) })
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
    package init(stringLiteral value: String) { self = .string(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(integerLiteral value: Int64) { self = .int(value) }
}
