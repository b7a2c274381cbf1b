import Testing

@testable import FerrySealed

/// Headers are read strictly. The cases are those of the published vectors of age (C2SP/CCTV), which are named beside them;
/// the bytes were put together here from the specification.
struct SealedHeaderTests {
    /// A header and what it is refused with.
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var header: [UInt8]
        var problem: SealedProblem
        var testDescription: String { name }

        init(_ name: String, _ header: [UInt8], _ problem: SealedProblem) {
            (self.name, self.header, self.problem) = (name, header, problem)
        }

        init(_ name: String, _ stanzas: [String], _ fault: HeaderFault) {
            self.init(name, SealedExample.header(stanzas), .header(fault))
        }

        init(code: String, _ name: String) {
            let header = SealedExample.header(["-> a\n\n"], code: code)
            self.init(name, header, .header(.authenticationCode(line: 4)))
        }
    }

    static let column64 = String(repeating: "A", count: 64)
    private static let code = String(repeating: "A", count: 43)

    static let cases: [Case] = [
        Case("empty", [], .notSealed),
        Case("another file", Array("PK\u{3}\u{4}".utf8), .notSealed),
        Case("cut in the first line", Array("age-encr".utf8), .header(.ends)),
        Case("cut in a stanza", Array("age-encryption.org/v1\n-> X25519 ".utf8), .header(.ends)),
        Case("version_unsupported", SealedExample.header(["-> a\n\n"], version: "v1234"), .unknownVersion),
        Case("header_crlf", SealedExample.header(["-> a\r\n\r\n"], version: "v1\r"), .unknownVersion),
        Case("stanza_bad_start", ["-> a\n\n", "->X25519 a\n\n"], .unknownLine(4)),
        Case("stanza_no_arguments", ["-> \n\n"], .arguments(line: 2)),
        Case("stanza_no_arguments, no space", ["->\n\n"], .unknownLine(2)),
        Case("stanza_empty_argument", ["-> a  b\n\n"], .arguments(line: 2)),
        Case("a space at the end", ["-> a \n\n"], .arguments(line: 2)),
        Case("stanza_invalid_character", ["-> a é\n\n"], .arguments(line: 2)),
        Case("a tab", ["-> a\tb\n\n"], .arguments(line: 2)),
        Case("stanza_spurious_cr", ["-> a\r\n\n"], .arguments(line: 2)),
        Case("stanza_missing_body", ["-> a\n"], .body(line: 3)),
        Case("stanza_missing_final_line", ["-> a\n\(column64)\n", "-> b\n\n"], .body(line: 4)),
        Case("stanza_long_line", ["-> a\n\(column64)AAAA\n\n"], .body(line: 3)),
        Case("stanza_multiple_short_lines", ["-> a\nAAAA\nAAAA\n"], .unknownLine(4)),
        Case("stanza_base64_padding", ["-> a\nAA==\n"], .body(line: 3)),
        Case("stanza_not_canonical", ["-> a\nAB\n"], .body(line: 3)),
        Case("x25519_not_canonical_body", ["-> X25519 a\n\(code.dropLast())B\n"], .body(line: 3)),
        Case("scrypt_not_canonical_body", ["-> scrypt a 2\n\(code.dropLast())B\n"], .body(line: 3)),
        Case("another alphabet", ["-> a\nAA-_\n"], .body(line: 3)),
        Case("no stanza", [], .noStanza),
        Case(code: "", "hmac_missing"),
        Case(code: " AAAA", "hmac_truncated"),
        Case(code: code, "hmac_no_space"),
        Case(code: "  " + code, "hmac_extra_space"),
        Case(code: " " + code + " ", "hmac_trailing_space"),
        Case(code: " " + code.dropLast() + "B", "hmac_not_canonical"),
        Case(code: " " + code + "=", "hmac with padding"),
        Case(code: " " + code + "A", "hmac_garbage"),
    ]

    @Test(arguments: cases) func anInvalidHeaderIsRefused(_ example: Case) {
        #expect(throws: example.problem) { try SealedHeader(reading: example.header) }
    }

    @Test(arguments: [
        ["-> a\n\n"], ["-> a\n\(column64)\n\n"], ["-> a\n\(column64)\nAAAA\n"],
        ["-> !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ ~\n\n"], ["-> a b c d\nAA\n", "-> --- ->\n\n", "-> a\n\n"],
    ])
    func aValidHeaderIsReadAndWrittenAsTheSame(_ stanzas: [String]) throws {
        let bytes = SealedExample.header(stanzas)
        let header = try SealedHeader(reading: bytes + [0x2D, 0x0A])
        #expect(header.length == bytes.count)
        #expect(header.encoded == bytes)
        #expect(header.stanzas.flatMap(\.encoded) == Array(stanzas.joined().utf8))
    }

    @Test func aHeaderWithoutEndIsNotReadForEver() {
        let endless =
            Array("age-encryption.org/v1\n".utf8)
            + [UInt8](repeating: 0x61, count: SealedHeader.longest)
        #expect(throws: SealedProblem.header(.tooLong)) { try SealedHeader(reading: endless) }
    }

    @Test func everyBeginningOfAHeaderEnds() throws {
        let bytes = SealedExample.header([try SealedExample.keyStanza()])
        for count in 1..<bytes.count {
            #expect(throws: SealedProblem.header(.ends)) {
                try SealedHeader(reading: Array(bytes.prefix(count)))
            }
        }
    }
}
