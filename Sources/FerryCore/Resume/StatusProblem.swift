/// What a status code means for a download that gets no content.
package enum StatusProblem {
    /// Returns the problem of a status, with the code of ``TransferFailure/Code/init(status:)``. Three answers differ: a
    /// URL that has expired, a success or a redirect without content, and a status after which no later request helps.
    ///
    /// - Parameters:
    ///   - response: the answer.
    ///   - url: the URL that was asked; only its redacted form is shown.
    ///   - hasWorked: whether this URL gave bytes before, so that a refusal now means that it has expired.
    package static func problem(for response: ResponseFacts, url: HTTPURL, hasWorked: Bool) -> Problem {
        var problem = meaning(of: response, url: url, hasWorked: hasWorked)
        problem.failure.status = response.status
        return problem
    }

    private static func meaning(of response: ResponseFacts, url: HTTPURL, hasWorked: Bool) -> Problem {
        let status = response.status
        let (code, place) = (TransferFailure.Code(status: status), url.redacted)
        if url.isSigned,
            let problem = response.refusal?.problem(status: status, url: url, hasWorked: hasWorked)
        {
            return problem
        }
        switch status {
        case 401:
            return .permanent(
                code,
                "\(credentialsProblem(response.hadCredentials, at: url.hostAndPort)) (401).",
                remedies: [.giveCredentials, .retry]
            )
        case 403 where url.isSigned || hasWorked:
            return .condition(
                .newURL,
                .urlExpired,
                "\(url.hostAndPort) no longer accepts this URL (403); it has probably expired.",
                remedies: [.giveURL]
            )
        case 403:
            return .permanent(
                code,
                "\(url.hostAndPort) refuses access to \(place) (403).",
                remedies: [.checkURL, .giveURL, .giveCredentials, .retry]
            )
        case 404:
            return .permanent(
                code,
                "There is nothing at \(place) (404).\(unsentPart(of: url))",
                remedies: [.checkURL, .giveURL, .retry]
            )
        case 407:
            return .permanent(
                code,
                "The proxy requires credentials (407).",
                remedies: [.giveProxyCredentials]
            )
        case 410: return .permanent(code, "The server has removed \(place) for good (410).")
        case 204, 205:
            return .permanent(.badResponse, "\(url.hostAndPort) has no content at \(place) (\(status)).")
        case 200..<300:
            return .permanent(.badResponse, "\(url.hostAndPort) answered with \(status), which has no file.")
        case 300..<400:
            return .permanent(
                .badResponse,
                "\(url.hostAndPort) answered with a redirect (\(status)) without a target."
            )
        case 408, 425, 429, 500, 502...504, 507...:
            let wait = code == .timeout ? nil : response.retryAfter
            return .transient(code, "\(passing(status, at: url.hostAndPort)).", retryAfter: wait)
        default:
            return .permanent(.refused, "\(url.hostAndPort) refused the request (\(status)).")
        }
    }

    /// Says that a fragment was not sent, because a file name may have a `#`.
    private static func unsentPart(of url: HTTPURL) -> String {
        url.fragment == nil ? "" : " What follows # in a URL is not sent: write %23 for a # in a name."
    }

    /// Says what a 401 means for a request with credentials, for one without, or for one of which that is unknown.
    private static func credentialsProblem(_ hadCredentials: Bool?, at host: String) -> String {
        switch hadCredentials {
        case true?: "\(host) refuses the given credentials"
        case false?: "\(host) requires credentials"
        case nil: "\(host) requires credentials, or refuses the given ones"
        }
    }

    /// Says what happened when a later request may succeed.
    private static func passing(_ status: Int, at host: String) -> String {
        switch status {
        case 408: "\(host) gave up waiting for the request (408 Request Timeout)"
        case 429: "\(host) limits the number of requests (429 Too Many Requests)"
        case 503: "\(host) is overloaded (503 Service Unavailable)"
        default: "Server error at \(host) (\(status))"
        }
    }
}
