/// Text that is percent-encoded (RFC 3986 §2.1).
enum PercentEncoded {
    /// An octet, encoded.
    static func octet(_ byte: UInt8) -> String {
        let hex = String(byte, radix: 16, uppercase: true)
        return hex.utf8.count < 2 ? "%0\(hex)" : "%\(hex)"
    }

    /// A name as one segment of a path: all but the unreserved characters (RFC 3986 §2.3) are encoded.
    static func segment(_ name: String) -> String {
        name.utf8.reduce(into: "") { result, byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default: result += octet(byte)
            }
        }
    }
}
