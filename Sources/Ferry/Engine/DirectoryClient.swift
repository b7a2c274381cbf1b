package import FerryCore
import HTTPTypes

/// Asks a server what its directories contain, without a transfer. Requests are repeated as those of transfers are.
package struct DirectoryClient: Sendable {
    /// How a server is asked, and the form of its answers.
    package enum Language: String, Hashable, Sendable {
        /// With `PROPFIND` (RFC 4918 §9.1).
        case webDAV
        /// With `GET`, for an HTML page that links to what the directory has.
        case pages
        /// With `GET`, for a JSON array of what the directory has.
        case json
    }

    /// A directory as its server describes it.
    package struct Answer: Sendable {
        /// The URL that answered, after redirects.
        package let url: HTTPURL
        /// How the server was asked, and the form of this answer.
        package let language: Language
        /// What the directory has.
        package let index: DirectoryIndex
    }

    private let home: Origin
    private let requests: UnrecordedRequests
    private let turns = ListingTurns()

    /// The longest answer, in bytes. A page of a hundred thousand files has 10 to 50 MiB.
    private static let longest = 64 << 20

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - engine: must stay open as long as the client is used.
    ///   - home: the origin for which the fields and credentials of the terms are meant.
    ///   - retries: maximum number of retries of a request after a failure that may pass.
    ///   - willWait: called before each wait for a retry.
    package init(
        _ engine: TransferEngine,
        home: Origin,
        _ terms: ExchangeTerms,
        retries: Int,
        willWait: @escaping @Sendable (RequestWait) -> Void = { _ in }
    ) {
        self.home = home
        requests = UnrecordedRequests(engine, terms, retries: retries, willWait: willWait)
    }

    /// Asks for a directory of which nothing is known: with `PROPFIND`, and with `GET` if that is not answered with 207.
    /// Redirects are followed.
    ///
    /// - Throws: ``TransferFailure`` and `CancellationError`.
    package func answer(at url: HTTPURL) async throws -> Answer {
        if let answer = try await requests.untilOneSucceeds({
            try await properties(of: url, isAnswered: false)
        }) {
            return answer
        }
        return try await requests.untilOneSucceeds { try await page(at: url) }
    }

    /// Asks for a directory below one that has answered.
    ///
    /// - Throws: ``TransferFailure``, also when another URL answers: that could be a directory above. Also when the answer has
    ///   another form than that one: an empty JSON array need not be a listing. `CancellationError`.
    package func answer(at url: HTTPURL, in language: Language) async throws -> Answer {
        try await requests.untilOneSucceeds {
            let answer =
                switch language {
                case .webDAV: try await properties(of: url, isAnswered: true)
                case .pages, .json: try await page(at: url, as: language)
                }
            guard let answer, answer.url == url else {
                let target = answer?.url.redacted ?? "another one"
                throw Problem.permanent(
                    .redirectRefused,
                    "The directory \(url.redacted) is redirected to \(target)."
                )
            }
            return answer
        }
    }

    /// Fetches a document that describes files.
    ///
    /// - Returns: the URL that answered, after redirects, and the bytes.
    /// - Throws: ``TransferFailure`` and `CancellationError`.
    package func document(at url: HTTPURL) async throws -> (url: HTTPURL, bytes: [UInt8]) {
        try await requests.untilOneSucceeds {
            let now = requests.seams.clock.now
            return try await exchange(.get, at: url, adding: [.accept: "*/*"]) { response in
                guard response.status == 200 else { throw response.problem(at: now) }
                return (response.url, response.body)
            }
        }
    }

    /// - Parameter isAnswered: whether the server is known to answer with 207.
    /// - Returns: `nil` if it is not known to, and does not.
    private func properties(of url: HTTPURL, isAnswered: Bool) async throws -> Answer? {
        let now = requests.seams.clock.now
        return try await exchange(
            Self.propfind,
            at: url,
            adding: [.contentType: "application/xml; charset=utf-8", .accept: "*/*", Self.depth: "1"],
            body: .bytes(Array(DirectoryIndex.question.utf8))
        ) { response in
            guard response.status == 207, !response.isRewritten else {
                // A server that is busy says nothing about what it can do.
                guard isAnswered || Self.busy.contains(response.status) else { return nil }
                throw response.problem(at: now)
            }
            // A directory that has nothing still describes itself.
            guard let index = try Self.properties(response), !index.hasFailures,
                !index.entries.isEmpty || index.hasItself
            else { throw Self.unreadable(response.url) }
            return Answer(url: response.url, language: .webDAV, index: index)
        }
    }

    private static let propfind = HTTPRequest.Method("PROPFIND")!
    private static let depth = HTTPField.Name("Depth")!
    /// The statuses of a server that may answer later (RFC 9110 §15.6, RFC 6585 §4).
    private static let busy: Set<Int> = [429, 502, 503, 504]

    private static func properties(_ response: Response) throws -> DirectoryIndex? {
        let index: DirectoryIndex?
        do throws(XMLReader.Refusal) {
            index = try DirectoryIndex(
                multistatus: response.body,
                at: response.url,
                isStopped: { Task.isCancelled }
            )
        } catch {
            // It is no XML.
            return nil
        }
        return try whole(index, response.url)
    }

    /// The same index.
    ///
    /// - Throws: ``Problem`` if it has not all entries, because they are too many or too long.
    private static func whole(_ index: DirectoryIndex?, _ url: HTTPURL) throws -> DirectoryIndex? {
        guard index?.isTooLarge != true else {
            throw Problem.permanent(
                .badResponse,
                """
                The listing of \(url.redacted) is too large: it has more than \(DirectoryIndex.most) entries, or their names \
                and times are too long.
                """
            )
        }
        return index
    }

    /// - Parameter expected: the form of the listing; `nil` if any will do.
    private func page(at url: HTTPURL, as expected: Language? = nil) async throws -> Answer {
        let now = requests.seams.clock.now
        return try await exchange(.get, at: url, adding: [.accept: DirectoryIndex.accepted]) { response in
            guard response.status == 200 else { throw response.problem(at: now) }
            let type = response.head.headers[.contentType].flatMap { MediaType($0) }
            let isPage = type?.isHTML ?? true
            let read = DirectoryIndex(
                response.body,
                type: type,
                at: response.url,
                isStopped: { Task.isCancelled }
            )
            guard let index = try Self.whole(read, response.url),
                !isPage || DirectoryIndex.isCalledListing(response.body)
            else { throw Self.unreadable(response.url) }
            let language: Language = isPage ? .pages : .json
            guard expected == nil || expected == language else {
                throw Self.otherForm(language, response.url)
            }
            guard !isPage || DirectoryIndex.hasEnd(response.body) else {
                throw Problem.transient(
                    .connectionLost,
                    "The listing of \(response.url.redacted) was cut off."
                )
            }
            return Answer(url: response.url, language: language, index: index)
        }
    }

    private static func otherForm(_ language: Language, _ url: HTTPURL) -> Problem {
        let (form, former) = language == .json ? ("JSON", "an HTML page") : ("an HTML page", "JSON")
        return .permanent(
            .badResponse,
            "\(url.redacted) answered with \(form), and the top of the source with \(former)."
        )
    }

    private static func unreadable(_ url: HTTPURL) -> Problem {
        .permanent(.badResponse, "\(url.redacted) is not a directory listing that Ferry can read.")
    }

    /// A whole response.
    private struct Response: Sendable {
        let head: ResponseHead
        let body: [UInt8]
        let url: HTTPURL
        /// Whether a redirect changed the method, so that the answer is to another question.
        let isRewritten: Bool
        /// Whether the request had credentials.
        let hadCredentials: Bool

        var status: Int { head.status }

        /// What its status means for a request that wanted another one.
        func problem(at now: Instant) -> Problem {
            guard status >= 300 else {
                return .permanent(
                    .badResponse,
                    "\(url.hostAndPort) answered PROPFIND with \(status) instead of 207."
                )
            }
            var facts = ResponseFacts(head, from: url, at: now)
            facts.hadCredentials = hadCredentials
            return StatusProblem.problem(for: facts, url: url, hasWorked: false)
        }
    }

    private func exchange<Result: Sendable>(
        _ method: HTTPRequest.Method,
        at url: HTTPURL,
        adding fields: HTTPFields,
        body: RequestBody = .bytes([]),
        _ read: @escaping @Sendable (Response) throws -> Result
    ) async throws -> Result {
        let sender = requests.sender(to: url, home: home)
        return try await sender.withResponse(to: method, adding: fields, body: body) {
            [turns] head, stream, answerer in
            let body = try await stream.collect(upTo: Self.longest + 1)
            guard body.count <= Self.longest else {
                throw Problem.permanent(
                    .badResponse,
                    "The listing of \(answerer.url.redacted) is longer than \(Self.longest >> 20) MiB."
                )
            }
            let response = Response(
                head: head,
                body: body,
                url: answerer.url,
                isRewritten: answerer.isRewritten,
                hadCredentials: answerer.hadCredentials
            )
            return try await turns.read { try read(response) }
        }
    }
}
