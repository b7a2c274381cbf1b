/// Percent-encoding (RFC 3986 §2.1).
package enum PercentEncoding {
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Replaces each escape by its octet; a `%` without two hexadecimal digits stays.
    package static func decoded(_ bytes: some Collection<UInt8>) -> [UInt8] {
        decode(bytes, keepingStrays: true) ?? []
    }

    /// Replaces each escape by its octet.
    ///
    /// - Returns: `nil` when a `%` is not followed by two hexadecimal digits.
    package static func strictlyDecoded(_ bytes: some Collection<UInt8>) -> [UInt8]? {
        decode(bytes, keepingStrays: false)
    }

    private static func decode(_ bytes: some Collection<UInt8>, keepingStrays: Bool) -> [UInt8]? {
        let input = Array(bytes)
        var output: [UInt8] = []
        output.reserveCapacity(input.count)
        var index = 0
        while index < input.count {
            if input[index] == 0x25 {
                if index + 2 < input.count, let high = input[index + 1].hexadecimalValue,
                    let low = input[index + 2].hexadecimalValue
                {
                    output.append(high << 4 | low)
                    index += 3
                    continue
                }
                guard keepingStrays else { return nil }
            }
            output.append(input[index])
            index += 1
        }
        return output
    }

    /// Escapes all but the unreserved characters (RFC 3986 §2.3), so that a text is one part of a URL.
    static func literal(_ text: String) -> String {
        text.utf8.map { byte in
            let escape = [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            return (byte.isUnreserved ? [byte] : escape).text
        }.joined()
    }

    /// Escapes every octet that `isAllowed` rejects. A `%` always stays, because an escape must not be escaped twice.
    static func encoded(_ bytes: some Collection<UInt8>, allowing isAllowed: (UInt8) -> Bool) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        for byte in bytes { append(byte, to: &output) { $0 == 0x25 || isAllowed($0) } }
        return output.text
    }

    /// Escapes every octet that is not unreserved (RFC 3986 §2.3) nor in `kept`, a `%` as well.
    package static func escaped(_ bytes: some Collection<UInt8>, keeping kept: Set<UInt8> = []) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        for byte in bytes { append(byte, to: &output) { $0.isUnreserved || kept.contains($0) } }
        return output.text
    }

    @inline(__always)
    private static func append(
        _ byte: UInt8,
        to output: inout [UInt8],
        unless isAllowed: (UInt8) -> Bool
    ) {
        if isAllowed(byte) {
            output.append(byte)
        } else {
            output.append(0x25)
            output.append(digits[Int(byte >> 4)])
            output.append(digits[Int(byte & 15)])
        }
    }
}
