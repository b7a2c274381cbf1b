/// What opens a sealed file.
package enum Identity: Sendable {
    /// A secret key.
    case key(X25519Identity)
    /// A passphrase.
    case passphrase(Passphrase)
}
