import Testing

@testable import FerrySealed

/// A file key comes only from a stanza of the right form, and a header that was changed gives none.
struct UnwrappingTests {
    private func fileKey(_ stanzas: [String], code: String? = nil) throws -> [UInt8] {
        let header = try SealedHeader(reading: SealedExample.header(stanzas, code: code))
        let identities: [Identity] = [.key(try SealedExample.identity())]
        return try header.fileKey(with: identities, mostWork: 10).bytes
    }

    @Test func theIdentityUnwrapsItsStanzaAmongOthers() throws {
        let stanza = try SealedExample.keyStanza()
        #expect(try fileKey([stanza]) == SealedExample.fileKey)
        let other = try SealedExample.keyStanza(share: [UInt8](repeating: 9, count: 32))
        #expect(try fileKey(["-> grease a b\n\n", other, stanza]) == SealedExample.fileKey)
    }

    @Test func whatIsSealedToOthersIsNotOpened() throws {
        let other = try SealedExample.keyStanza(share: [UInt8](repeating: 9, count: 32))
        #expect(throws: SealedProblem.wrongKey(.identity)) { try fileKey([other]) }
        #expect(throws: SealedProblem.wrongKey(.otherKind("ssh-rsa"))) {
            try fileKey(["-> ssh-rsa abc\nAAAA\n"])
        }
        // A name that is no word is not shown.
        #expect(throws: SealedProblem.wrongKey(.otherKind("unknown"))) {
            try fileKey(["-> [2J;! abc\nAAAA\n"])
        }
        // x25519_lowercase: another kind.
        let lower = try SealedExample.keyStanza(kind: "x25519")
        #expect(throws: SealedProblem.wrongKey(.otherKind("x25519"))) { try fileKey([lower]) }
        let header = try SealedHeader(reading: SealedExample.header([try SealedExample.keyStanza()]))
        #expect(throws: SealedProblem.wrongKey(.identity)) { try header.fileKey(with: [], mostWork: 10) }
    }

    @Test func aStanzaOfAnotherFormIsRefused() throws {
        let invalid = [
            // x25519_extra_argument, x25519_short_share, x25519_long_share
            try SealedExample.keyStanza(more: " 1234"),
            try SealedExample.keyStanza(share: [UInt8](repeating: 9, count: 31)),
            try SealedExample.keyStanza(share: [UInt8](repeating: 9, count: 33)),
            // x25519_not_canonical_share
            try SealedExample.keyStanza(shareText: String(repeating: "A", count: 42) + "B"),
            // x25519_low_order and x25519_identity: the points 0 and 1
            try SealedExample.keyStanza(share: [UInt8](repeating: 0, count: 32)),
            try SealedExample.keyStanza(share: [1] + [UInt8](repeating: 0, count: 31)),
            // x25519_long_file_key
            try SealedExample.keyStanza(fileKey: SealedExample.fileKey + [0]),
            try SealedExample.keyStanza(fileKey: Array(SealedExample.fileKey.dropLast())),
            "-> X25519\n\n",
        ]
        for stanza in invalid {
            #expect(throws: SealedProblem.header(.keyStanza), "\(stanza)") { try fileKey([stanza]) }
        }
        // x25519_bad_tag
        let changed = try SealedExample.keyStanza { body in (body.first == "A" ? "B" : "A") + body.dropFirst()
        }
        #expect(throws: SealedProblem.wrongKey(.identity)) { try fileKey([changed]) }
    }

    @Test func aChangedHeaderGivesNoKey() throws {
        let stanza = try SealedExample.keyStanza()
        let code = " " + String(repeating: "A", count: 43)
        #expect(throws: SealedProblem.headerChanged) { try fileKey([stanza], code: code) }
        // A stanza that was added.
        let whole = String(decoding: SealedExample.header([stanza]), as: UTF8.self)
        let more = whole.replacing("\n---", with: "\n-> a\n\n---")
        let header = try SealedHeader(reading: Array(more.utf8))
        let identities: [Identity] = [.key(try SealedExample.identity())]
        #expect(throws: SealedProblem.headerChanged) { try header.fileKey(with: identities, mostWork: 10) }
    }

    @Test func aRecipientOfLowOrderIsRefused() throws {
        let low = X25519Recipient([UInt8](repeating: 0, count: 32))
        var random = SystemRandomNumberGenerator()
        #expect(throws: KeyProblem.lowOrder) { try SealedPreamble(sealingTo: .keys(low, []), using: &random) }
    }
}
