import FerryCore
import Testing

struct ChecksumParsingTests {
    private static let zeros = String(repeating: "0", count: 128)

    @Test(
        arguments: [
            ("sha256", .sha256), ("SHA-256", .sha256), ("sha-256", .sha256), ("Sha_256", .sha256),
            ("SHA2-256", .sha256), ("sha512", .sha512), ("SHA2-512", .sha512), ("SHA-384", .sha384),
            ("sha1", .sha1), ("SHA-1", .sha1), ("sha", .sha1), ("MD5", .md5), ("md-5", .md5),
            ("crc32c", .crc32c), ("CRC-32C", .crc32c), ("crc32", .crc32), ("CRC-32", .crc32),
            ("CRC64NVME", .crc64nvme), ("crc-64-nvme", .crc64nvme),
            ("crc64ecma", .crc64ecma), ("crc64", .crc64ecma), ("CRC-64", .crc64ecma), ("crc64xz", .crc64ecma),
        ] as [(String, Checksum.Algorithm)]
    )
    func namesAreReadAsTheFieldWritesThem(name: String, algorithm: Checksum.Algorithm) throws {
        let hex = String(Self.zeros.prefix(algorithm.length * 2))
        for separator in ["=", ":", " = "] {
            let checksum = try Checksum(parsing: name + separator + hex)
            #expect(checksum.algorithm == algorithm)
            #expect(checksum.hex == hex)
        }
    }

    @Test(arguments: [
        // Other polynomials and other functions under names that look alike.
        "crc", "crc32b", "crc64iso", "sha512256", "sha2512/256", "sha3256", "sha3-256", "sha224", "md4", "md",
        "", "-",
        "blake3", "\u{212A}",
    ])
    func otherAlgorithmsAreRefused(name: String) {
        #expect(throws: Checksum.ParseError.unknownAlgorithm) {
            try Checksum(parsing: "\(name)=\(Self.zeros.prefix(64))")
        }
    }

    @Test(arguments: Checksum.Algorithm.allCases)
    func aDigestHasExactlyItsDigits(algorithm: Checksum.Algorithm) throws {
        let count = algorithm.length * 2
        let digits = String("0123456789abcdefABCDEF".prefix(count)) + Self.zeros.prefix(max(0, count - 22))
        let checksum = try Checksum(parsing: "\(algorithm.shortName)=\(digits)")
        #expect(checksum.hex == digits.lowercased())
        let wrong = [
            "", String(digits.dropLast()), digits + "0", digits.dropLast() + "g", "0x" + digits.dropFirst(2),
        ]
        for text in wrong where !(algorithm == .crc64ecma && text.count == 17 && !text.contains("a")) {
            #expect(throws: Checksum.ParseError.wrongDigest(algorithm), "\(text)") {
                try Checksum(parsing: "\(algorithm.rawValue)=\(text)")
            }
        }
    }

    @Test func aCheckOfAlibabaMayBeDecimalWhereNobodyCanTakeItForHexadecimal() throws {
        let read = { (digits: String) in try Checksum(parsing: "crc64ecma=\(digits)").hex }
        #expect(try read("11051210869376104954") == "995dc9bbdf1939fa")
        #expect(try read("18446744073709551615") == "ffffffffffffffff")
        #expect(try read("00000000000000000001") == "0000000000000001")
        #expect(try read("1234567890123456") == "1234567890123456", "16 digits are hexadecimal")
        for digits in [
            "18446744073709551616", "123456789012345", "000000000000000000001", "1105121086937610495a",
        ] {
            #expect(throws: Checksum.ParseError.wrongDigest(.crc64ecma), "\(digits)") { try read(digits) }
        }
        #expect(throws: Checksum.ParseError.wrongDigest(.crc64nvme)) {
            try Checksum(parsing: "crc64nvme=11051210869376104954")
        }
    }

    @Test func aMessageNamesWhatIsAccepted() {
        for error in [Checksum.ParseError.noAlgorithm, .unknownAlgorithm] {
            for algorithm in Checksum.Algorithm.allCases {
                #expect(error.description.contains(algorithm.shortName))
            }
        }
        #expect(Checksum.ParseError.wrongDigest(.md5).description.contains("32"))
        #expect(throws: Checksum.ParseError.noAlgorithm) { try Checksum(parsing: "\(Self.zeros.prefix(64))") }
    }

    @Test func theStrongestComesFirst() {
        let lengths = Checksum.Algorithm.allCases.map(\.length)
        #expect(lengths == lengths.sorted(by: >))
    }
}
