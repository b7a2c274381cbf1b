internal import Crypto
internal import CryptoExtras

/// The scrypt recipient type.
extension Stanza {
    static let passphraseKind = "scrypt"
    private static let saltLength = 16
    private static let label = Array("age-encryption.org/v1/scrypt".utf8)

    /// Wraps a file key with a passphrase, with a new salt.
    init(
        wrapping key: FileKey,
        with passphrase: Passphrase,
        work: Int,
        using random: inout some RandomNumberGenerator
    ) {
        let salt = random.bytes(Self.saltLength)
        guard let wrapKey = Self.wrapKey(passphrase, salt, work) else {
            preconditionFailure("a work factor of \(work) is possible")
        }
        self.init(
            kind: Self.passphraseKind,
            arguments: [String(decoding: UnpaddedBase64.encoded(salt), as: UTF8.self), "\(work)"],
            body: AuthenticatedCipher.seal(key.bytes, wrapKey, AuthenticatedCipher.onlyNonce)
        )
    }

    /// The file key, if it was wrapped with this passphrase; `nil` otherwise, and for another kind of stanza.
    ///
    /// - Parameter most: the largest work factor that is accepted.
    /// - Throws: ``SealedProblem`` for a stanza of this kind that has another form, or a larger work factor.
    func fileKey(with passphrase: Passphrase, mostWork most: Int) throws(SealedProblem) -> FileKey? {
        guard kind == Self.passphraseKind else { return nil }
        guard arguments.count == 2, let salt = UnpaddedBase64.decoded(arguments[0].utf8),
            salt.count == Self.saltLength, let work = Self.work(arguments[1])
        else { throw .header(.passphraseStanza) }
        guard work <= most else { throw .tooMuchWork(work, most: most) }
        // A longer body could be made to open with several passphrases.
        guard body.count == FileKey.length + AuthenticatedCipher.tagLength else {
            throw .header(.passphraseStanza)
        }
        guard let wrapKey = Self.wrapKey(passphrase, salt, work) else { throw .tooMuchWork(work, most: most) }
        return AuthenticatedCipher.open(body, wrapKey, AuthenticatedCipher.onlyNonce).flatMap { FileKey($0) }
    }

    /// A work factor: decimal digits without a leading zero.
    private static func work(_ text: String) -> Int? {
        let digits = Array(text.utf8)
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }), let first = digits.first, first != 0x30
        else {
            return nil
        }
        return Int(text) ?? .max
    }

    /// The key of a passphrase (scrypt, RFC 7914, with r = 8 and p = 1); `nil` without enough memory.
    private static func wrapKey(_ passphrase: Passphrase, _ salt: [UInt8], _ work: Int) -> SymmetricKey? {
        do {
            return try KDF.Scrypt.deriveKey(
                from: passphrase.bytes,
                salt: label + salt,
                outputByteCount: 32,
                rounds: 1 << work,
                blockSize: 8,
                parallelism: 1
            )
        } catch {
            return nil
        }
    }
}
