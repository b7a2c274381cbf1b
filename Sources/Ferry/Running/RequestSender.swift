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
    }

    private enum Step<Result: Sendable>: Sendable {
        case answered(Result)
        case redirected(HTTPURL, HTTPRequest.Method, dropsCredentials: Bool, dropsBody: Bool)
    }

    /// Sends a request and hands over the first response that is no redirect, with who gave it.
    ///
    /// - Parameters:
    ///   - method: the method, which a redirect may change to `GET`.
    ///   - added: fields of the request itself, such as a range or conditions (RFC 9110 §13.1).
    ///   - secret: those of them that stay with the first origin.
    ///   - body: the body.
    /// - Throws: ``Problem``, and what `handle` throws.
    func withResponse<Result: Sendable>(
        to method: HTTPRequest.Method = .get,
        adding added: HTTPFields = [:],
        secret: Set<String> = [],
        body: [UInt8] = [],
        _ handle: @escaping @Sendable (ResponseHead, any ResponseBody, Answerer) async throws -> Result
    ) async throws -> Result {
        let rules = RedirectRules(limit: terms.redirectLimit, allowsDowngrade: terms.allowsDowngrade)
        var hops: [HTTPURL] = []
        var current = url
        var (method, body) = (method, body)
        // What the URL itself carries goes to its origin; what was given beside it, to the first one.
        var keepsCredentials = true
        while true {
            var fields = try headers(keepsCredentials: keepsCredentials)
            for field in added where keepsCredentials || !secret.contains(field.name.rawName) {
                fields[field.name] = field.value
            }
            fields[.acceptEncoding] = "identity"
            let request = TransportRequest(
                method: method,
                url: current,
                headers: fields,
                body: body,
                connection: terms.connection(to: current),
                pace: pace
            )
            passage?.head(to: request.connection.peer(for: current))
            let (asked, passed, sent) = (current, hops, method)
            let step: Step<Result> = try await transport.withResponse(to: request) { head, body in
                let outcome = rules.follow(
                    status: head.status,
                    location: head.headers[.location],
                    from: asked,
                    method: sent,
                    hops: passed
                )
                switch outcome {
                case .notARedirect:
                    return .answered(try await handle(head, body, Answerer(url: asked, hops: passed)))
                case .follow(let target, let next, let dropsCredentials, let dropsBody):
                    return .redirected(target, next, dropsCredentials: dropsCredentials, dropsBody: dropsBody)
                case .refuse(let refusal):
                    throw Problem(refusal)
                }
            }
            switch step {
            case .answered(let result):
                return result
            case .redirected(let target, let next, let dropsCredentials, let dropsBody):
                hops.append(current)
                (current, method) = (target, next)
                if dropsBody { body = [] }
                // Once dropped they never come back, not even on the first origin.
                keepsCredentials = keepsCredentials && !dropsCredentials
            }
        }
    }

    private func headers(keepsCredentials: Bool) throws -> HTTPFields {
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
