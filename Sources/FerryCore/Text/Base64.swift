/// The base64 alphabet with padding (RFC 4648 §4).
package enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
    )

    /// The octets in base64.
    package static func encoded(_ bytes: some Collection<UInt8>) -> String {
        var output: [UInt8] = []
        output.reserveCapacity((bytes.count + 2) / 3 * 4)
        var group: UInt32 = 0
        var held = 0
        for byte in bytes {
            group = group << 8 | UInt32(byte)
            held += 1
            if held == 3 {
                append(group, digits: 4, to: &output)
                group = 0
                held = 0
            }
        }
        if held > 0 {
            append(group << UInt32(8 * (3 - held)), digits: held + 1, to: &output)
            output.append(contentsOf: repeatElement(0x3D, count: 3 - held))
        }
        return output.text
    }

    private static func append(_ group: UInt32, digits: Int, to output: inout [UInt8]) {
        for place in 0..<digits {
            output.append(alphabet[Int(group >> UInt32(18 - 6 * place) & 63)])
        }
    }

    /// Decodes base64. Padding may be left out, as RFC 9651 §4.2.7 requires.
    ///
    /// - Returns: `nil` when the text has any other character, or its last digits make no whole octet.
    package static func decoded(_ text: some Collection<UInt8>) -> [UInt8]? {
        let padding = text.reversed().prefix { $0 == 0x3D }.count
        let digits = text.prefix(text.count - padding)
        guard digits.count % 4 != 1, padding == 0 || (digits.count + padding) % 4 == 0 && padding < 3 else {
            return nil
        }
        var output: [UInt8] = []
        output.reserveCapacity(digits.count / 4 * 3 + 2)
        var group: UInt32 = 0
        var held = 0
        for digit in digits {
            guard let value = value(of: digit) else { return nil }
            group = group << 6 | value
            held += 6
            if held >= 8 {
                held -= 8
                output.append(UInt8(truncatingIfNeeded: group >> UInt32(held)))
            }
        }
        return output
    }

    private static func value(of digit: UInt8) -> UInt32? {
        switch digit {
        case 0x41...0x5A: UInt32(digit - 0x41)
        case 0x61...0x7A: UInt32(digit - 0x61 + 26)
        case 0x30...0x39: UInt32(digit - 0x30 + 52)
        case 0x2B: 62
        case 0x2F: 63
        default: nil
        }
    }
}
