import FerryCore
import FerryTesting
import Testing

struct ChecksumFileTests {
    private static let a = String(repeating: "a", count: 64)
    private static let b = String(repeating: "B", count: 64)
    private static let md5 = String(repeating: "5", count: 32)

    @Test(
        arguments: [
            ("\(a)  x.iso", "x.iso"), ("\(a) *x.iso", "x.iso"), ("\(a) x.iso", "x.iso"),
            ("\(a)\tx.iso", "x.iso"),
            ("  \(a)  x.iso\r", "x.iso"), ("\(a)   x", " x"), ("\(a)  a  b", "a  b"), ("\(a)  *x", "*x"),
            ("\(a)  a\\nb", "a\\nb"), ("\\\(a)  a\\\\b\\nc\\rd", "a\\b\nc\rd"),
            ("SHA256 (x) = \(a)", "x"),
            ("SHA256(x)= \(a)", "x"), ("SHA2-256(x)= \(a)", "x"),
            ("sha256 (a (1) = b) = \(a)", "a (1) = b"),
            ("\\SHA256 (a\\nb) = \(a)", "a\nb"), ("SHA256 (a\\nb) = \(a)", "a\\nb"),
            ("\u{FEFF}\(a)  x", "x"),
            ("\(a)", nil), (" \(a) \r\n\r\n", nil), ("\(a)  -", nil), ("SHA256 (-) = \(a)", nil),
        ] as [(String, String?)]
    )
    func linesOfGNUAndBSDAreRead(text: String, name: String?) throws {
        let entries = try ChecksumFile(parsing: text).entries
        #expect(entries.map(\.name) == [name])
        #expect(entries.map(\.checksum.hex) == [Self.a])
    }

    @Test(arguments: [
        "", "\n", "# \(a)  x", "\(a)x", "\(a)a  x", "\(a.dropLast())  x", "x  \(a)", "\(a) *",
        "SHA256 () = \(a)",
        "SHA256 (x) = \(a)a", "SHA256 (x) \(a)", "SHA256 x = \(a)", "SHA512 (x) = \(a)",
        "BLAKE2b (x) = \(a)\(a)",
        "SHA512/256 (x) = \(a)", "\\\(a)  bad\\q", "\\\(a)  bad\\", "e3069283  x",
        "995dc9bbdf1939fa  x",
        ") (",
    ])
    func otherLinesAreSkipped(line: String) throws {
        #expect(throws: ChecksumFile.ParseError.noDigest) { try ChecksumFile(parsing: line) }
        let file = try ChecksumFile(parsing: "\(Self.b)  first\n\(line)\n\(Self.b)  last")
        #expect(file.entries.map(\.name) == ["first", "last"])
        #expect(file.entries.last?.line == (line == "\n" ? 4 : 3))
    }

    @Test func theAlgorithmFollowsFromTheNumberOfDigitsOrItsName() throws {
        let text = [128, 96, 64, 40, 32].map { String(repeating: "0", count: $0) + "  x" }.joined(
            separator: "\n"
        )
        let file = try ChecksumFile(
            parsing: text + "\nCRC32C (x) = 00000000\nCRC64 (x) = 0000000000000000"
        )
        #expect(
            file.entries.map(\.checksum.algorithm)
                == [.sha512, .sha384, .sha256, .sha1, .md5, .crc32c, .crc64ecma]
        )
    }

    @Test func theSamePathGoesBeforeTheSameLastComponent() throws {
        let file = try ChecksumFile(parsing: "\(Self.a)  x/f\n\(Self.b)  ./f\n\(Self.md5)  y/g\n")
        #expect(try file.checksum(of: "f").hex == Self.b.lowercased())
        #expect(try file.checksum(of: "./x/f").hex == Self.a)
        #expect(try file.checksum(of: "g").hex == Self.md5)
        #expect(try file.checksum(of: "elsewhere/g").hex == Self.md5)
        for name in ["h", "", "y", "G", "xf"] {
            #expect(throws: ChecksumFile.LookupError.notListed) { try file.checksum(of: name) }
        }
    }

    @Test func aNameWithTwoDigestsHasNone() throws {
        let file = try ChecksumFile(
            parsing: "\(Self.a)  x/f\n\n\(Self.b)  y/f\n\(Self.a)  x/g\n\(Self.a)  y/g\n"
        )
        #expect(throws: ChecksumFile.LookupError.ambiguous(lines: 1, 3)) { try file.checksum(of: "f") }
        #expect(try file.checksum(of: "y/f").hex == Self.b.lowercased())
        #expect(try file.checksum(of: "g").hex == Self.a, "two that agree are one")
    }

    @Test func theStrongestOfSeveralAlgorithmsCounts() throws {
        let file = try ChecksumFile(
            parsing: "\(Self.md5)  f\nSHA256 (f) = \(Self.a)\nCRC32C (f) = 00000000"
        )
        #expect(try file.checksum(of: "f").algorithm == .sha256)
        let torn = try ChecksumFile(parsing: "\(Self.md5)  f\n\(Self.a)  f\n\(Self.b)  f")
        #expect(throws: ChecksumFile.LookupError.ambiguous(lines: 2, 3)) { try torn.checksum(of: "f") }
    }

    @Test func aNameOfUnknownAlgorithmsOnlyIsToldApart() throws {
        let file = try ChecksumFile(
            parsing:
                "BLAKE2b (d/x) = \(Self.a)\nSHA256 (y) = \(Self.a)\n# note (z) = 00\nSHA3-256(y)= \(Self.a)"
        )
        #expect(file.unknown == ["d/x", "y"])
        #expect(throws: ChecksumFile.LookupError.unknownAlgorithm) { try file.checksum(of: "x") }
        #expect(throws: ChecksumFile.LookupError.notListed) { try file.checksum(of: "z") }
        #expect(try file.checksum(of: "y").hex == Self.a)
    }

    @Test func aDigestAloneIsOfAnyFileUnlessFilesAreNamed() throws {
        #expect(try ChecksumFile(parsing: Self.a).checksum(of: "any").hex == Self.a)
        #expect(throws: ChecksumFile.LookupError.ambiguous(lines: 1, 2)) {
            try ChecksumFile(parsing: "\(Self.a)\n\(Self.b)").checksum(of: "any")
        }
        #expect(throws: ChecksumFile.LookupError.notListed) {
            try ChecksumFile(parsing: "\(Self.a)\n\(Self.b)  f").checksum(of: "any")
        }
    }

    @Test func namesAreComparedOctetByOctet() throws {
        let file = try ChecksumFile(parsing: "\(Self.a)  e\u{301}\n\(Self.b)  \u{E9}")
        #expect(try file.checksum(of: "\u{E9}").hex == Self.b.lowercased())
        #expect(try file.checksum(of: "e\u{301}").hex == Self.a)
    }

    @Test func aTextWithoutEndIsRefused() {
        let text = String(repeating: "\(Self.a)  x\n", count: ChecksumFile.longest / 68 + 1)
        #expect(throws: ChecksumFile.ParseError.tooLong) { try ChecksumFile(parsing: text) }
    }
}
