package import FerryCore
import HTTPTypes

/// Asks a server what its directories contain, without a transfer. Requests are repeated as those of transfers are.
package struct DirectoryClient: Sendable {
    /// How a server is asked.
    package enum Language: String, Hashable, Sendable {
        /// With `PROPFIND` (RFC 4918 §9.1).
        case webDAV
        /// With `GET`, for a page that links to what the directory has.
        case pages
    }

    /// A directory as its server describes it.
    package struct Answer: Sendable {
        /// The URL that answered, after redirects.
        package let url: HTTPURL
        /// How the server was asked.
        package let language: Language
        /// What the directory has.
        package let index: DirectoryIndex
    }

    private let home: Origin
    private let terms: ExchangeTerms
    private let userAgent: String
    private let seams: EngineSeams
    private let attempts: RepeatedAttempts

    /// The longest answer, in bytes. A page of a hundred thousand files has about 20 MiB.
    private static let longest = 64 << 20

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - engine: must stay open as long as the client is used.
    ///   - home: the origin for which the fields and credentials of the terms are meant.
    ///   - retries: maximum number of retries of a request after a failure that may pass.
    package init(_ engine: TransferEngine, home: Origin, _ terms: ExchangeTerms, retries: Int) {
        (self.home, self.terms) = (home, terms)
        (userAgent, seams) = (engine.configuration.userAgent, engine.seams)
        attempts = RepeatedAttempts(retries: retries, seams: engine.seams)
    }

    /// Asks for a directory of which nothing is known: with `PROPFIND`, and with `GET` if that is not answered with 207.
    /// Redirects are followed.
    ///
    /// - Throws: ``TransferFailure`` and `CancellationError`.
    package func answer(at url: HTTPURL) async throws -> Answer {
        if let answer = try await attempts.untilOneSucceeds({ try await properties(of: url) }) {
            return answer
        }
        return try await attempts.untilOneSucceeds { try await page(at: url) }
    }

    /// Asks for a directory below one that has answered.
    ///
    /// - Throws: ``TransferFailure``, also when another URL answers: that could be a directory above; `CancellationError`.
    package func answer(at url: HTTPURL, in language: Language) async throws -> Answer {
        try await attempts.untilOneSucceeds {
            let answer =
                switch language {
                case .webDAV: try await properties(of: url)
                case .pages: try await page(at: url)
                }
            guard let answer else {
                throw Problem.permanent(.badResponse, "\(url.host) no longer answers to PROPFIND with 207.")
            }
            guard answer.url == url else {
                throw Problem.permanent(
                    .redirectRefused,
                    "The directory \(url.redacted) is redirected to \(answer.url.redacted)."
                )
            }
            return answer
        }
    }

    /// - Returns: `nil` if the server does not answer with 207.
    private func properties(of url: HTTPURL) async throws -> Answer? {
        var fields: HTTPFields = [.contentType: "application/xml; charset=utf-8", .accept: "*/*"]
        if let depth = HTTPField.Name("Depth") { fields[depth] = "1" }
        guard let method = HTTPRequest.Method("PROPFIND") else { return nil }
        return try await exchange(
            method,
            at: url,
            adding: fields,
            body: .bytes(Array(DirectoryIndex.question.utf8))
        ) { response in
            guard response.status == 207, !response.isRewritten else { return nil }
            guard let index = Self.properties(response) else { throw Self.unreadable(response.url) }
            return Answer(url: response.url, language: .webDAV, index: index)
        }
    }

    private static func properties(_ response: Response) -> DirectoryIndex? {
        do {
            return try DirectoryIndex(multistatus: response.body, at: response.url)
        } catch {
            // It is no XML.
            return nil
        }
    }

    private func page(at url: HTTPURL) async throws -> Answer {
        let now = seams.clock.now
        return try await exchange(.get, at: url, adding: [.accept: DirectoryIndex.accepted]) { response in
            guard response.status == 200 else {
                throw StatusProblem.problem(
                    for: ResponseFacts(response.head, from: response.url, at: now),
                    url: response.url,
                    hasWorked: false
                )
            }
            let type = response.head.headers[.contentType].flatMap { MediaType($0) }
            guard let index = DirectoryIndex(response.body, type: type, at: response.url),
                !index.entries.isEmpty || !(type?.isHTML ?? true)
                    || DirectoryIndex.isCalledListing(response.body)
            else { throw Self.unreadable(response.url) }
            return Answer(url: response.url, language: .pages, index: index)
        }
    }

    private static func unreadable(_ url: HTTPURL) -> Problem {
        .permanent(.badResponse, "\(url.redacted) is no listing of a directory that Ferry can read.")
    }

    /// A whole response.
    private struct Response: Sendable {
        let head: ResponseHead
        let body: [UInt8]
        let url: HTTPURL
        /// Whether a redirect changed the method, so that the answer is to another question.
        let isRewritten: Bool

        var status: Int { head.status }
    }

    private func exchange<Result: Sendable>(
        _ method: HTTPRequest.Method,
        at url: HTTPURL,
        adding fields: HTTPFields,
        body: RequestBody = .bytes([]),
        _ read: @escaping @Sendable (Response) throws -> Result
    ) async throws -> Result {
        let sender = RequestSender(
            url: url,
            home: home,
            terms: terms,
            userAgent: userAgent,
            seams: seams,
            pace: Pace()
        )
        return try await sender.withResponse(to: method, adding: fields, body: body) {
            head,
            stream,
            answerer in
            let body = try await stream.collect(upTo: Self.longest + 1)
            guard body.count <= Self.longest else {
                throw Problem.permanent(
                    .badResponse,
                    "The listing of \(answerer.url.redacted) is longer than \(Self.longest >> 20) MiB."
                )
            }
            return try read(
                Response(head: head, body: body, url: answerer.url, isRewritten: answerer.isRewritten)
            )
        }
    }
}
