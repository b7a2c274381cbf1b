import Testing

@testable import FerrySealed

/// Keys are read as age writes them, and nothing shows a secret one.
struct SealedKeyTests {
    @Test func theIdentityOfTheSpecificationHasItsRecipient() throws {
        let identity = try SealedExample.identity()
        #expect(identity.recipient.description == SealedExample.recipientText)
        #expect(try X25519Recipient(parsing: SealedExample.recipientText) == identity.recipient)
    }

    @Test(arguments: [
        ("", KeyProblem.invalid), ("age1", .invalid), ("age1qqqq", .invalid),
        (SealedExample.recipientText.uppercased(), .invalid),
        (SealedExample.recipientText.dropLast() + "q", .invalid),
        (SealedExample.recipientText + " ", .invalid),
        (SealedExample.recipientText.replacing("n73", with: "N73"), .invalid),
        (SealedExample.identityText, .secret), (SealedExample.identityText.lowercased(), .secret),
        ("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA==", .unsupported), ("age1pq1xyz", .unsupported),
        (Bech32.encoded([1, 2, 3], prefix: "age1yubikey"), .unsupported),
        (Bech32.encoded([UInt8](repeating: 9, count: 31), prefix: "age"), .invalid),
        (Bech32.encoded([UInt8](repeating: 9, count: 33), prefix: "age"), .invalid),
        ("age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73équnujwj", .invalid),
    ])
    func aTextThatIsNoRecipientIsRefused(_ text: String, _ problem: KeyProblem) {
        #expect(throws: problem) { try X25519Recipient(parsing: text) }
    }

    @Test(arguments: [
        ("", KeyProblem.invalid), (SealedExample.identityText.lowercased(), .invalid),
        (SealedExample.recipientText, .notSecret), ("AGE-PLUGIN-YUBIKEY-1QQ", .unsupported),
        ("AGE-SECRET-KEY-PQ-1QQ", .unsupported),
        (SealedExample.identityText.replacing("GFPYY", with: "GFPYX", maxReplacements: 1), .invalid),
        (
            Bech32.encoded([UInt8](repeating: 9, count: 31), prefix: X25519Identity.prefix).uppercased(),
            .invalid
        ),
    ])
    func aTextThatIsNoIdentityIsRefused(_ text: String, _ problem: KeyProblem) {
        #expect(throws: problem) { try X25519Identity(parsing: text) }
    }

    @Test func everyLengthIsWrittenAndReadInBech32() throws {
        for count in 0..<70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) }
            let text = Bech32.encoded(bytes, prefix: "x1y")
            let read = try #require(Bech32.decoded(text))
            #expect(read.prefix == "x1y" && read.bytes == bytes)
            // One wrong letter is always noticed.
            let place = text.utf8.count - 1 - count % 6
            var letters = Array(text.utf8)
            letters[place] = letters[place] == 0x71 ? 0x70 : 0x71
            #expect(Bech32.decoded(String(decoding: letters, as: UTF8.self)) == nil)
        }
    }

    @Test func aFileOfKeysHasCommentsAndEmptyLines() throws {
        let file = """
            # created: 2026-11-26T17:30:00Z
            # public key: \(SealedExample.recipientText)

            \(SealedExample.identityText)\r

            """
        let identities = try KeyFile.identities(Array(file.utf8))
        #expect(identities.map(\.recipient.description) == [SealedExample.recipientText])
        #expect(try KeyFile.recipients(Array("#\n\(SealedExample.recipientText)".utf8)).count == 1)
    }

    @Test(arguments: [
        ("", KeyFile.Fault(problem: .none)), ("# nothing\n\n", KeyFile.Fault(problem: .none)),
        ("#\n\(SealedExample.recipientText)\n", KeyFile.Fault(line: 2, problem: .notSecret)),
        ("\(SealedExample.identityText) # mine\n", KeyFile.Fault(line: 1, problem: .invalid)),
        ("age-encryption.org/v1\n-> scrypt", KeyFile.Fault(problem: .sealed)),
        ("-----BEGIN AGE ENCRYPTED FILE-----\n", KeyFile.Fault(problem: .sealed)),
    ])
    func aFileWithoutIdentitiesIsRefusedWithItsLine(_ text: String, _ fault: KeyFile.Fault) {
        #expect(throws: fault) { try KeyFile.identities(Array(text.utf8)) }
    }

    @Test func nothingShowsASecret() throws {
        let identity = try SealedExample.identity()
        let shown = [
            "\(identity)", "\(Identity.key(identity))", "\(try #require(Passphrase("horse")))",
            "\(Identity.passphrase(try #require(Passphrase("horse"))))",
            "\(try #require(PayloadKey([UInt8](repeating: 0x41, count: 32))))",
            "\(KeyFile.Fault(line: 1, problem: .secret))",
        ]
        for text in shown {
            #expect(
                !text.contains("AGE-SECRET-KEY-1G") && !text.contains("horse") && !text.contains("65, 65")
            )
        }
    }

    @Test func anEmptyPassphraseIsNone() {
        #expect(Passphrase("") == nil)
        #expect(Passphrase("a")?.isSame(as: "a") == true)
        #expect(Passphrase("a")?.isSame(as: "b") == false)
    }

    @Test func aRecipientThatIsGivenTwiceIsOne() throws {
        let recipient = try SealedExample.identity().recipient
        guard case .keys(let first, let others) = Recipients.keys([recipient, recipient]) else {
            Issue.record("there is a recipient")
            return
        }
        #expect(first == recipient && others.isEmpty)
        #expect(Recipients.keys([]) == nil)
    }
}
