import FerryCore
import FerryTesting
import Testing

@testable import FerrySealed

/// Whole files: those that this module seals, those that age 1.1.1 made, and those in ASCII armor.
struct SealedFileTests {
    private static let text = "Sealed by age 1.1.1.\n"
    private static let identity = "AGE-SECRET-KEY-1R8VG7N0AD093HR2TKQSVS27FHZYK7P3Q5KQVTQ8W8MKF57PJ46FSKPDJXE"

    private func bytes(_ base64: String) throws -> [UInt8] {
        try #require(Base64.decoded(Array(base64.utf8)))
    }

    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 200_000])
    func whatIsSealedIsOpenedByEachRecipientAlone(length: Int) throws {
        let text = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ $0 >> 8) }
        var random = SeededRandom(seed: 7)
        let identities = try (0..<3).map { _ in try #require(X25519Identity(random.bytes(32))) }
        let recipients = try #require(Recipients.keys(identities.dropLast().map(\.recipient)))
        let preamble = try SealedPreamble(sealingTo: recipients, using: &random)
        var sealer = StreamSealer(preamble.key)
        let file = try preamble.bytes + sealer.take(text) + sealer.finish()
        for identity in identities.dropLast() {
            #expect(try SealedExample.open(file, with: [.key(identity)]) == text)
        }
        #expect(throws: SealedProblem.wrongKey(.identity)) {
            try SealedExample.open(file, with: [.key(identities[2])])
        }
    }

    @Test func eachFileHasKeysOfItsOwn() throws {
        var random = SystemRandomNumberGenerator()
        let recipients = try #require(Recipients.keys([SealedExample.identity().recipient]))
        let files = try (0..<20).map { _ in try SealedPreamble(sealingTo: recipients, using: &random) }
        #expect(Set(files.map(\.key.bytes)).count == 20)
        #expect(Set(files.map { Array($0.bytes.suffix(16)) }).count == 20)
        #expect(Set(files.map { Array($0.bytes.prefix(70)) }).count == 20)
    }

    @Test func aFileOfAgeIsOpened() throws {
        let file = try bytes(
            """
            YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSA1VjM2bis4eHo2Q0cxV3MvRi8yRGQrYTJlSlZMb3lreHhlL0k1SUhDNTFRCkRsdVky\
            K1lBMkVpU0ZLcWZaN2tIb0UrZkwzVk5NcWhsWURtaFcwVGYyd0EKLS0tIGpDMzk2RVJRSGwxVzcrMnVCYVBabTZJY2lGQkk5UDkvWlZ6ZTRS\
            OHdvZ2sKfeU5jM6wTWbFnHVvtQN2lx4VI65J6OXv6Sx+zVM3wswa/2kmnY87vUUMve1X9mr5ceiASFw=
            """
        )
        let identity = try X25519Identity(parsing: Self.identity)
        #expect(try SealedExample.open(file, with: [.key(identity)]) == Array(Self.text.utf8))
        #expect(throws: SealedProblem.wrongKey(.identity)) { try SealedExample.open(file) }
    }

    @Test func aFileOfAgeWithAPassphraseIsOpened() throws {
        let file = try bytes(
            """
            YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNjcnlwdCBCMlBWaDZ0bC8vRm5XWXUwZ1ZPNjNnIDE4CitZY3RFSmgzR3gzemtZMkZVdGwrcmtJ\
            Tlo4QUdVRkZ1d01lc1pjeitlcUUKLS0tIHhIa2J1eDNOZExiNlkweGRzYVhqYTRjWXVpc0grbjJrNjRUb2xrTHdLVmsKo/9E5jamz+fNUH8F\
            aH2PB8R/j70AdqOuFLTwmrq20b+WqIp06TczEA/1hWFb5OpPfmaEPtI=
            """
        )
        let passphrase = try #require(Passphrase("correct horse"))
        #expect(try SealedExample.open(file, with: [.passphrase(passphrase)]) == Array(Self.text.utf8))
    }

    private static let armored = """
        -----BEGIN AGE ENCRYPTED FILE-----
        YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBSSi9Hc05nVDFGQzdzaUhw
        bXlscHZyTVpVdmpwNkE3N014K2VoMXk1c1dnCm1vdGZ5Z0c0OU55OURxMzFWSkhK
        L2x6MWpQeUlhT3hNRGtZZC80cjY0QTAKLS0tIENhQTFRZmRwVmpib3lvRlBLa05K
        OHFhNUduR2oyNFlWTFpjMUVzM0h0eWMKHZEe3bTLgmHAHdAmNMrtEheLPXHlcSIF
        LYIGRNPLGXfDce9aGn9B6fpk0yjJjqOT+hmPR1s=
        -----END AGE ENCRYPTED FILE-----

        """

    private func unarmored(_ text: String, pieces: Int) throws -> [UInt8] {
        var reader = ArmorReader()
        var (rest, bytes): (ArraySlice<UInt8>, [UInt8]) = (Array(text.utf8)[...], [])
        while !rest.isEmpty {
            bytes += try reader.take(rest.prefix(pieces))
            rest = rest.dropFirst(pieces)
        }
        return try bytes + reader.finish()
    }

    @Test(arguments: [1, 7, 65, 10_000]) func anArmoredFileIsOpened(pieces: Int) throws {
        let identities: [Identity] = [.key(try X25519Identity(parsing: Self.identity))]
        // armor_crlf, armor_no_eol, armor_whitespace_begin, armor_whitespace_end
        let forms = [
            Self.armored, Self.armored.replacing("\n", with: "\r\n"), String(Self.armored.dropLast()),
            "\n \t\r\n" + Self.armored, "  " + Self.armored, Self.armored + "\n \n\t",
        ]
        for form in forms {
            #expect(ArmorReader.isArmored(Array(form.utf8)))
            let file = try unarmored(form, pieces: pieces)
            #expect(try SealedExample.open(file, with: identities) == Array(Self.text.utf8))
        }
        #expect(!ArmorReader.isArmored(Array("age-encryption.org/v1\n".utf8)))
    }

    /// The cases of the published vectors of age (armor_…).
    @Test(arguments: [
        (armored.replacing("-----END AGE ENCRYPTED FILE-----\n", with: ""), ArmorFault.ends),
        (String(armored.prefix(200)), .base64(line: 4)), (armored + "x\n", .trailing(line: 8)),
        (armored + armored, .trailing(line: 8)),
        (armored.replacing("YWdlLWVu", with: "YWdlLWVu\n"), .length(line: 3)),
        (armored.replacing("\nbXls", with: "bXls"), .length(line: 2)),
        (armored.replacing("R1s=\n", with: "R1s=\n\n"), .length(line: 7)),
        (armored.replacing("R1s=", with: "R1s"), .base64(line: 6)),
        (armored.replacing("R1s=", with: "R1t="), .base64(line: 6)),
        (armored.replacing("R1s=", with: "R1s= "), .base64(line: 6)),
        (armored.replacing("YWdlLW", with: " YWdlLW"), .length(line: 2)),
        (armored.replacing("YWdlLW", with: "YWd*LW"), .base64(line: 2)),
        (armored.replacing("-----\nYW", with: "-----\nProc-Type: 4\n\nYW"), .base64(line: 2)),
        (armored.replacing("-----\nYW", with: "-----\n\nYW"), .length(line: 2)),
        (armored.replacing("-----END AGE", with: "=njUN\n-----END AGE"), .length(line: 7)),
        (armored.replacing("-----END AGE", with: "-----end age"), .length(line: 7)),
        // armor_eol_between_padding, armor_whitespace_line_start
        (armored.replacing("R1s=\n", with: "R1s\n=\n"), .base64(line: 6)),
        (armored.replacing("\nL2x6", with: "\n L2x6"), .length(line: 4)),
    ])
    func anotherArmorIsRefused(_ text: String, _ fault: ArmorFault) {
        #expect(throws: SealedProblem.armor(fault)) { try unarmored(text, pieces: 50) }
    }

    /// armor_full_last_line
    @Test func aLastLineMayBeFull() throws {
        let bytes = (0..<96).map { UInt8($0) }
        let text = Array(ReferenceBase64.encoded(bytes))
        #expect(text.count == 128)
        let lines = [String(text[..<64]), String(text[64...])].joined(separator: "\n")
        let armor = "-----BEGIN AGE ENCRYPTED FILE-----\n\(lines)\n-----END AGE ENCRYPTED FILE-----\n"
        #expect(try unarmored(armor, pieces: 50) == bytes)
    }

    @Test func anotherLabelIsNoArmor() {
        let other = Self.armored.replacing("AGE ENCRYPTED", with: "AGE SEALED")
        #expect(!ArmorReader.isArmored(Array(other.utf8)))
        #expect(throws: SealedProblem.notSealed) { try unarmored(other, pieces: 50) }
        #expect(throws: SealedProblem.armor(.leading)) {
            try unarmored(String(repeating: " ", count: 2_000), pieces: 50)
        }
    }
}
