/// Why a request cannot be written.
package enum RequestFault: Error, Hashable, Sendable {
    /// The method is not a token.
    case invalidMethod
    /// The target has a byte that cannot stand in a request line, or is not the method's.
    case invalidTarget
    /// The name of a field is not a token, or its value has a CR, an LF or a NUL.
    case invalidField
    /// There are several `Host` fields.
    case severalHosts
    /// A field was given that follows from the request itself.
    case ownField
    /// The body is longer than its length.
    case bodyTooLong
    /// The body is shorter than its length.
    case bodyTooShort

    /// The fault in words, to follow "The request cannot be sent: ".
    package var explanation: String {
        switch self {
        case .invalidMethod: "its method is not valid"
        case .invalidTarget: "its URL has a character that is not valid"
        case .invalidField: "a header field has a character that is not valid"
        case .severalHosts: "it has several Host fields"
        case .ownField: "a header field was given that follows from the request itself"
        case .bodyTooLong: "its body is longer than announced"
        case .bodyTooShort: "its body is shorter than announced"
        }
    }
}
