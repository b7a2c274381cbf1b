/// The base64 alphabet with padding (RFC 4648 §4).
enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
    )

    /// The octets in base64.
    static func encoded(_ bytes: some Collection<UInt8>) -> String {
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
}
