import FerryTesting
import Testing

@testable import FerrySealed

/// A passphrase is always alone, and cannot ask for any amount of memory.
struct PassphraseTests {
    private static let horse = Passphrase("horse")
    private static let salt = "rF0/NwblUHHTpgQgRpe5CQ"
    private static let body = String(repeating: "A", count: 43)

    private func stanza(_ passphrase: Passphrase, work: Int) throws -> String {
        var random = SeededRandom(seed: 3)
        let key = try #require(FileKey(SealedExample.fileKey))
        return String(
            decoding: Stanza(wrapping: key, with: passphrase, work: work, using: &random).encoded,
            as: UTF8.self
        )
    }

    private func fileKey(_ stanzas: [String], _ text: String = "horse") throws -> [UInt8] {
        let header = try SealedHeader(reading: SealedExample.header(stanzas))
        let passphrase = try #require(Passphrase(text))
        return try header.fileKey(with: [.passphrase(passphrase)], mostWork: 10).bytes
    }

    @Test func onlyThePassphraseOpens() throws {
        let stanza = try stanza(try #require(Self.horse), work: 10)
        #expect(try fileKey([stanza]) == SealedExample.fileKey)
        #expect(throws: SealedProblem.wrongKey(.passphrase)) { try fileKey([stanza], "Horse") }
        let words = "\(SealedProblem.wrongKey(.passphrase))"
        #expect(words == "It is sealed with a passphrase, and no given one opens it.")
        let header = try SealedHeader(reading: SealedExample.header([stanza]))
        #expect(header.isSealedWithPassphrase)
        #expect(throws: SealedProblem.wrongKey(.passphrase)) {
            try header.fileKey(with: [.key(SealedExample.identity())], mostWork: 10)
        }
    }

    /// scrypt_bad_tag, scrypt_uppercase
    @Test func aChangedStanzaIsNotOpened() throws {
        let stanza = try stanza(try #require(Self.horse), work: 2)
        let lines = stanza.split(separator: "\n")
        let body = (lines[1].first == "A" ? "B" : "A") + lines[1].dropFirst()
        #expect(throws: SealedProblem.wrongKey(.passphrase)) { try fileKey(["\(lines[0])\n\(body)\n"]) }
        let upper = stanza.replacing("-> scrypt", with: "-> SCRYPT")
        #expect(throws: SealedProblem.wrongKey(.otherKind("SCRYPT"))) { try fileKey([upper]) }
    }

    /// scrypt_and_x25519, scrypt_double
    @Test func aPassphraseBesideAnotherRecipientIsRefused() throws {
        let stanza = try stanza(try #require(Self.horse), work: 2)
        for others in [[stanza], [try SealedExample.keyStanza()], ["-> a\n\n"]] {
            #expect(throws: SealedProblem.header(.mixedPassphrase)) { try fileKey([stanza] + others) }
            #expect(throws: SealedProblem.header(.mixedPassphrase)) { try fileKey(others + [stanza]) }
        }
    }

    @Test(arguments: [
        // scrypt_work_factor_…: hex, leading plus and zero, negative, trailing garbage, missing, zero
        "-> scrypt \(salt) 0xA", "-> scrypt \(salt) +2", "-> scrypt \(salt) 02", "-> scrypt \(salt) -2",
        "-> scrypt \(salt) 2a", "-> scrypt \(salt)", "-> scrypt \(salt) 0",
        // scrypt_extra_argument, scrypt_salt_missing, …_short, …_long, scrypt_not_canonical_salt
        "-> scrypt \(salt) 2 3", "-> scrypt 2", "-> scrypt AAAA 2", "-> scrypt \(salt)AA 2",
        "-> scrypt \(salt.dropLast())R 2",
    ])
    func aStanzaOfAnotherFormIsRefused(_ line: String) {
        #expect(throws: SealedProblem.header(.passphraseStanza)) { try fileKey(["\(line)\n\(Self.body)\n"]) }
    }

    /// scrypt_long_file_key
    @Test func aBodyOfAnotherLengthIsRefused() {
        #expect(throws: SealedProblem.header(.passphraseStanza)) {
            try fileKey(["-> scrypt \(Self.salt) 2\n\(Self.body)A\n"])
        }
    }

    /// scrypt_work_factor_23, scrypt_work_factor_overflow
    @Test func aLargerWorkFactorIsRefusedBeforeAnyWork() {
        for (text, work) in [("11", 11), ("23", 23), ("63", 63), ("99999999999999999999", Int.max)] {
            #expect(throws: SealedProblem.tooMuchWork(work, most: 10)) {
                try fileKey(["-> scrypt \(Self.salt) \(text)\n\(Self.body)\n"])
            }
        }
        #expect(Recipients.mostWork == 22)
    }
}
