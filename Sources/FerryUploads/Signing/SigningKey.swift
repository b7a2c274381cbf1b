internal import Crypto
internal import CryptoExtras
internal import FerryCore

/// What makes a signature out of a text.
enum SigningKey: Sendable {
    /// The secret of an access key.
    case shared(String)
    /// What is derived from such a secret for one scope.
    case derived(SymmetricKey)
    /// The key of a service account.
    case rsa(_RSA.Signing.PrivateKey)

    init(_ secret: ObjectStoreCredentials.Secret) throws(SigningRefusal) {
        switch secret {
        case .shared(let text):
            guard !text.isEmpty else { throw .emptyCredentials }
            self = .shared(text)
        case .rsa(let text):
            do {
                self = .rsa(try _RSA.Signing.PrivateKey(pemRepresentation: text))
            } catch {
                throw .invalidPrivateKey
            }
        }
    }

    /// The key that signs in a scope.
    ///
    /// - Parameters:
    ///   - prefix: what precedes a shared secret.
    ///   - scope: what a key is derived for from a shared secret, one part after the other.
    func deriving(prefix: String, scope: [String]) -> SigningKey {
        guard case .shared(let secret) = self else { return self }
        let first = SymmetricKey(data: Array("\(prefix)\(secret)".utf8))
        return .derived(
            scope.reduce(first) { key, part in
                SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: Array(part.utf8), using: key))
            }
        )
    }

    /// The signature of a text in hexadecimal digits, in a scope as for ``deriving(prefix:scope:)``.
    func signature(of text: String, prefix: String, scope: [String]) throws(SigningRefusal) -> String {
        switch self {
        case .shared:
            return try deriving(prefix: prefix, scope: scope)
                .signature(of: text, prefix: prefix, scope: scope)
        case .derived(let key):
            return Array(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key)).hexadecimalText
        case .rsa(let key):
            do {
                // The store wants this padding (RFC 8017 §8.2).
                let digest = SHA256.hash(data: Array(text.utf8))
                let signature = try key.signature(for: digest, padding: .insecurePKCS1v1_5)
                return Array(signature.rawRepresentation).hexadecimalText
            } catch {
                throw .invalidPrivateKey
            }
        }
    }

    /// The SHA-256 of a text in hexadecimal digits.
    static func digest(_ text: String) -> String { digest(Array(text.utf8)) }

    static func digest(_ bytes: [UInt8]) -> String { Array(SHA256.hash(data: bytes)).hexadecimalText }
}
