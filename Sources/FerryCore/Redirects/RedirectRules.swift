package import HTTPTypes

/// Decides whether and how a redirect is followed (RFC 9110 §15.4, I7).
///
/// The rules are pure: the caller keeps the list of hops, and whether credentials were dropped. Once dropped,
/// credentials never come back, not even when a later hop leads to the first origin again. The redirecting server chose
/// the path, and must not choose where the user's secrets are sent.
package struct RedirectRules: Hashable, Sendable {
    /// Maximum number of redirects in a row.
    package var limit = 20
    /// Whether a redirect from https to http is followed.
    package var allowsDowngrade = false

    /// Rules with every default.
    package init() {}

    /// Creates rules.
    package init(limit: Int, allowsDowngrade: Bool) {
        self.limit = limit
        self.allowsDowngrade = allowsDowngrade
    }

    /// What to do with a response.
    package enum Outcome: Hashable, Sendable {
        /// Send the request again to this URL, with this method.
        ///
        /// `dropsCredentials` is true when the origin differs: credentials, cookies and every sensitive field are
        /// dropped for good. `dropsBody` is true when the method became `GET`: the body and the fields that describe
        /// it are dropped.
        case follow(HTTPURL, method: HTTPRequest.Method, dropsCredentials: Bool, dropsBody: Bool)
        /// The response is the answer.
        case notARedirect
        /// The response is a redirect that must not be followed.
        case refuse(Refusal)
    }

    /// Decides about one response.
    ///
    /// - Parameters:
    ///   - status: The status code. 301, 302, 303, 307 and 308 redirect. So does a 300 that names the choice which the
    ///     server prefers (RFC 9110 §15.4.1), unless the request is more than a GET or HEAD. A 305 never does: the server
    ///     must not choose a proxy (§15.4.6).
    ///   - location: The unchanged `Location` field.
    ///   - current: The URL that gave this response.
    ///   - method: The method of its request.
    ///   - hops: The URLs that redirected before, oldest first, without `current`.
    ///   - repeatable: The number of URLs that may be requested again, from the oldest of `hops` on; `current` is the last one.
    ///     They may answer otherwise now, because cookies were set since.
    package func follow(
        status: Int,
        location: String?,
        from current: HTTPURL,
        method: HTTPRequest.Method,
        hops: [HTTPURL],
        mayRepeat repeatable: Int = 0
    ) -> Outcome {
        guard let rewriting = Self.rewriting(status: status) else { return .notARedirect }
        // Without a preferred choice, only a person can choose.
        if status == 300, location == nil || (method != .get && method != .head) { return .notARedirect }
        guard let location else { return .refuse(.missingLocation) }
        guard hops.count < limit else { return .refuse(.tooMany(limit: limit)) }
        var target: HTTPURL
        do {
            target = try current.resolving(location)
        } catch .unsupportedScheme(let name) {
            return .refuse(.unsupportedScheme(name))
        } catch {
            return .refuse(.invalidLocation(error))
        }
        if current.scheme != .http, target.scheme == .http, !allowsDowngrade {
            return .refuse(.downgrade(to: target))
        }
        let leavesOrigin = target.origin != current.origin
        if leavesOrigin { target = target.withoutUserinfo }
        let nextMethod = rewriting(method)
        // A POST that is redirected to the same URL as a GET is not a loop.
        let requested = (hops + [current]).dropFirst(repeatable)
        if nextMethod == method, requested.contains(where: { Self.isSameResource($0, target) }) {
            return .refuse(.loop(target))
        }
        return .follow(
            target,
            method: nextMethod,
            dropsCredentials: leavesOrigin,
            dropsBody: nextMethod != method
        )
    }

    /// How a status changes the method; `nil` when it does not redirect.
    private static func rewriting(
        status: Int
    ) -> ((HTTPRequest.Method) -> HTTPRequest.Method)? {
        switch status {
        case 301, 302: { $0 == .post ? .get : $0 }
        case 303: { $0 == .head ? .head : .get }
        case 300, 307, 308: { $0 }
        default: nil
        }
    }

    private static func isSameResource(_ one: HTTPURL, _ other: HTTPURL) -> Bool {
        one.withoutFragment.withoutUserinfo == other.withoutFragment.withoutUserinfo
    }
}
