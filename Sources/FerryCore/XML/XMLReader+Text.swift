extension XMLReader {
    /// Reads the text before the next tag; `nil` for white space around the root.
    mutating func readText() throws(Refusal) -> String? {
        let end = rest.firstIndex(of: 0x3C) ?? rest.endIndex
        let raw = try Self.checked(rest[..<end])
        rest = rest[end...]
        guard !open.isEmpty else {
            guard raw.allSatisfy(\.isXMLSpace) else { throw .malformed }
            return nil
        }
        // Usually there is nothing to replace.
        guard raw.contains(where: { $0 == 0x0D || $0 == 0x26 }) else { return raw.text }
        return try Self.resolved(Self.withPlainLines(raw)).text
    }

    /// Reads a CDATA section.
    mutating func readData() throws(Refusal) -> String {
        guard !open.isEmpty else { throw .malformed }
        rest = rest.dropFirst("<![CDATA[".utf8.count)
        return Self.withPlainLines(try take(until: "]]>")).text
    }

    /// The value of an attribute: white space becomes blanks, and references are resolved (XML 1.0 §3.3.3).
    static func attributeText(_ raw: ArraySlice<UInt8>) throws(Refusal) -> String {
        let plain = withPlainLines(raw).map { $0.isXMLSpace ? 0x20 : $0 }
        return try resolved(plain).text
    }

    /// Replaces every line ending by one line feed (XML 1.0 §2.11).
    private static func withPlainLines(_ raw: ArraySlice<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(raw.count)
        var follows = false
        for byte in raw {
            if byte == 0x0A, follows {
                follows = false
                continue
            }
            follows = byte == 0x0D
            output.append(follows ? 0x0A : byte)
        }
        return output
    }

    /// The octets with each reference resolved.
    private static func resolved(_ bytes: [UInt8]) throws(Refusal) -> [UInt8] {
        guard bytes.contains(0x26) else { return bytes }
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            guard byte == 0x26 else {
                output.append(byte)
                continue
            }
            let name = rest.prefix(12).prefix { $0 != 0x3B }
            guard name.endIndex < rest.endIndex, rest[name.endIndex] == 0x3B, let character = character(name)
            else {
                throw .malformed
            }
            output += Array(String(character).utf8)
            rest = rest[(name.endIndex + 1)...]
        }
        return output
    }

    /// The character of a reference: one of XML's five built-in entities, or a character number.
    private static func character(_ name: ArraySlice<UInt8>) -> Character? {
        switch name.text {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default: break
        }
        guard name.first == 0x23 else { return nil }
        let isHexadecimal = name.dropFirst().first == 0x78
        let digits = name.dropFirst(isHexadecimal ? 2 : 1)
        guard !digits.isEmpty, digits.allSatisfy({ isHexadecimal ? $0.hexadecimalValue != nil : $0.isDigit }),
            let number = UInt32(digits.text, radix: isHexadecimal ? 16 : 10),
            let scalar = Unicode.Scalar(number)
        else { return nil }
        let isAllowed = number >= 0x20 || number == 0x09 || number == 0x0A || number == 0x0D
        return isAllowed && number != 0xFFFE && number != 0xFFFF ? Character(scalar) : nil
    }
}
