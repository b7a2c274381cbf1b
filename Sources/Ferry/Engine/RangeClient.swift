package import FerryCore
import HTTPTypes

/// Reads ranges of one version of a file at a URL, without a transfer. Requests are repeated as those of transfers are.
package struct RangeClient: Sendable {
    /// A range as its server sent it.
    package struct Part: Sendable {
        /// The bytes; fewer than asked for only at the end of the file.
        package let bytes: [UInt8]
        /// The length of the file.
        package let total: Int64
        /// The version that they are of.
        package let version: EntityTag
    }

    private let url: HTTPURL
    private let requests: UnrecordedRequests

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - engine: must stay open as long as the client is used.
    ///   - url: the URL of the file.
    ///   - retries: maximum number of retries of a request after a failure that may pass.
    package init(_ engine: TransferEngine, _ url: HTTPURL, _ terms: ExchangeTerms, retries: Int) {
        self.url = url
        requests = UnrecordedRequests(engine, terms, retries: retries)
    }

    /// Reads a range, which must not be empty.
    ///
    /// - Parameter version: the version that is wanted (`If-Match`, RFC 9110 §13.1.1); `nil` for the present one.
    /// - Throws: ``TransferFailure``: `resourceChanged` if the file has another version, `badResponse` if the server sends no
    ///   ranges or no strong entity tag; `CancellationError`.
    package func part(_ range: Range<Int64>, of version: EntityTag? = nil) async throws -> Part {
        let sender = requests.sender(to: url, home: url.origin)
        var fields: HTTPFields = [.range: "bytes=\(range.lowerBound)-\(range.upperBound - 1)"]
        if let version { fields[.ifMatch] = version.description }
        return try await requests.untilOneSucceeds { [fields] in
            let now = requests.seams.clock.now
            return try await sender.withResponse(adding: fields) { head, body, answerer in
                var facts = ResponseFacts(head, from: answerer.url, at: now)
                facts.hadCredentials = answerer.hadCredentials
                let part = try Self.answered(facts, asked: range, of: version, from: answerer.url)
                let count = Int(part.range.upperBound - part.range.lowerBound)
                let bytes = try await body.collect(upTo: count + 1)
                guard bytes.count == count else {
                    let server = answerer.url.hostAndPort
                    throw Problem.transient(.connectionLost, "\(server) broke off its answer.")
                }
                return Part(bytes: bytes, total: part.total, version: part.version)
            }
        }
    }

    /// What an answer brings.
    private static func answered(
        _ facts: ResponseFacts,
        asked: Range<Int64>,
        of version: EntityTag?,
        from url: HTTPURL
    ) throws(Problem) -> (range: Range<Int64>, total: Int64, version: EntityTag) {
        switch facts.status {
        case 206: break
        case 200:
            throw .permanent(
                .badResponse,
                "\(url.hostAndPort) sends no parts of \(url.redacted). Download all of it."
            )
        case 412: throw changed(url)
        default: throw StatusProblem.problem(for: facts, url: url, hasWorked: version != nil)
        }
        guard case .present(.bytes(let sent, let total?)) = facts.contentRange,
            sent.lowerBound == asked.lowerBound, sent.upperBound == min(asked.upperBound, total)
        else { throw .permanent(.badResponse, "\(url.hostAndPort) sent another part than it was asked for.") }
        guard total <= ByteRange.longestResource else {
            throw .permanent(.badResponse, "\(url.hostAndPort) gives an impossible length.")
        }
        guard let sentVersion = facts.validator.entityTag, sentVersion.isStrong else {
            let text =
                "\(url.hostAndPort) sends no strong ETag, so that parts of the file might not belong together."
            throw .permanent(.badResponse, text)
        }
        guard version.map({ $0.strongMatches(sentVersion) }) ?? true else { throw changed(url) }
        return (sent, total, sentVersion)
    }

    private static func changed(_ url: HTTPURL) -> Problem {
        .permanent(.resourceChanged, "\(url.redacted) has changed on the server while it was read.")
    }
}
