/// What an object store says about a signed URL that it refuses.
package struct StoreRefusal: Hashable, Sendable {
    /// The store's word for the reason, such as `SignatureDoesNotMatch`.
    package var code: String
    /// Whether the signature, or the credentials that made it, are too old.
    package var isOfTime: Bool

    /// Creates a refusal.
    package init(code: String, isOfTime: Bool) {
        self.code = code
        self.isOfTime = isOfTime
    }

    /// Whether the body of an answer with this status may say why a signed URL was refused.
    package static func explains(_ status: Int) -> Bool { status == 400 || status == 401 || status == 403 }

    /// Whether no later request with the same URL can succeed: it was not signed for this, or by no one that the store
    /// knows.
    private var isOfSignature: Bool {
        switch code {
        case "SignatureDoesNotMatch", "InvalidAccessKeyId", "InvalidSecurity", "InvalidToken",
            "AuthorizationQueryParametersError", "AuthenticationFailed":
            true
        default: false
        }
    }

    /// The problem of a download whose URL is refused; `nil` if the status says as much.
    func problem(status: Int, url: HTTPURL, hasWorked: Bool) -> Problem? {
        let host = url.hostAndPort
        if isOfTime {
            return .condition(
                .newURL,
                .urlExpired,
                "\(host) says that this URL has expired (\(status) \(code)).",
                remedies: [.giveURL]
            )
        }
        if isOfSignature {
            return .permanent(
                .init(status: status),
                "\(host) does not accept the signature of this URL (\(status) \(code)).",
                remedies: [.checkURL, .giveURL]
            )
        }
        guard status == 403, !hasWorked else { return nil }
        return .condition(
            .newURL,
            .init(status: status),
            "\(host) refuses access with this URL (\(status) \(code)).",
            remedies: [.giveURL]
        )
    }
}
