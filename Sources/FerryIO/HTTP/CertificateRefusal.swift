internal import NIOSSL

/// Why a server refused the client for its certificate, or for the lack of one: an alert of TLS (RFC 8446 §6.2).
///
/// With TLS 1.3 it comes when the handshake is over for the client, in place of an answer. The server has read no request
/// then: it does not accept one before the client's certificate.
enum CertificateRefusal: Hashable, CaseIterable {
    case required
    case unknownAuthority
    case expired
    case revoked
    case unacceptable

    /// The refusal that an error of a connection stands for; `nil` if it is another error.
    init?(_ error: (any Error)?) {
        let cause =
            if case .handshakeFailed(let cause)? = error as? NIOSSLError { cause } else {
                error as? BoringSSLError
            }
        guard case .sslError(let stack)? = cause else { return nil }
        // BoringSSL gives its reasons only as text.
        let reason = "\(stack)"
        let refusal = Self.allCases.first { $0.alerts.contains { reason.contains("_ALERT_\($0) ") } }
        guard let refusal else { return nil }
        self = refusal
    }

    /// The names of its alerts.
    private var alerts: [String] {
        switch self {
        case .required: ["CERTIFICATE_REQUIRED"]
        case .unknownAuthority: ["UNKNOWN_CA"]
        case .expired: ["CERTIFICATE_EXPIRED"]
        case .revoked: ["CERTIFICATE_REVOKED"]
        case .unacceptable:
            ["BAD_CERTIFICATE", "UNSUPPORTED_CERTIFICATE", "CERTIFICATE_UNKNOWN", "ACCESS_DENIED"]
        }
    }

    /// The end of a sentence about a certificate that was presented.
    var explanation: String {
        switch self {
        case .required, .unacceptable: "it does not accept the client certificate"
        case .unknownAuthority: "it does not trust the authority that issued the client certificate"
        case .expired: "the client certificate has expired"
        case .revoked: "the client certificate was revoked"
        }
    }
}
