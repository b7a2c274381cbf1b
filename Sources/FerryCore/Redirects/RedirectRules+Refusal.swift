extension RedirectRules {
    /// Why a redirect is not followed.
    package enum Refusal: Error, Hashable, Sendable {
        /// It leads to a URL that has redirected before.
        case loop(HTTPURL)
        /// The maximum number of redirects was already followed.
        case tooMany(limit: Int)
        /// It leads from https to http.
        case downgrade(to: HTTPURL)
        /// It leaves HTTP; the payload is the scheme's name if that is a known scheme.
        case unsupportedScheme(String?)
        /// Its `Location` is not a URL.
        case invalidLocation(HTTPURL.ParseError)
        /// It has no `Location`.
        case missingLocation
    }
}

extension RedirectRules.Refusal: CustomStringConvertible {
    /// The reason in one sentence for a person; URLs are redacted.
    package var description: String {
        switch self {
        case .loop(let target):
            "The server redirects in a loop: \(target.redacted) was requested before."
        case .tooMany(let limit):
            "The server redirected more than \(limit) times."
        case .downgrade(let target):
            "The server redirects from https to \(target.redacted), which is not encrypted."
        case .unsupportedScheme(nil):
            "The server redirects to a URL with an unknown scheme; only http and https are followed."
        case .unsupportedScheme(let name?):
            "The server redirects to a URL with the scheme '\(name)'; only http and https are followed."
        case .invalidLocation(let error):
            "The server redirects to an invalid URL. \(error)"
        case .missingLocation:
            "The server redirects without a target."
        }
    }
}
