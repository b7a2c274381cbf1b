internal import Crypto

/// ChaCha20-Poly1305 (RFC 8439) with a key and a nonce that are never used for two texts.
enum AuthenticatedCipher {
    /// The number of bytes by which a text grows.
    static let tagLength = 16
    /// The nonce of keys that seal one text only.
    static let onlyNonce = [UInt8](repeating: 0, count: 12)

    /// The text and its tag.
    ///
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - nonce: 12 bytes.
    static func seal(
        _ text: some RandomAccessCollection<UInt8>,
        _ key: SymmetricKey,
        _ nonce: [UInt8]
    ) -> [UInt8] {
        do {
            let box = try ChaChaPoly.seal(Array(text), using: key, nonce: try ChaChaPoly.Nonce(data: nonce))
            return Array(box.combined.dropFirst(nonce.count))
        } catch {
            preconditionFailure("a key of 32 bytes and a nonce of 12 seal any text")
        }
    }

    /// The text; `nil` unless it was sealed so.
    static func open(
        _ sealed: some RandomAccessCollection<UInt8>,
        _ key: SymmetricKey,
        _ nonce: [UInt8]
    ) -> [UInt8]? {
        guard sealed.count >= tagLength else { return nil }
        do {
            return Array(try ChaChaPoly.open(try ChaChaPoly.SealedBox(combined: nonce + sealed), using: key))
        } catch {
            return nil
        }
    }
}
