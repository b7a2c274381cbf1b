extension HTTPURL {
    /// Why a text is not an HTTP URL. No case quotes a possible secret.
    public enum ParseError: Error, Hashable, Sendable {
        /// The text is empty.
        case empty
        /// It is longer than ``HTTPURL/lengthLimit``.
        case tooLong
        /// It has no scheme; `suggestion` is the URL that was probably meant, redacted, if that is valid.
        case missingScheme(suggestion: String?)
        /// It has another scheme, or one that does not count there. The payload is its name if that is a known scheme; any other
        /// text before a colon may be a secret.
        case unsupportedScheme(String?)
        /// Its scheme is `http` or `https` with a typing error. `suggestion` is the URL that was probably meant, redacted.
        case misspelledScheme(suggestion: String)
        /// It names no host.
        case missingHost
        /// The host has characters or a form that no host has.
        case invalidHost
        /// The host has letters beyond ASCII.
        case nonASCIIHost
        /// The port is not a number from 1 to 65535.
        case invalidPort
        /// User or password has an escaped control character.
        case invalidUserinfo
        /// It has control characters, such as a line break.
        case controlCharacter
        /// It is not the name of an object in a store.
        case invalidName(ObjectName.ParseError)
    }
}

extension HTTPURL.ParseError: CustomStringConvertible {
    /// The reason in one sentence for a person.
    public var description: String {
        switch self {
        case .empty:
            "The URL is empty."
        case .tooLong:
            "The URL is longer than \(HTTPURL.lengthLimit) bytes."
        case .missingScheme(let suggestion?):
            "The URL has no scheme; did you mean \(suggestion)?"
        case .missingScheme(nil):
            "The URL has no scheme; it must start with https:// or http://."
        case .unsupportedScheme(nil):
            "The scheme of the URL is not supported; a URL must start with https://, http://, s3://, oss:// or gs://."
        case .unsupportedScheme(let name?):
            "The scheme '\(name)' is not supported; a URL must start with https://, http://, s3://, oss:// or gs://."
        case .misspelledScheme(let suggestion):
            "The scheme of the URL is misspelled; did you mean \(suggestion)?"
        case .missingHost:
            "The URL names no host; it must look like https://host/path."
        case .invalidHost:
            "The host in the URL is not valid; an IPv6 address belongs in brackets, such as https://[::1]/."
        case .nonASCIIHost:
            "The host in the URL has letters beyond ASCII; give it in its Punycode form, such as xn--bcher-kva.example."
        case .invalidPort:
            "The port in the URL is not a number from 1 to 65535; '/', '?' and '#' in a password must be percent-encoded."
        case .invalidUserinfo:
            "The user or password in the URL has an escaped control character."
        case .controlCharacter:
            "The URL has a control character, such as a line break or a tab."
        case .invalidName(let error): error.description
        }
    }
}
