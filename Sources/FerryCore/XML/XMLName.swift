/// The names of elements and attributes.
enum XMLName {
    /// Whether the octets are a name. Any octet beyond ASCII is accepted: no name that matters here has one.
    static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, first.isLetter || first == 0x5F || first == 0x3A || first >= 0x80
        else {
            return false
        }
        return bytes.allSatisfy(isPart)
    }

    /// Whether an octet may be in a name.
    static func isPart(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x2D, 0x2E, 0x3A, 0x5F, 0x80...: true
        default: byte.isLetter || byte.isDigit
        }
    }

    /// The prefix, empty if there is none, and the rest; `nil` when there is more than one colon, or nothing on one
    /// side of it (Namespaces in XML 1.0 §4).
    static func split(_ name: ArraySlice<UInt8>) -> (prefix: String, local: String)? {
        guard name.contains(0x3A) else { return ("", name.text) }
        let parts = name.split(separator: 0x3A, omittingEmptySubsequences: false)
        guard parts.count == 2, isName(parts[0]), isName(parts[1]) else { return nil }
        return (parts[0].text, parts[1].text)
    }
}
