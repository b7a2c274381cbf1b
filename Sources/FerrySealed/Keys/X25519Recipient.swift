internal import Crypto

/// A public key, whose owner can open what is sealed for it: `age1…` (age, "The X25519 recipient type").
package struct X25519Recipient: Hashable, Sendable {
    /// The 32 bytes of the key.
    let bytes: [UInt8]

    static let prefix = "age"

    /// Takes the 32 bytes of a key.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    init(_ key: Curve25519.KeyAgreement.PublicKey) {
        bytes = Array(key.rawRepresentation)
    }

    /// Reads a recipient, such as `age1…`.
    ///
    /// - Throws: ``KeyProblem``, without the text.
    package init(parsing text: String) throws(KeyProblem) {
        guard let (prefix, bytes) = Bech32.decoded(text) else {
            throw text.hasPrefix("ssh-") || text.hasPrefix("age1pq1") ? .unsupported : .invalid
        }
        guard prefix == Self.prefix else {
            if prefix.uppercased() == X25519Identity.prefix { throw .secret }
            throw prefix.hasPrefix("age1") ? .unsupported : .invalid
        }
        guard bytes.count == 32 else { throw .invalid }
        self.bytes = bytes
    }

    /// The key for agreements; `nil` if the bytes are none.
    var key: Curve25519.KeyAgreement.PublicKey? {
        do {
            return try Curve25519.KeyAgreement.PublicKey(rawRepresentation: bytes)
        } catch {
            return nil
        }
    }
}

extension X25519Recipient: CustomStringConvertible {
    /// The recipient as ``init(parsing:)`` reads it. It is no secret.
    package var description: String { Bech32.encoded(bytes, prefix: Self.prefix) }
}
