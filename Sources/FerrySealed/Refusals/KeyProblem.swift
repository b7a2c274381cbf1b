/// Why a text is not taken for a key. The text is never part of it: it may be a secret (I7).
package enum KeyProblem: Error, Hashable, Sendable {
    /// It is no key of age, or has a typing error.
    case invalid
    /// It is a key of a kind that this program does not support, such as of a plug-in or of SSH.
    case unsupported
    /// It is the secret key, where the public one is needed.
    case secret
    /// It is the public key, where the secret one is needed.
    case notSecret
    /// The point of the key is one that gives every file the same key (RFC 7748 §6.1).
    case lowOrder
    /// The file that should have keys is itself sealed.
    case sealed
    /// There is no key at all.
    case none
}

extension KeyProblem: CustomStringConvertible {
    /// What is wrong, in a sentence.
    package var description: String {
        switch self {
        case .invalid: "It is no key of age, or it has a typing error."
        case .unsupported: "It is a kind of key that is not supported; only age1… and AGE-SECRET-KEY-1… are."
        case .secret: "It is a secret key, and its recipient (age1…) is needed. Keep the key secret."
        case .notSecret: "It is a recipient, and its secret key (AGE-SECRET-KEY-1…) is needed."
        case .lowOrder: "It is a key that protects nothing."
        case .sealed: "The identities in it are sealed themselves; open that file first."
        case .none: "There is no key in it."
        }
    }
}
