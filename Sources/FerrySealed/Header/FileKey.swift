internal import Crypto

/// The key of one sealed file: 16 random bytes, from which all others are derived. It is never used for another file.
struct FileKey: Sendable {
    static let length = 16

    let bytes: [UInt8]

    /// Takes the bytes of a key; `nil` for another number of them.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    /// Draws a new key.
    init(using random: inout some RandomNumberGenerator) {
        bytes = random.bytes(Self.length)
    }

    /// The key that a purpose has (HKDF with SHA-256, RFC 5869).
    private func derived(_ purpose: String, salt: [UInt8]) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: bytes),
            salt: salt,
            info: Array(purpose.utf8),
            outputByteCount: 32
        )
    }

    /// The authentication code of a header, whose text ends with its mark `---`.
    func authenticationCode(of header: some RandomAccessCollection<UInt8>) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array(header), using: derived("header", salt: [])))
    }

    /// Whether a header has this authentication code. It takes the same time for every wrong one.
    func authenticates(_ header: [UInt8], _ code: [UInt8]) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(
            code,
            authenticating: header,
            using: derived("header", salt: [])
        )
    }

    /// The key of the payload that begins with this nonce.
    func payloadKey(nonce: [UInt8]) -> PayloadKey { PayloadKey(derived("payload", salt: nonce)) }
}
