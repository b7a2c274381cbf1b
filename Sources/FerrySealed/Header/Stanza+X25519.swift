internal import Crypto

/// The X25519 recipient type.
extension Stanza {
    static let keyKind = "X25519"

    /// Wraps a file key for a recipient, with a new ephemeral key.
    ///
    /// - Throws: ``KeyProblem/lowOrder`` for a key whose shared secret everyone knows.
    init(
        wrapping key: FileKey,
        for recipient: X25519Recipient,
        using random: inout some RandomNumberGenerator
    ) throws(KeyProblem) {
        guard let ephemeral = X25519Identity(random.bytes(32)) else {
            preconditionFailure("any 32 bytes are a key")
        }
        let share = ephemeral.recipient
        guard let wrapKey = Self.wrapKey(ephemeral, with: recipient, share: share, of: recipient) else {
            throw .lowOrder
        }
        self.init(
            kind: Self.keyKind,
            arguments: [String(decoding: UnpaddedBase64.encoded(share.bytes), as: UTF8.self)],
            body: AuthenticatedCipher.seal(key.bytes, wrapKey, AuthenticatedCipher.onlyNonce)
        )
    }

    /// The file key, if it was wrapped for this identity; `nil` otherwise, and for another kind of stanza.
    ///
    /// - Throws: ``HeaderFault/keyStanza`` for a stanza of this kind that has another form.
    func fileKey(with identity: X25519Identity) throws(HeaderFault) -> FileKey? {
        guard kind == Self.keyKind else { return nil }
        // A longer body could be made to open with several keys.
        guard arguments.count == 1, let bytes = UnpaddedBase64.decoded(arguments[0].utf8), bytes.count == 32,
            body.count == FileKey.length + AuthenticatedCipher.tagLength
        else { throw .keyStanza }
        let share = X25519Recipient(bytes)
        guard let wrapKey = Self.wrapKey(identity, with: share, share: share, of: identity.recipient) else {
            throw .keyStanza
        }
        return AuthenticatedCipher.open(body, wrapKey, AuthenticatedCipher.onlyNonce).flatMap { FileKey($0) }
    }

    /// The key that the holders of two secrets agree on; `nil` for a point of low order.
    private static func wrapKey(
        _ secret: X25519Identity,
        with other: X25519Recipient,
        share: X25519Recipient,
        of recipient: X25519Recipient
    ) -> SymmetricKey? {
        guard let point = other.key else { return nil }
        do {
            let shared = try secret.key.sharedSecretFromKeyAgreement(with: point)
            guard shared.withUnsafeBytes({ $0.contains { $0 != 0 } }) else { return nil }
            return shared.hkdfDerivedSymmetricKey(
                using: SHA256.self,
                salt: share.bytes + recipient.bytes,
                sharedInfo: Array("age-encryption.org/v1/X25519".utf8),
                outputByteCount: 32
            )
        } catch {
            return nil
        }
    }
}
