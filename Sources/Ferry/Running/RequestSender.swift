import FerryCore
import HTTPTypes

/// Sends the requests of one transfer: adds its fields and credentials, follows redirects by Ferry's own rules,
/// and keeps every secret with the origin that it was meant for (I7).
struct RequestSender: Sendable {
    let url: HTTPURL
    /// The origin that the user's own fields and credentials are meant for; `nil` where somebody else chose what is asked.
    let home: Origin?
    let terms: ExchangeTerms
    let userAgent: String
    let transport: any HTTPTransport
    let pace: Pace
    /// Whom to tell where each request goes.
    var passage: Passage?

    /// Who gave an answer.
    struct Answerer: Sendable {
        let url: HTTPURL
        /// The URLs that redirected before, the first one first.
        let hops: [HTTPURL]
        /// Whether a redirect has made a `GET` of another method: the request itself has arrived then.
        var isRewritten = false
    }

    private enum Step<Result: Sendable>: Sendable {
        case answered(Result)
        case redirected(Redirect)
    }

    /// Where the next request goes, and what of this one goes with it.
    private struct Redirect: Sendable {
        let target: HTTPURL
        let method: HTTPRequest.Method
        let dropsCredentials: Bool
        let dropsBody: Bool
    }

    /// Sends a request and hands over the first response that is no redirect, with who gave it.
    ///
    /// - Parameters:
    ///   - method: the method, which a redirect may change to `GET`.
    ///   - added: fields of the request itself, such as a range or conditions (RFC 9110 §13.1).
    ///   - key: the name of the field among them that only the first origin knows. The request is not sent to another
    ///     origin with the same method, where it would be without that.
    ///   - body: the body.
    ///   - departure: where it is noted that something may have left.
    /// - Throws: ``Problem``, and what `handle` throws.
    func withResponse<Result: Sendable>(
        to method: HTTPRequest.Method = .get,
        adding added: HTTPFields = [:],
        key: String? = nil,
        body: [UInt8] = [],
        departure: Departure? = nil,
        _ handle: @escaping @Sendable (ResponseHead, any ResponseBody, Answerer) async throws -> Result
    ) async throws -> Result {
        var hops: [HTTPURL] = []
        var current = url
        let first = method
        var (method, body) = (method, body)
        // What the URL itself carries goes to its origin; what was given beside it, to the first one.
        var keepsCredentials = true
        while true {
            let isRewritten = method != first
            var fields = try headers(keepsCredentials: keepsCredentials, describesBody: !isRewritten)
            for field in added where keepsCredentials || field.name.rawName != key {
                fields[field.name] = field.value
            }
            fields[.acceptEncoding] = "identity"
            let request = TransportRequest(
                method: method,
                url: current,
                headers: fields,
                body: body,
                connection: terms.connection(to: current),
                pace: pace,
                departure: departure
            )
            passage?.head(to: request.connection.peer(for: current))
            let answerer = Answerer(url: current, hops: hops, isRewritten: isRewritten)
            let step: Step<Result> = try await transport.withResponse(to: request) { head, body in
                let redirect = try self.redirect(by: head, of: request, hops: answerer.hops, key: key)
                return if let redirect { .redirected(redirect) } else {
                    .answered(try await handle(head, body, answerer))
                }
            }
            switch step {
            case .answered(let result):
                return result
            case .redirected(let redirect):
                hops.append(current)
                (current, method) = (redirect.target, redirect.method)
                if redirect.dropsBody { body = [] }
                // Once dropped they never come back, not even on the first origin.
                keepsCredentials = keepsCredentials && !redirect.dropsCredentials
            }
        }
    }

    /// Where an answer leads; `nil` for one that is no redirect.
    ///
    /// - Throws: ``Problem`` for a redirect that must not be followed.
    private func redirect(
        by head: ResponseHead,
        of request: TransportRequest,
        hops: [HTTPURL],
        key: String?
    ) throws -> Redirect? {
        let rules = RedirectRules(limit: terms.redirectLimit, allowsDowngrade: terms.allowsDowngrade)
        let outcome = rules.follow(
            status: head.status,
            location: head.headers[.location],
            from: request.url,
            method: request.method,
            hops: hops
        )
        switch outcome {
        case .notARedirect: return nil
        case .refuse(let refusal): throw Problem(refusal)
        case .follow(let target, _, true, false) where key != nil && !request.method.isIdempotent:
            throw Problem.permanent(
                .redirectRefused,
                "The redirect leads to \(target.host), which does not know the key of the request."
            )
        case .follow(let target, let method, let dropsCredentials, let dropsBody):
            return Redirect(
                target: target,
                method: method,
                dropsCredentials: dropsCredentials,
                dropsBody: dropsBody
            )
        }
    }

    private func headers(keepsCredentials: Bool, describesBody: Bool) throws -> HTTPFields {
        var fields: HTTPFields = [
            .accept: "*/*",
            .acceptEncoding: "identity",
            .userAgent: userAgent,
        ]
        let isHome = url.origin == home
        if keepsCredentials, let credentials = (isHome ? terms.credentials : nil) ?? url.credentials {
            fields[.authorization] = credentials.authorizationFieldValue
        }
        var given = HTTPFields()
        for header in terms.headers {
            guard let name = HTTPField.Name(header.name) else {
                throw Problem.permanent(
                    .refused,
                    "'\(header.name)' is no name of a header field.",
                    hint:
                        "`ferry edit {id} -H 'NAME: VALUE'` gives others, and `ferry retry {id}` tries again."
                )
            }
            // What describes a body goes with it, and tells nothing about who asks.
            guard !header.describesBody else {
                if describesBody { given.append(HTTPField(name: name, value: header.value)) }
                continue
            }
            if (keepsCredentials && isHome) || header.isHarmless {
                given.append(HTTPField(name: name, value: header.value))
            }
        }
        // What the user gives takes the place of what Ferry would have sent.
        for field in given { fields[values: field.name] = [] }
        for field in given { fields.append(field) }
        return fields
    }
}

extension HTTPURL {
    /// The credentials in the URL's userinfo.
    fileprivate var credentials: Credentials? {
        user.map { .basic(user: $0, password: password ?? "") }
    }
}

extension Problem {
    /// What a redirect that must not be followed means: no repetition mends it.
    fileprivate init(_ refusal: RedirectRules.Refusal) {
        switch refusal {
        case .loop, .tooMany:
            self = .permanent(.tooManyRedirects, "\(refusal)", hint: "Check the address.")
        case .downgrade:
            self = .permanent(
                .redirectRefused,
                "\(refusal)",
                hint: "--allow-downgrade follows it all the same."
            )
        case .unsupportedScheme, .invalidLocation, .missingLocation:
            self = .permanent(.redirectRefused, "\(refusal)")
        }
    }
}
