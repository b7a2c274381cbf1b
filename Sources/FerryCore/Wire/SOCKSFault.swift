/// Why a SOCKS proxy does not connect to a server.
package enum SOCKSFault: Error, Hashable, Sendable {
    // MARK: What was asked for

    /// The host's name is empty, longer than 255 bytes or contains a NUL, or the port is invalid.
    case invalidTarget
    /// The user or the password is longer than 255 bytes, or with SOCKS 4 the user contains a NUL.
    case invalidCredentials
    /// The credentials are a token.
    case tokenCredentials
    /// The host's name was not resolved on this side.
    case noAddress
    /// The host has no IPv4 address, and SOCKS 4 supports no other.
    case noIPv4Address

    // MARK: The proxy's protocol

    /// The answer begins like HTTP.
    case speaksHTTP
    /// The answer belongs to no version of SOCKS.
    case notSOCKS
    /// The answer belongs to another version of SOCKS.
    case otherVersion
    /// A reply has an address of an unknown type (RFC 1928 §5).
    case unknownAddressType
    /// The connection closed before the end of the negotiation.
    case closedEarly

    // MARK: The login

    /// The proxy accepts none of the methods that were offered (RFC 1928 §3).
    case noAcceptableMethod
    /// The proxy requires a login, and no credentials were given.
    case loginNeeded
    /// The proxy refuses the user or the password (RFC 1929 §2).
    case loginRefused
    /// A SOCKS 4 proxy cannot ask this machine who the user is (code 92).
    case identityUnavailable
    /// A SOCKS 4 proxy learned from this machine that the user is another one (code 93).
    case identityRefused

    // MARK: The way to the server

    /// The proxy failed, for any reason (RFC 1928 §6, code 1).
    case generalFailure
    /// The proxy's rules do not allow it (code 2).
    case notAllowed
    /// The server's network is unreachable (code 3).
    case networkUnreachable
    /// The server is unreachable (code 4).
    case hostUnreachable
    /// The server refused the connection (code 5).
    case connectionRefused
    /// The time to live expired on the way to the server (code 6).
    case timeToLiveExpired
    /// The proxy does not support connecting for clients (code 7).
    case commandNotSupported
    /// The proxy does not support this type of address (code 8).
    case addressTypeNotSupported
    /// The proxy failed with a code that no standard assigns.
    case unknownReply(UInt8)
    /// A SOCKS 4 proxy rejected the request, or failed, for any reason (code 91).
    case rejected

    /// What has to change before another attempt can succeed.
    package enum Subject: Hashable, Sendable {
        /// The request: no proxy of this kind can carry it out.
        case request
        /// The credentials for the proxy.
        case credentials
        /// The server behind the proxy, or the way to it.
        case target
        /// The proxy itself.
        case proxy
    }

    /// What has to change before another attempt can succeed.
    package var subject: Subject {
        switch self {
        case .invalidTarget, .noAddress, .noIPv4Address: .request
        case .invalidCredentials, .tokenCredentials, .loginNeeded, .loginRefused, .identityUnavailable,
            .identityRefused:
            .credentials
        // The negotiation succeeded, so the connection to the server failed.
        case .generalFailure, .networkUnreachable, .hostUnreachable, .connectionRefused, .timeToLiveExpired,
            .unknownReply, .rejected:
            .target
        case .speaksHTTP, .notSOCKS, .otherVersion, .unknownAddressType, .closedEarly, .noAcceptableMethod,
            .notAllowed, .commandNotSupported, .addressTypeNotSupported:
            .proxy
        }
    }

    /// The fault in words, to follow "The proxy example.com".
    package var explanation: String {
        switch self {
        case .invalidTarget: "takes only host names of 1 to 255 bytes and a valid address and port"
        case .invalidCredentials: "takes only a user and a password of at most 255 bytes"
        case .tokenCredentials: "takes a user and a password, and no token"
        case .noAddress: "needs an address of the server, and none is known"
        case .noIPv4Address: "speaks SOCKS 4 and needs an IPv4 address of the server, which has none"
        case .speaksHTTP: "answered with HTTP instead of SOCKS"
        case .notSOCKS: "did not answer with SOCKS"
        case .otherVersion: "speaks another version of SOCKS"
        case .unknownAddressType: "sent a reply with an unknown type of address"
        case .closedEarly: "closed the connection during the SOCKS negotiation"
        case .noAcceptableMethod: "accepts neither a user and a password nor a connection without them"
        case .loginNeeded: "requires a user and a password"
        case .loginRefused: "refused the user or the password"
        case .identityUnavailable: "requires an ident service on this machine"
        case .identityRefused: "refused the user, because the ident service on this machine names another"
        case .generalFailure: "could not connect to the server"
        case .notAllowed: "does not allow connections to this server"
        case .networkUnreachable: "cannot reach the server's network"
        case .hostUnreachable: "cannot reach the server"
        case .connectionRefused: "could not connect: the server refused the connection"
        case .timeToLiveExpired: "could not connect: the time to live expired on the way to the server"
        case .commandNotSupported: "does not support connections to servers"
        case .addressTypeNotSupported: "does not support this type of address"
        case .unknownReply(let code): "could not connect to the server (SOCKS reply code \(code))"
        case .rejected: "rejected the connection to the server, or could not make it"
        }
    }
}
