internal import Crypto

/// The secret key that opens what was sealed to its recipient: `AGE-SECRET-KEY-1…`.
package struct X25519Identity: Sendable {
    let key: Curve25519.KeyAgreement.PrivateKey

    static let prefix = "AGE-SECRET-KEY-"

    /// Reads an identity. Only the form in uppercase is one.
    ///
    /// - Throws: ``KeyProblem``, without the text.
    package init(parsing text: String) throws(KeyProblem) {
        guard let (prefix, bytes) = Bech32.decoded(text) else {
            throw text.hasPrefix("AGE-SECRET-KEY-PQ-1") || text.hasPrefix("AGE-PLUGIN-")
                ? .unsupported : .invalid
        }
        guard prefix == Self.prefix else {
            if prefix == X25519Recipient.prefix { throw .notSecret }
            throw prefix.hasPrefix("AGE-") ? .unsupported : .invalid
        }
        guard let identity = X25519Identity(bytes) else { throw .invalid }
        self = identity
    }

    /// Makes a new identity.
    ///
    /// - Parameter random: a cryptographic generator.
    package init(using random: inout some RandomNumberGenerator) {
        guard let identity = X25519Identity(random.bytes(32)) else {
            preconditionFailure("Any 32 bytes are a key (RFC 7748 §5).")
        }
        self = identity
    }

    /// Creates an identity of the 32 bytes of its key; `nil` for another number of them.
    init?(_ bytes: [UInt8]) {
        do {
            key = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes)
        } catch {
            return nil
        }
    }

    /// The identity as ``init(parsing:)`` reads it. It is a secret (I7).
    package var secretText: String {
        Bech32.encoded(Array(key.rawRepresentation), prefix: Self.prefix).uppercased()
    }

    /// The public key of this identity.
    package var recipient: X25519Recipient { X25519Recipient(key.publicKey) }
}

extension X25519Identity: CustomStringConvertible {
    /// The recipient: the secret key is never shown (I7).
    package var description: String { "the identity of \(recipient)" }
}
