/// Bech32 without a limit on its length, as keys of age have it (BIP 173).
enum Bech32 {
    private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
    private static let separator: UInt8 = 0x31
    private static let checksumLength = 6

    /// The text of some bytes, in lowercase.
    ///
    /// - Parameter prefix: what the text begins with, before the separator `1`.
    static func encoded(_ bytes: some Collection<UInt8>, prefix: String) -> String {
        let name = prefix.lowercased()
        let groups = regrouped(bytes, from: 8, to: 5)
        let sum = checksum(Array(name.utf8), groups + [UInt8](repeating: 0, count: checksumLength)) ^ 1
        let digits = (0..<checksumLength).map { UInt8(sum >> UInt32(5 * (checksumLength - 1 - $0)) & 31) }
        let text = Array(name.utf8) + [separator] + (groups + digits).map { alphabet[Int($0)] }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads a text that is all in lowercase or all in uppercase.
    ///
    /// - Returns: the prefix as it was written, and the bytes; `nil` for a text that is none, and for one with a typing error.
    static func decoded(_ text: String) -> (prefix: String, bytes: [UInt8])? {
        let written = Array(text.utf8)
        guard written.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        let (lower, upper) = (text.lowercased(), text.uppercased())
        guard text == lower || text == upper else { return nil }
        guard let place = written.lastIndex(of: separator), place > 0 else { return nil }
        let letters = Array(lower.utf8)
        var groups: [UInt8] = []
        for letter in letters[(place + 1)...] {
            guard let value = alphabet.firstIndex(of: letter) else { return nil }
            groups.append(UInt8(value))
        }
        guard groups.count >= checksumLength, checksum(Array(letters[..<place]), groups) == 1 else {
            return nil
        }
        let data = groups.dropLast(checksumLength)
        let bytes = Array(regrouped(data, from: 5, to: 8).prefix(data.count * 5 / 8))
        // Bits that fill up the last group are zero, and fewer than a group.
        guard regrouped(bytes, from: 8, to: 5).elementsEqual(data) else { return nil }
        return (String(decoding: written[..<place], as: UTF8.self), bytes)
    }

    /// The same bits in groups of another size; the last group is filled up with zeros.
    private static func regrouped(_ groups: some Collection<UInt8>, from: UInt32, to: UInt32) -> [UInt8] {
        var (output, value, held) = ([UInt8](), UInt32(0), UInt32(0))
        for group in groups {
            value = (value << from | UInt32(group)) & 0xFFF
            held += from
            while held >= to {
                held -= to
                output.append(UInt8(value >> held & (1 << to - 1)))
            }
        }
        if held > 0 { output.append(UInt8(value << (to - held) & (1 << to - 1))) }
        return output
    }

    private static func checksum(_ name: [UInt8], _ groups: [UInt8]) -> UInt32 {
        let generators: [UInt32] = [0x3B6A_57B2, 0x2650_8E6D, 0x1EA1_19FA, 0x3D42_33DD, 0x2A14_62B3]
        let values = name.map { $0 >> 5 } + [0] + name.map { $0 & 31 } + groups
        return values.reduce(1) { sum, value in
            let top = sum >> 25
            let next = (sum & 0x1FF_FFFF) << 5 ^ UInt32(value)
            return generators.enumerated().reduce(next) { $1.offset.isSet(in: top) ? $0 ^ $1.element : $0 }
        }
    }
}

extension Int {
    fileprivate func isSet(in bits: UInt32) -> Bool { bits >> UInt32(self) & 1 == 1 }
}
