internal import Crypto

/// The key under which keys of unfinished files are stored. It never seals anything else.
package struct WrappingKey: Sendable {
    fileprivate let key: SymmetricKey

    /// The length of the key in bytes.
    package static let length = 32
    fileprivate static let nonceLength = 12

    /// Takes a key; `nil` for another number of bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        key = SymmetricKey(data: bytes)
    }
}

extension PayloadKey {
    /// The key as it may be stored: ChaCha20-Poly1305 with a random nonce, which comes first.
    package func wrapped(
        by wrapping: WrappingKey,
        using random: inout some RandomNumberGenerator
    ) -> [UInt8] {
        let nonce = random.bytes(WrappingKey.nonceLength)
        return nonce + AuthenticatedCipher.seal(bytes, wrapping.key, nonce)
    }

    /// Takes a key that was stored; `nil` if it was wrapped by another key, or changed.
    package init?(_ wrapped: [UInt8], wrappedBy wrapping: WrappingKey) {
        let nonce = Array(wrapped.prefix(WrappingKey.nonceLength))
        guard nonce.count == WrappingKey.nonceLength,
            let bytes = AuthenticatedCipher.open(wrapped.dropFirst(nonce.count), wrapping.key, nonce)
        else { return nil }
        self.init(bytes)
    }
}
