import FerryCore
import HTTPTypes
import Synchronization

/// Sends the requests of one transfer: adds its fields and credentials, follows redirects by Ferry's own rules, and
/// keeps every secret with its origin (I7).
struct RequestSender: Sendable {
    let url: HTTPURL
    /// The origin for which the user's own fields, credentials and client certificate are meant; `nil` if a server
    /// chose the URL.
    let home: Origin?
    let terms: ExchangeTerms
    let userAgent: String
    let seams: EngineSeams
    let pace: Pace
    /// Whether a redirect without a target is an answer, as some protocols of uploads have it.
    var takesBareRedirects = false
    /// Whether the caller keeps what a store answers to a refused request. Otherwise the refusal is a problem.
    var keepsRefusals = false
    /// Learns the peer of each request.
    var watched: WatchedExchange?

    private var isHome: Bool { url.origin == home }

    /// The source of an answer.
    struct Answerer: Sendable {
        let url: HTTPURL
        /// Where the request really went: for the name of an object, the URL that its store has for it.
        let server: HTTPURL
        /// The URLs that redirected before, in order.
        let hops: [HTTPURL]
        /// Whether a redirect changed another method to `GET`: then the request itself has arrived.
        let isRewritten: Bool
        /// Whether the request that was answered had credentials.
        let hadCredentials: Bool

        fileprivate init(
            to request: TransportRequest,
            _ server: HTTPURL,
            _ hops: [HTTPURL],
            isRewritten: Bool
        ) {
            (url, self.server, self.hops, self.isRewritten) = (request.url, server, hops, isRewritten)
            // A request to a store is signed later.
            hadCredentials = request.headers[.authorization] != nil || request.url.objectName != nil
        }
    }

    private enum Step<Result: Sendable>: Sendable {
        case answered(Result)
        case redirected(Redirect)
    }

    /// The target of a redirect, and the parts of the request that go with it.
    private struct Redirect: Sendable {
        let target: HTTPURL
        let method: HTTPRequest.Method
        let dropsCredentials: Bool
        let dropsBody: Bool
        /// The number of URLs that may be requested again, because cookies were set since (``RedirectRules``).
        let repeatable: Int
    }

    /// Sends a request and passes on the first response that is not a redirect, with its source.
    ///
    /// - Parameters:
    ///   - method: the method, which a redirect may change to `GET`.
    ///   - added: fields of the request itself, such as a range or conditions (RFC 9110 §13.1).
    ///   - key: the name of the field among `added` by which the first origin recognises a repeated request. The request is
    ///     not sent without it to another origin by a method that is not idempotent.
    ///   - body: the body.
    ///   - listener: hears how far each request has come.
    /// - Throws: ``Problem``, and what `handle` throws.
    func withResponse<Result: Sendable>(
        to method: HTTPRequest.Method = .get,
        adding added: HTTPFields = [:],
        key: String? = nil,
        body: RequestBody = .bytes([]),
        listener: (any ExchangeListener)? = nil,
        _ handle: @escaping @Sendable (ResponseHead, any ResponseBody, Answerer) async throws -> Result
    ) async throws -> Result {
        var (hops, current, repeatable): ([HTTPURL], HTTPURL, Int) = ([], url, 0)
        let first = method
        var (method, body) = (method, body)
        // Credentials in the URL go to its origin; those given beside it go to the first origin.
        var keepsCredentials = true
        let cookies = ExchangeCookies(terms, to: url, isHome: isHome, seams)
        let progress = body.length == 0 ? nil : BodyProgress(listener)
        while true {
            let isRewritten = method != first
            var fields = try headers(keepsCredentials: keepsCredentials, describesBody: !isRewritten)
            for field in added where keepsCredentials || field.name.rawName != key {
                fields[field.name] = field.value
            }
            fields[.acceptEncoding] = "identity"
            cookies.add(to: &fields, for: current, isFirstOrigin: keepsCredentials)
            var connection = terms.connection(to: current)
            if !keepsCredentials || !isHome { connection.clientCertificate = nil }
            progress?.begin()
            let request = TransportRequest(
                method: method,
                url: current,
                headers: fields,
                body: body,
                connection: connection,
                pace: pace,
                listener: progress ?? listener,
                // Another origin does not know the key.
                isRepeatable: key != nil && keepsCredentials ? true : nil
            )
            let step: Step<Result> = try await cross(to: request) {
                [current, hops, keepsCredentials, repeatable] head, body, server in
                let isChanged = cookies.take(head, from: current, isFirstOrigin: keepsCredentials)
                let repeatable = isChanged ? hops.count + 1 : repeatable
                if let redirect = try self.redirect(by: head, of: request, hops, repeatable, key: key) {
                    return .redirected(redirect)
                }
                let answerer = Answerer(to: request, server, hops, isRewritten: isRewritten)
                return .answered(try await handle(head, body, answerer))
            }
            switch step {
            case .answered(let result):
                return result
            case .redirected(let redirect):
                if redirect.dropsBody { try progress?.requireWhole(body, from: current) }
                hops.append(current)
                (current, method, repeatable) = (redirect.target, redirect.method, redirect.repeatable)
                if redirect.dropsBody { body = .bytes([]) }
                // Once dropped they are never restored, not even on the first origin.
                keepsCredentials = keepsCredentials && !redirect.dropsCredentials
            }
        }
    }

    /// Sends one request to its server, or to the store that has its object.
    ///
    /// - Parameter handle: also gets the URL that the request went to.
    private func cross<Result: Sendable>(
        to request: TransportRequest,
        _ handle: @escaping @Sendable (ResponseHead, any ResponseBody, HTTPURL) async throws -> Result
    ) async throws -> Result {
        if let name = request.url.objectName {
            let sender = ObjectSender(
                stores: seams.stores,
                terms: terms,
                clock: seams.clock,
                version: isHome ? terms.store?.objectVersion : nil,
                keepsRefusals: keepsRefusals
            )
            return try await sender.withResponse(
                to: request,
                of: name,
                by: { try await transmit($0, $1) },
                handle
            )
        }
        return try await transmit(request) { try await handle($0, $1, request.url) }
    }

    /// Sends one request over HTTP, in the watched exchange if there is one.
    private func transmit<Result: Sendable>(
        _ request: TransportRequest,
        _ handle: @escaping @Sendable (ResponseHead, any ResponseBody) async throws -> Result
    ) async throws -> Result {
        let transport = seams.transport
        guard let watched else { return try await transport.withResponse(to: request, handle) }
        return try await watched.request(to: request.connection.peer(for: request.url)) {
            try await transport.withResponse(to: request, handle)
        }
    }

    /// The redirect that an answer orders; `nil` if it is not a redirect.
    ///
    /// - Throws: ``Problem`` for a redirect that must not be followed.
    private func redirect(
        by head: ResponseHead,
        of request: TransportRequest,
        _ hops: [HTTPURL],
        _ repeatable: Int,
        key: String?
    ) throws -> Redirect? {
        let rules = RedirectRules(limit: terms.redirectLimit, allowsDowngrade: terms.allowsDowngrade)
        let outcome = rules.follow(
            status: head.status,
            location: head.headers[.location],
            from: request.url,
            method: request.method,
            hops: hops,
            mayRepeat: repeatable
        )
        switch outcome {
        case .notARedirect: return nil
        case .refuse(.missingLocation) where takesBareRedirects: return nil
        case .refuse(let refusal): throw Problem(refusal)
        case .follow(let target, _, true, false) where key != nil && !request.method.isIdempotent:
            throw Problem.permanent(
                .redirectRefused,
                "\(request.url.hostAndPort) redirects the request to \(target.redacted). That server does not know its key.",
                remedies: [.sendToTarget]
            )
        case .follow(let target, let method, let dropsCredentials, let dropsBody):
            return Redirect(
                target: target,
                method: method,
                dropsCredentials: dropsCredentials,
                dropsBody: dropsBody,
                repeatable: repeatable
            )
        }
    }

    private func headers(keepsCredentials: Bool, describesBody: Bool) throws -> HTTPFields {
        var fields: HTTPFields = [
            .accept: "*/*",
            .acceptEncoding: "identity",
            .userAgent: userAgent,
        ]
        if keepsCredentials, let credentials = (isHome ? terms.credentials : nil) ?? url.credentials {
            fields[.authorization] = credentials.authorizationFieldValue
        }
        var given = HTTPFields()
        for header in terms.headers {
            guard let name = HTTPField.Name(header.name) else {
                throw Problem.permanent(
                    .refused,
                    "'\(header.name)' is not the name of a header field.",
                    remedies: [.giveHeaders, .retry]
                )
            }
            // Cookies of a file are in the session.
            guard !header.isCookie || !terms.hasLoadedCookies else { continue }
            // A field that describes the body goes with the body, and reveals nothing about the user.
            guard !header.describesBody else {
                if describesBody { given.append(HTTPField(name: name, value: header.value)) }
                continue
            }
            if (keepsCredentials && isHome) || header.isHarmless {
                given.append(HTTPField(name: name, value: header.value))
            }
        }
        // The user's fields replace Ferry's own.
        for field in given { fields[values: field.name] = [] }
        for field in given { fields.append(field) }
        return fields
    }
}

/// Counts the bytes of a request's body that have left, and tells another listener.
private final class BodyProgress: ExchangeListener {
    private let next: (any ExchangeListener)?
    private let count = Atomic<Int64>(0)

    init(_ next: (any ExchangeListener)?) {
        self.next = next
    }

    /// A request begins, whose body has not left yet.
    func begin() { count.store(0, ordering: .releasing) }

    /// Throws unless the whole body has left. Without it a request cannot have arrived, so what a redirect leads to is no
    /// answer to it.
    func requireWhole(_ body: RequestBody, from url: HTTPURL) throws(Problem) {
        guard let length = body.length, count.load(ordering: .acquiring) < length else { return }
        throw .permanent(
            .refused,
            "\(url.hostAndPort) redirected the request before it had received all of its body."
        )
    }

    func requestMayLeave() { next?.requestMayLeave() }

    func bodyLeft(upTo count: Int64) {
        self.count.store(count, ordering: .releasing)
        next?.bodyLeft(upTo: count)
    }

    func received(interim head: ResponseHead) { next?.received(interim: head) }
}

extension HTTPURL {
    /// The credentials in the URL's userinfo.
    fileprivate var credentials: Credentials? {
        user.map { .basic(user: $0, password: password ?? "") }
    }
}

extension Problem {
    /// The failure for a redirect that must not be followed: permanent, because a repetition would not help.
    fileprivate init(_ refusal: RedirectRules.Refusal) {
        switch refusal {
        case .loop, .tooMany:
            self = .permanent(.tooManyRedirects, "\(refusal)", remedies: [.checkURL, .giveURL, .retry])
        case .downgrade:
            self = .permanent(
                .redirectRefused,
                "\(refusal)",
                remedies: [.allowDowngrade]
            )
        case .unsupportedScheme, .invalidLocation, .missingLocation:
            self = .permanent(.redirectRefused, "\(refusal)")
        }
    }
}
