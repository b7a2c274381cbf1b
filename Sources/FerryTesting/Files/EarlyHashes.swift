/// MD5, written straight from RFC 1321, and SHA-1 from FIPS 180-4; slow, and for tests.
enum EarlyHashes {
    static func md5(_ message: [UInt8]) -> [UInt8] {
        var hash: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]
        let length = littleEndian(UInt64(message.count) * 8)
        for block in blocks(of: message, length: length) {
            let words = stride(from: 0, to: 64, by: 4).map { place in
                block[place..<place + 4].reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
            }
            var (a, b, c, d) = (hash[0], hash[1], hash[2], hash[3])
            for step in 0..<64 {
                let (mixed, word) =
                    switch step / 16 {
                    case 0: (b & c | ~b & d, step)
                    case 1: (b & d | c & ~d, (5 * step + 1) % 16)
                    case 2: (b ^ c ^ d, (3 * step + 5) % 16)
                    default: (c ^ (b | ~d), 7 * step % 16)
                    }
                let sum = a &+ mixed &+ words[word] &+ sines[step]
                (a, d, c, b) = (d, c, b, b &+ rotate(sum, turns[step / 16][step % 4]))
            }
            hash = zip(hash, [a, b, c, d]).map { $0 &+ $1 }
        }
        return hash.flatMap { littleEndian($0) }
    }

    static func sha1(_ message: [UInt8]) -> [UInt8] {
        var hash: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        let length = Array(littleEndian(UInt64(message.count) * 8).reversed())
        for block in blocks(of: message, length: length) {
            var words = stride(from: 0, to: 64, by: 4).map { place in
                block[place..<place + 4].reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
            }
            for place in 16..<80 {
                let sum = words[place - 3] ^ words[place - 8] ^ words[place - 14] ^ words[place - 16]
                words.append(rotate(sum, 1))
            }
            var (a, b, c, d, e) = (hash[0], hash[1], hash[2], hash[3], hash[4])
            for step in 0..<80 {
                let (mixed, constant): (UInt32, UInt32) =
                    switch step / 20 {
                    case 0: (b & c ^ ~b & d, 0x5A82_7999)
                    case 1: (b ^ c ^ d, 0x6ED9_EBA1)
                    case 2: (b & c ^ b & d ^ c & d, 0x8F1B_BCDC)
                    default: (b ^ c ^ d, 0xCA62_C1D6)
                    }
                let next = rotate(a, 5) &+ mixed &+ e &+ constant &+ words[step]
                (e, d, c, b, a) = (d, c, rotate(b, 30), a, next)
            }
            hash = zip(hash, [a, b, c, d, e]).map { $0 &+ $1 }
        }
        return hash.flatMap { littleEndian($0).reversed() }
    }

    /// The message with a 1 bit after it, and its length at the end of a block: the same in both.
    private static func blocks(of message: [UInt8], length: [UInt8]) -> [[UInt8]] {
        var padded = message + [0x80]
        while padded.count % 64 != 56 { padded.append(0) }
        padded += length
        return stride(from: 0, to: padded.count, by: 64).map { Array(padded[$0..<$0 + 64]) }
    }

    private static func rotate(_ value: UInt32, _ count: UInt32) -> UInt32 {
        value << count | value >> (32 - count)
    }

    private static func littleEndian<Word: FixedWidthInteger>(_ value: Word) -> [UInt8] {
        stride(from: 0, to: Word.bitWidth, by: 8).map { UInt8(truncatingIfNeeded: value >> Word($0)) }
    }

    /// The rotations of MD5's four rounds, each with four steps.
    private static let turns: [[UInt32]] = [
        [7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21],
    ]

    /// 2^32 times the magnitude of the sine of 1 to 64 (RFC 1321 §3.4).
    private static let sines: [UInt32] = [
        0xD76A_A478, 0xE8C7_B756, 0x2420_70DB, 0xC1BD_CEEE, 0xF57C_0FAF, 0x4787_C62A, 0xA830_4613,
        0xFD46_9501,
        0x6980_98D8, 0x8B44_F7AF, 0xFFFF_5BB1, 0x895C_D7BE, 0x6B90_1122, 0xFD98_7193, 0xA679_438E,
        0x49B4_0821,
        0xF61E_2562, 0xC040_B340, 0x265E_5A51, 0xE9B6_C7AA, 0xD62F_105D, 0x0244_1453, 0xD8A1_E681,
        0xE7D3_FBC8,
        0x21E1_CDE6, 0xC337_07D6, 0xF4D5_0D87, 0x455A_14ED, 0xA9E3_E905, 0xFCEF_A3F8, 0x676F_02D9,
        0x8D2A_4C8A,
        0xFFFA_3942, 0x8771_F681, 0x6D9D_6122, 0xFDE5_380C, 0xA4BE_EA44, 0x4BDE_CFA9, 0xF6BB_4B60,
        0xBEBF_BC70,
        0x289B_7EC6, 0xEAA1_27FA, 0xD4EF_3085, 0x0488_1D05, 0xD9D4_D039, 0xE6DB_99E5, 0x1FA2_7CF8,
        0xC4AC_5665,
        0xF429_2244, 0x432A_FF97, 0xAB94_23A7, 0xFC93_A039, 0x655B_59C3, 0x8F0C_CC92, 0xFFEF_F47D,
        0x8584_5DD1,
        0x6FA8_7E4F, 0xFE2C_E6E0, 0xA301_4314, 0x4E08_11A1, 0xF753_7E82, 0xBD3A_F235, 0x2AD7_D2BB,
        0xEB86_D391,
    ]
}
