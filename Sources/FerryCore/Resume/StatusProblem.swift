/// What a status code means for a download that gets no content.
package enum StatusProblem {
    /// Returns the problem of a status. A code from 600 on has no class and counts as a server error (RFC 9110 §15).
    ///
    /// - Parameters:
    ///   - response: the answer.
    ///   - url: the URL that was asked; only its redacted form is shown.
    ///   - hasWorked: whether this URL gave bytes before, so that a refusal now means that it has expired.
    package static func problem(for response: ResponseFacts, url: HTTPURL, hasWorked: Bool) -> Problem {
        let status = response.status
        let place = url.redacted
        switch status {
        case 401:
            return .permanent(
                .notAuthorised,
                "\(url.host) requires credentials, or refuses the given ones (401).",
                remedies: [.giveCredentials, .retry]
            )
        case 403 where url.isSigned || hasWorked:
            return .condition(
                .newURL,
                .urlExpired,
                "\(url.host) no longer accepts this URL (403); it has probably expired.",
                remedies: [.giveURL]
            )
        case 403:
            return .permanent(
                .forbidden,
                "\(url.host) refuses access to \(place) (403).",
                remedies: [.checkURL, .giveURL, .giveCredentials, .retry]
            )
        case 404:
            return .permanent(
                .notFound,
                "There is nothing at \(place) (404).",
                remedies: [.checkURL, .giveURL, .retry]
            )
        case 407:
            return .permanent(
                .notAuthorised,
                "The proxy requires credentials (407).",
                remedies: [.giveProxyCredentials]
            )
        case 410:
            return .permanent(.gone, "The server has removed \(place) for good (410).")
        case 204, 205:
            return .permanent(
                .badResponse,
                "\(url.host) has no content at \(place) (\(status))."
            )
        case 200..<300:
            return .permanent(.badResponse, "\(url.host) answered with \(status), which has no file.")
        case 300..<400:
            return .permanent(
                .badResponse,
                "\(url.host) answered with a redirect (\(status)) without a target."
            )
        case 408, 425, 429, 500, 502...504, 507...:
            return passing(response, at: url.host)
        default:
            return .permanent(.refused, "\(url.host) refused the request (\(status)).")
        }
    }

    /// Returns the problem of a status after which a later request may succeed.
    private static func passing(_ response: ResponseFacts, at host: String) -> Problem {
        let (code, said): (TransferFailure.Code, String) =
            switch response.status {
            case 408: (.timeout, "\(host) gave up waiting for the request (408 Request Timeout)")
            case 429: (.serverOverloaded, "\(host) limits the number of requests (429 Too Many Requests)")
            case 503: (.serverOverloaded, "\(host) is overloaded (503 Service Unavailable)")
            default: (.serverError, "Server error at \(host) (\(response.status))")
            }
        let wait = code == .timeout ? nil : response.retryAfter
        return .transient(code, "\(said).", retryAfter: wait)
    }
}
