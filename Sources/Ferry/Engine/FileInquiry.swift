package import FerryCore
import HTTPTypes

/// Asks a server what a download would bring, without a transfer.
///
/// Requests are repeated as those of transfers are. But someone waits for the answer and can ask again: if the server refuses the
/// connection, its host is unknown or no route leads to it, the inquiry fails at once.
///
/// It sends the request of a download, `GET`, for the first byte only. The answer to `HEAD` often differs, and the
/// signature of a URL may be for `GET`.
package struct FileInquiry: Sendable {
    /// What a server says of a file.
    package struct Answer: Sendable {
        /// The URL that answered, after redirects.
        package let url: HTTPURL
        /// The name that a download gets unless the user gives one.
        package let name: FileName
        /// The length in bytes; `nil` if the server does not tell it.
        package let length: Int64?
        /// Whether the server sends parts, so that a download can be resumed and divided.
        package let sendsParts: Bool
        /// The media type as the server sends it.
        package let mediaType: String?
        /// The content codings that the server applies; `nil` for none.
        package let contentCoding: String?
        /// The entity tag (RFC 9110 §8.8.3).
        package let entityTag: EntityTag?
        /// The time of the last change, as the server sends it.
        package let lastModified: String?
        /// The digest that the server gives.
        package let digest: Checksum?
        /// The mirrors that the server names.
        package let mirrors: [HTTPURL]
    }

    private let url: HTTPURL
    private let requests: UnrecordedRequests

    /// Creates an inquiry.
    ///
    /// - Parameters:
    ///   - engine: must stay open as long as the inquiry is used.
    ///   - url: the URL of the file.
    ///   - retries: maximum number of retries of a request after a failure that may pass.
    ///   - willWait: called before each wait for a retry.
    package init(
        _ engine: TransferEngine,
        _ url: HTTPURL,
        _ terms: ExchangeTerms,
        retries: Int,
        willWait: @escaping @Sendable (RequestWait) -> Void = { _ in }
    ) {
        self.url = url
        requests = UnrecordedRequests(engine, terms, retries: retries, willWait: willWait)
    }

    /// Asks.
    ///
    /// - Throws: ``TransferFailure`` for an answer that a download could not use; `CancellationError`.
    package func answer() async throws -> Answer {
        let sender = requests.sender(to: url, home: url.origin)
        return try await requests.untilOneSucceeds {
            do {
                return try await answer(to: sender)
            } catch let problem as Problem {
                throw Self.endingAtOnce(await requests.judged(problem, at: url))
            }
        }
    }

    private func answer(to sender: RequestSender) async throws -> Answer {
        let now = requests.seams.clock.now
        return try await sender.withResponse(adding: [.range: "bytes=0-0"]) { head, _, answerer in
            var facts = ResponseFacts(head, from: answerer.url, after: answerer.hops, at: now)
            facts.hadCredentials = answerer.hadCredentials
            let (length, sendsParts) = try Self.extent(of: facts, at: url)
            return Answer(
                url: answerer.url,
                name: FileName.choose(userGiven: nil, contentDisposition: facts.disposition, url: url),
                length: length,
                sendsParts: sendsParts,
                mediaType: head.headers[.contentType],
                contentCoding: facts.contentCoding,
                entityTag: facts.validator.entityTag,
                lastModified: facts.validator.lastModified,
                digest: facts.digest,
                mirrors: facts.mirrors
            )
        }
    }

    /// The problem, without a retry if no server could be reached.
    private static func endingAtOnce(_ problem: Problem) -> Problem {
        switch problem.failure.code {
        case .connectionRefused, .nameNotResolved, .networkUnreachable: Problem(problem.failure, .permanent)
        default: problem
        }
    }

    /// The length of the file, and whether the server sends parts of it.
    private static func extent(
        of facts: ResponseFacts,
        at url: HTTPURL
    ) throws(Problem) -> (length: Int64?, sendsParts: Bool) {
        switch (facts.status, facts.contentRange) {
        case (206, .present(.bytes(_, let total))): return (total, true)
        // An empty file has no first byte (RFC 9110 §15.5.17).
        case (416, .present(.unsatisfied(total: 0))): return (0, true)
        case (200, _), (203, _): return (facts.bodyLength, false)
        case (206, _): return (nil, false)
        default: throw StatusProblem.problem(for: facts, url: url, hasWorked: false)
        }
    }
}
