/// The classes of octets in the grammars of RFC 3986 and RFC 9110.
///
/// Field values are read octet by octet, because a `Character` may join CR and LF, or hide a letter behind a combining
/// mark. Neither may happen to a delimiter.
extension UInt8 {
    /// `DIGIT` (RFC 5234).
    var isDigit: Bool { (0x30...0x39).contains(self) }

    /// `ALPHA` (RFC 5234).
    var isLetter: Bool { (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) }

    /// A C0 control character, including horizontal tab, or DEL.
    var isControl: Bool { self < 0x20 || self == 0x7F }

    /// Space or horizontal tab, as in optional white space (`OWS`, RFC 9110 §5.6.3).
    var isBlank: Bool { self == 0x20 || self == 0x09 }

    /// `unreserved` (RFC 3986 §2.3).
    var isUnreserved: Bool {
        isLetter || isDigit || self == 0x2D || self == 0x2E || self == 0x5F || self == 0x7E
    }

    /// `tchar`: an octet of a token, such as a field name (RFC 9110 §5.6.2).
    var isTokenByte: Bool {
        switch self {
        case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: true
        default: isLetter || isDigit
        }
    }

    /// The octet with an ASCII capital in lowercase, any other unchanged.
    var lowercasedASCII: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }

    /// The lowercase hexadecimal digit of a number below 16.
    fileprivate var hexadecimalDigit: UInt8 { self < 10 ? 0x30 + self : 0x57 + self }

    /// The value of a hexadecimal digit; `nil` for anything else.
    var hexadecimalValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x37
        case 0x61...0x66: self - 0x57
        default: nil
        }
    }
}

extension BidirectionalCollection<UInt8> {
    /// The octets without spaces and tabs at either end.
    package var trimmingBlanks: SubSequence {
        guard let first = firstIndex(where: { !$0.isBlank }), let last = lastIndex(where: { !$0.isBlank })
        else { return self[endIndex...] }
        return self[first...last]
    }
}

extension Collection<UInt8> {
    /// The octets as text, with ASCII capitals in lowercase.
    ///
    /// Unlike `lowercased()`, this changes no other letter: the Kelvin sign does not become a `k`.
    package var lowercasedASCIIText: String { String(decoding: map(\.lowercasedASCII), as: UTF8.self) }

    /// The octets as text.
    package var text: String { String(decoding: self, as: UTF8.self) }

    /// Whether the octets equal `other`, ignoring the case of ASCII letters.
    package func equalsIgnoringASCIICase(_ other: some Collection<UInt8>) -> Bool {
        elementsEqual(other) { $0.lowercasedASCII == $1.lowercasedASCII }
    }
}

extension [UInt8] {
    /// The octets in lowercase hexadecimal digits.
    package var hexadecimalText: String {
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * count)
        for byte in self {
            digits.append((byte >> 4).hexadecimalDigit)
            digits.append((byte & 15).hexadecimalDigit)
        }
        return digits.text
    }

    /// Whether the octets of `part` occur in a row.
    ///
    /// It tries every place. The standard library prepares each search of a text, which costs far more for a short one.
    package func contains(octets part: [UInt8]) -> Bool {
        guard part.count <= count else { return false }
        return (0...count - part.count).contains { start in
            part.indices.allSatisfy { self[start + $0] == part[$0] }
        }
    }
}
