package import FerrySealed

/// The secret key that opens what was sealed to its recipient: `AGE-SECRET-KEY-1…` of age
/// (C2SP, [age-encryption.org/v1](https://age-encryption.org/v1), "The X25519 recipient type").
///
/// ```swift
/// let identity = SealingIdentity()
/// var options = DownloadOptions()
/// options.recipients = [identity.recipient]
/// ```
///
/// Only ``secretText`` shows the key; a description and a mirror do not (I7). Keep it where only its owner can read it: what is
/// sealed to a lost identity cannot be opened any more.
public struct SealingIdentity: Sendable {
    /// The key.
    let key: X25519Identity

    package init(_ key: X25519Identity) { self.key = key }

    /// Reads an identity: `AGE-SECRET-KEY-1…`, in uppercase.
    ///
    /// - Throws: ``SealedFileError`` with `invalidKey`, without the text.
    public init(parsing text: String) throws(SealedFileError) {
        do throws(KeyProblem) {
            key = try X25519Identity(parsing: text)
        } catch {
            throw SealedFileError(error)
        }
    }

    /// Its recipient (`age1…`), for ``DownloadOptions/recipients``. It is no secret.
    public var recipient: String { "\(key.recipient)" }

    /// The secret key, as ``init(parsing:)`` and `age` read it.
    public var secretText: String { key.secretText }
}

extension SealingIdentity: CustomStringConvertible, CustomReflectable {
    /// The recipient: the secret key is never shown (I7).
    public var description: String { "\(key)" }

    /// No part of the key (I7).
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
