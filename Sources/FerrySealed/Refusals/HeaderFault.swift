/// What is wrong with the header of a sealed file.
package enum HeaderFault: Error, Hashable, Sendable {
    /// The file ends before the header does.
    case ends
    /// The header is longer than this reader takes.
    case tooLong
    /// A line is neither the beginning of a stanza nor the authentication code.
    case unknownLine(Int)
    /// The arguments of a stanza are missing, empty, or have other characters than visible ASCII.
    case arguments(line: Int)
    /// A line of a stanza's body is too long, or is not canonical base64 without padding.
    case body(line: Int)
    /// There is no stanza before the authentication code.
    case noStanza
    /// The authentication code is not 32 bytes in canonical base64.
    case authenticationCode(line: Int)
    /// An X25519 stanza has another form than the specification gives it.
    case keyStanza
    /// An scrypt stanza has another form than the specification gives it.
    case passphraseStanza
    /// An scrypt stanza is not the only one. No one who knows the passphrase could then trust the file.
    case mixedPassphrase
}

extension HeaderFault: CustomStringConvertible {
    /// What is wrong, to follow a colon.
    package var description: String {
        switch self {
        case .ends: "the file ends within it"
        case .tooLong: "it is too long"
        case .unknownLine(let line): "line \(line) is neither a recipient nor the authentication code"
        case .arguments(let line): "line \(line) has an invalid argument"
        case .body(let line): "line \(line) is not canonical base64"
        case .noStanza: "it names no recipient"
        case .authenticationCode(let line): "line \(line) is no authentication code"
        case .keyStanza: "an X25519 recipient has an invalid form"
        case .passphraseStanza: "the passphrase recipient has an invalid form"
        case .mixedPassphrase: "a passphrase must be the only recipient, and here it is not"
        }
    }
}
