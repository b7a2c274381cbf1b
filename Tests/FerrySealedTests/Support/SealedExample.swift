import Crypto
import Testing

@testable import FerrySealed

/// A sealed file that is put together by hand, from the specification and not by the code under test, so that each part of
/// it can be wrong.
struct SealedExample {
    static let fileKey = Array("YELLOW SUBMARINE".utf8)
    static let nonce = [UInt8](0..<16)
    /// The identity of the specification.
    static let identityText = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX"
    static let recipientText = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"

    static func identity() throws -> X25519Identity { try X25519Identity(parsing: identityText) }

    static func derived(_ purpose: String, salt: [UInt8]) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: fileKey),
            salt: salt,
            info: Array(purpose.utf8),
            outputByteCount: 32
        )
    }

    static func base64(_ bytes: some Sequence<UInt8>) -> String {
        String(ReferenceBase64.encoded(Array(bytes)).prefix { $0 != "=" })
    }

    /// A header with these stanzas, each with its lines and their ends, and the right code unless another one is given.
    static func header(_ stanzas: [String], version: String = "v1", code: String? = nil) -> [UInt8] {
        let text = "age-encryption.org/\(version)\n" + stanzas.joined() + "---"
        let right = HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: derived("header", salt: []))
        return Array((text + (code ?? " " + base64(right)) + "\n").utf8)
    }

    /// The stanza of the identity. Its parts can be others than the right ones.
    static func keyStanza(
        kind: String = "X25519",
        share: [UInt8]? = nil,
        shareText: String? = nil,
        more: String = "",
        fileKey: [UInt8] = fileKey,
        bodyText: ((String) -> String)? = nil
    ) throws -> String {
        let ephemeral = try Curve25519.KeyAgreement.PrivateKey(
            rawRepresentation: [UInt8](repeating: 7, count: 32)
        )
        let recipient = try identity().key.publicKey
        let point = Array(ephemeral.publicKey.rawRepresentation)
        let wrapKey = try ephemeral.sharedSecretFromKeyAgreement(with: recipient).hkdfDerivedSymmetricKey(
            using: SHA256.self,
            salt: point + Array(recipient.rawRepresentation),
            sharedInfo: Array("age-encryption.org/v1/X25519".utf8),
            outputByteCount: 32
        )
        let body = base64(try seal(fileKey, wrapKey, [UInt8](repeating: 0, count: 12)))
        let argument = shareText ?? base64(share ?? point)
        return "-> \(kind) \(argument)\(more)\n\(bodyText?(body) ?? body)\n"
    }

    static func seal(_ text: [UInt8], _ key: SymmetricKey, _ nonce: [UInt8]) throws -> [UInt8] {
        let box = try ChaChaPoly.seal(text, using: key, nonce: ChaChaPoly.Nonce(data: nonce))
        return Array(box.ciphertext) + Array(box.tag)
    }

    /// A sealed chunk.
    static func chunk(
        _ text: [UInt8],
        _ number: UInt8,
        isLast: Bool,
        nonce: [UInt8] = nonce
    ) throws -> [UInt8] {
        let place = [UInt8](repeating: 0, count: 10) + [number, isLast ? 1 : 0]
        return try seal(text, derived("payload", salt: nonce), place)
    }

    /// Bytes of a whole chunk, which differ from chunk to chunk.
    static func whole(_ number: UInt8) -> [UInt8] {
        (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8 &+ Int(number)) }
    }

    /// Opens a whole file as the tool does for a pipe, in pieces of this length.
    static func open(
        _ file: [UInt8],
        with identities: [Identity]? = nil,
        pieces: Int = 10_000
    ) throws -> [UInt8] {
        let header = try SealedHeader(reading: file)
        let rest = file.dropFirst(header.length)
        let nonce = Array(rest.prefix(SealedPreamble.nonceLength))
        let keys = try identities ?? [.key(identity())]
        let key = try SealedPreamble(opening: header, nonce: nonce, with: keys).key
        var opener = StreamOpener(key)
        var payload = Array(rest.dropFirst(nonce.count))[...]
        var text: [UInt8] = []
        while !payload.isEmpty {
            text += try opener.take(payload.prefix(pieces))
            payload = payload.dropFirst(pieces)
        }
        return try text + opener.finish()
    }
}

/// Base64 by arithmetic on bits, apart from the code under test.
enum ReferenceBase64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")

    static func encoded(_ bytes: [UInt8]) -> String {
        let bits = bytes.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
        let digits = stride(from: 0, to: bits.count, by: 6).map { start in
            (0..<6).reduce(0) { $0 << 1 | (start + $1 < bits.count ? Int(bits[start + $1]) : 0) }
        }
        let text = String(digits.map { alphabet[$0] })
        return text + String(repeating: "=", count: (4 - text.count % 4) % 4)
    }
}
